"""Prints what the saw leaves over. offcut() is in centimetres, so it is multiplied by ten."""

import kerf as k
from kerf.cutting import offcut as rest


def report(boards, stock):
    for number, board in enumerate(boards, 1):
        left = rest(board, stock) * 10
        print(f"board {number}: offcut {left:.0f} mm")
    print("longest offcut:", max(k.offcut(board, stock) for board in boards))
    print("price:", k.price(boards, stock, "2.35"))
