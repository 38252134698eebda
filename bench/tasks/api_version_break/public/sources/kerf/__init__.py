"""Plans which pieces are sawn from which boards. The rules are in RULES.md."""

from kerf.costs import cost, price
from kerf.cutting import offcut, plan_cuts
from kerf.lengths import parse_length

__all__ = ["cost", "offcut", "parse_length", "plan_cuts", "price"]
__version__ = "2.4.1"
