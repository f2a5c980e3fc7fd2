"""Documents that know no engine.

`blocks` of a report, `columns` of text, `csv_text`, `ci_syntax`: commands of CI systems; `origin`:
the mark by which an output is known again.
"""
