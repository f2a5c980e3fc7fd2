"""Documents that know no engine: blocks of a report, columns of text, CSV, marks of CI systems."""
