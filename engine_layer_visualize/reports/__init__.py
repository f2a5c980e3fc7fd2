"""What is said of engines: `summary`, `lint`, `compare`, `gate`, in each of their formats."""
