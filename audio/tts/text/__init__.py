"""How written text is said, one topic per module; all pure.

``audio.tts.spoken_text`` is the way in.
"""
