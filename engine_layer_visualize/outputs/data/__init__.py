"""An engine in; the engine as data out: JSON, schema 1, with what its build log says besides."""
