"""Voice activity detection: the probability of speech in each frame, and nothing more.

May import: numpy and, in the edge module, onnxruntime. What a probability means for the
conversation is decided in ``audio.turn``.
"""
