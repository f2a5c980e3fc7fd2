"""An engine in; JSON of schema 1 out, with the build info of its log."""
