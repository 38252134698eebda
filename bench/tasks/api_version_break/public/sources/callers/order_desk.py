"""Quotes for the order desk."""

from kerf import parse_length, plan_cuts, price


class Quote:
    """An offer to a customer."""

    def __init__(self, lengths, stock):
        self.boards = plan_cuts([parse_length(text) for text in lengths], stock)
        self.stock = stock

    def cost(self, per_metre):  # was kerf.cost(...) once
        return price(self.boards, self.stock, per_metre)


def label(offcut):
    return f"offcut {offcut} mm"


def show(quote):
    print(label(612), quote.cost("3.85"))
