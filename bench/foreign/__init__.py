"""Other people's programs that Jarvis is measured beside; each runs in a process of its own."""
