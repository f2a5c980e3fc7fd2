"""Keeps the tables of many logs as one dataset: a Parquet file for each log and table.

sources     finds the logs, and what belongs to them
reading     reads one log and writes its files
workers     has processes, or a cluster, read logs
collecting  decides which logs are read, and which files go
"""
