"""Live runs: what runtimes write and send, taken in as it happens, and the ways to answer them.

The modules here wait and hold connections; what a message means is in ``runs.sources``.
"""
