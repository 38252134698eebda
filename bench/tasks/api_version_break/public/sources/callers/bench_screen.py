"""What the screen at bench 2 shows."""

from kerf import (
    cost as total,
    offcut,
    parse_length,
    plan_cuts,
)

HELP = "offcut(board, stock) gives what is left"


def screen(texts, stock):
    boards = plan_cuts([parse_length(text) for text in texts], stock)
    left = list(map(offcut, boards, [stock] * len(boards)))
    return boards, left, total(
        boards, stock, "11.43"
    )
