"""Reads a VERBOSE build log: its listings, its tables, and what else it says.

prefixes, wrapping, colors, notebooks         what stands before and around messages
markers, scanner                              where a listing or a table begins and ends
listing_lines, binding_lines, profile_table_lines   the lines of one block
around_listing                                what the lines around a listing say of it
blocks                                        what the scanner gives
stretches                                     whole lines of a log, with their numbers
build_context, kernel_names                         what a listing's reader must know of the build
strategies                                    which attempts to build an engine were kept
around_listing                                what the lines before and after a listing say of it
build_end                                     how a build without a listing ended
other_files                                   what a file beside a log is
"""
