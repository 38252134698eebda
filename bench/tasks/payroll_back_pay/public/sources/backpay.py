"""Back pay of the Lindenhof theatre: hours, wages and payouts. Draft, not used for real pay yet."""

from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
BASE = {"A": Decimal("14.20"), "B": Decimal("16.85"), "C": Decimal("19.40")}
RAISE = Decimal("1.04")
FLAT = Decimal("0.25")
SENIOR = Decimal("0.60")
SURCHARGE = {"normal": Decimal(0), "evening": Decimal("0.20"), "sunday": Decimal("0.50")}
LIMIT, LOW, HIGH = Decimal("150.00"), Decimal("0.18"), Decimal("0.31")


def hours(text):
    """Hours from a timesheet: "7.5" or "7:30"."""
    return Decimal(text.replace(":", "."))


def wage(grade, month):
    """The wage for an hour in a month such as "2025-07"."""
    if month < "2025-04":
        return BASE[grade]
    raised = (BASE[grade] * RAISE).quantize(CENT, ROUND_HALF_UP)
    if month > "2025-07":
        raised += FLAT
    return raised


def pay(count, grade, month, kind, senior=False):
    """What a line of the timesheet is paid with, to the cent."""
    rate = wage(grade, month)
    if senior:
        rate += SENIOR
    rate *= 1 + SURCHARGE[kind]
    return round(count * rate, 2)


def parts(total, count):
    """A total in equal payouts, to the cent; what is left over joins the last one."""
    part = (total / count).quantize(CENT, ROUND_HALF_UP)
    return [part] * (count - 1) + [total - part * (count - 1)]


def withheld(payout):
    """The tax that is kept back from one payout."""
    rate = LOW if payout < LIMIT else HIGH
    return (payout * rate).quantize(CENT, ROUND_HALF_UP)
