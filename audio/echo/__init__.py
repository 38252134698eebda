"""Takes what the loudspeaker played out of what the microphone heard.

May import: numpy and, in the edge module, the canceller's package.
Must not know: devices and turns. It sees two streams of frames and gives one.
"""
