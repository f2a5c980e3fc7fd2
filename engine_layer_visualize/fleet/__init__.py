"""Keeps the tables of many logs as one dataset of Parquet files, which grows from run to run.

inputs      finds the files that are read
collecting  plans what is read and commits it, in one process
reading     reads logs into rows, in any process
processes   runs tasks in processes of this machine
cluster     runs tasks on a cluster of Dask
manifest    knows which rows count
rewriting   writes parts in place of others
parquet     writes and reads a part
dataset     gives the rows to Python
"""
