"""Pieces on boards."""


def plan_cuts(pieces, stock, kerf=3):
    """The boards, each a list of pieces, longest first. Lengths are millimetres."""
    pieces.sort(reverse=True)
    boards = []
    for piece in pieces:
        for board in boards:
            if sum(board) + piece + kerf * (len(board) + 1) <= stock:
                board.append(piece)
                break
        else:
            boards.append([piece])
    return boards


def offcut(board, stock, kerf=3):
    """What is left of a board, in centimetres; everything else here is in millimetres."""
    return (stock - sum(board) - kerf * len(board)) / 10
