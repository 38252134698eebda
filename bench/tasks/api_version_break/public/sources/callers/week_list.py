"""The list of the week: what each bench has used."""

from functools import partial

import kerf


def totals(benches, stock):
    spent = partial(kerf.cost, stock=stock, per_metre="2.35")
    for name, boards in benches.items():
        again = kerf.cost(boards, stock, "2.35")  # kerf.cost is what the office wants to see
        assert again == spent(boards)
        print(name, again)
    lengths = {name: [kerf.offcut(board, stock) for board in boards]
               for name, boards in benches.items()}
    print("offcuts:", lengths)
