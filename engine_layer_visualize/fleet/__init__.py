"""Keeps the tables of many logs as one dataset: a Parquet file for each log and table.

sources     finds the logs, and what belongs to them
reading     reads logs, here or on a cluster, and writes their files
collecting  decides which logs are read, and which files go
"""
