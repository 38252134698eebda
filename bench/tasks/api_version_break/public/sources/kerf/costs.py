"""What boards cost."""

from kerf.cutting import offcut


def price(boards, stock, per_metre, kerf=3):
    """The price of boards of this length, less what is taken back."""
    total = 0.0
    for board in boards:
        total += stock / 1000 * float(per_metre)
        rest = offcut(board, stock, kerf)
        if rest > 600:
            total -= rest / 1000 * float(per_metre) / 2
    return round(total, 2)


def cost(boards, stock, per_metre, kerf=3):
    """The name that price had before 1.3."""
    return price(boards, stock, per_metre, kerf)
