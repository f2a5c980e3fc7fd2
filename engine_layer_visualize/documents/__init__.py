"""Writes documents, and knows no engine.

`terminal` and `markdown` write the `blocks` of a report, `columns` sets text and tables for a
terminal. `csv_text` writes CSV, `ci_syntax` commands of CI systems; `marks` has the mark by which
an output is known again.
"""
