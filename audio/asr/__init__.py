"""Speech to text: a seam, engines behind it (one per file), and a scripted double.

May import: numpy, ``audio.weights`` and, in an engine's own file, that engine's package.
Must not know: turns, devices, agents. An engine answers; when to ask is decided elsewhere.
"""
