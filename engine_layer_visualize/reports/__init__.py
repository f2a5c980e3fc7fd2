"""What is said of engines: `summary`, `lint`, `compare`, `gate`, each with a file per format."""
