"""Text to speech: phrases from a growing text, words from written text, sound from words.

``phrasing`` and ``spoken_text`` are pure. May import: numpy, ``audio.weights`` and, in an engine's
own file, that engine's package. Must not know: playback, turns, agents.
"""
