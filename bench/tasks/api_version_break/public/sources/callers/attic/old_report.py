from kerf import cost, offcut


def report(boards, stock):
    print(cost(boards, stock, 2), [offcut(board, stock) for board in boards])
