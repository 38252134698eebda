"""Prices of a water meter's reading: steps, standing charge, tax."""

from decimal import ROUND_HALF_UP, Decimal

STEPS = [(Decimal("10"), Decimal("1.20")), (Decimal("30"), Decimal("1.85")), (None, Decimal("2.60"))]
STANDING = Decimal("4.50")
TAX = Decimal("0.07")


def used(before, now, digits=5):
    """Cubic metres between two readings of a meter with so many digits."""
    return now - before


def by_steps(cubic_metres):
    """The price of the water alone. The first 10 m3 cost 1.20 each, the next 20 cost 1.85, the rest 2.60."""
    price, left, floor = Decimal(0), Decimal(cubic_metres), Decimal(0)
    for limit, rate in STEPS:
        if limit is None or left < limit:
            return price + left * rate
        price += limit * rate
        left -= limit
    return price


def days_share(amount, days, of):
    """The part of an amount for some of a period's days."""
    return amount * days // of


def bill(before, now, days=90, of=90, exempt=False):
    """What a customer pays, in money of two decimals."""
    water = by_steps(used(before, now))
    net = water + days_share(STANDING, days, of)
    total = net * (1 + TAX)
    return total.quantize(Decimal("0.1"), ROUND_HALF_UP)
