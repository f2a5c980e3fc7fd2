"""A VERBOSE build log goes in as lines; out come its listings, its tables and what else it says.

prefixes, wrapping, colours, notebooks        what stands before and around messages
markers, scanner                              where a listing or a table begins and ends
listing_lines, binding_lines, profile_table_lines   the lines of one block
blocks                                        what the scanner gives
build_context, kernel_names, format_combinations    what a listing's reader must know of the build
time_stamps                                   what time it was at a line
strategies                                    which attempts to build an engine were kept
build_end                                     how a build without a listing ended
"""
