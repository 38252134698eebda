"""The tasks of the benchmark: how they are read, and what each must pass to be admitted."""
