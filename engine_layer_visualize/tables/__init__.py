"""Makes tables of engines: rows with documented, typed columns, and files of them.

`schema`: what a column is; `engine_tables`, `layer_tables`: the columns and the rows of each table;
`table`: tables in Python; `flat`, `values`: cells; `files`, `csv`, `jsonl`, `arrow`, `parquet`,
`xlsx`: the files.
"""

from __future__ import annotations

from typing import Final

from engine_layer_visualize.tables.engine_tables import EDGES, ENGINES, FINDINGS, PROBLEMS
from engine_layer_visualize.tables.layer_tables import (
    ATTRIBUTES,
    CANDIDATES,
    LAYERS,
    ONE_TENSOR,
    ONNX_NODES,
    REFORMATS,
)

SCHEMAS: Final = {
    one.name: one
    for one in (
        *(ENGINES, LAYERS, ONE_TENSOR, EDGES, REFORMATS, CANDIDATES, ONNX_NODES, ATTRIBUTES),
        *(FINDINGS, PROBLEMS),
    )
}
