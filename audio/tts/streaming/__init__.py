"""Kokoro that begins to sound before its sentence is done: a decoder in windows.

``onnx_file`` reads and writes the network's file format, ``generator`` builds the part of the
network that makes sound in a form that can work in windows, ``statistics`` foretells what that part
would otherwise measure over the whole sentence, ``windows`` cuts and joins, ``choice`` decides
whether this machine gains by it.
"""
