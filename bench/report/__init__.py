"""What any benchmark shows: tables and plots for a terminal, and one self-contained HTML page.

terminal.py   tables, bars, stacked bars, curves and speech timelines in plain characters
svg.py        the same plots as inline SVG: bars, stacked bars, lines, scatter, timeline
page.py       one HTML page without scripts and without anything from the network
intervals.py  quantiles, bootstrap and Wilson intervals
progress.py   a progress bar with the time left
"""
