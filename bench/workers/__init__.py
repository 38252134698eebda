"""Workers: who does the tasks, and the tools and workspace that they do them with."""
