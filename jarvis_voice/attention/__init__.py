"""When a run needs its user: what is held, what is asked, what was answered, what became of it.

Pure modules decide (``candidate``, ``policy``, ``lifecycle``, ``agenda``); ``desk`` is the one
service that acts on what they say, and writes every fact down before it does.
"""
