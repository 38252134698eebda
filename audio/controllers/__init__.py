"""Turn controllers: they listen along and say, at a pause, whether the turn is over.

``base.py`` is the seam. What follows from a judgement is decided in ``audio.turn``.
"""
