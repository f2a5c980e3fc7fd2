"""Many logs in; one dataset of Parquet files, which grows from run to run, out.

`inputs`: which files; `reading`: some logs in, rows out, in any process; `processes`, `cluster`:
where that is done; `collecting`: plans and commits, in one process; `manifest`: which rows count;
`rewriting`: parts in place of others; `dataset`: the rows for Python.
"""
