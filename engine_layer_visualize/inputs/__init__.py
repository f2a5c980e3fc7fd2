"""Reads files: the bytes of logs and profiles go in, listings, messages and rows of times come out.

buildlog          a VERBOSE build log, cut into listings and tables; all other lines as messages
listings          the records of one listing, as layers
profiles          a file of times, as rows
iteration_times   how long each iteration of a run took
snapshot_file     what was kept of an earlier engine for a gate
diagnosis         why there is nothing to draw
made_of_logs      what a file is that was made of a log
formats           `Format`, the record that each format of `listings` and `profiles` gives
"""
