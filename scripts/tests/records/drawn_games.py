"""Random games for the packing tests, and their forms in files."""

import random

from records import board
from records.board import PASS, SIDE


def at(vertex):
    """Returns the point of a GTP vertex."""
    return PASS if vertex == "pass" else (SIDE - int(vertex[1:])) * SIDE + "ABCDEFGHJKLMNOPQRST".index(vertex[0])


def play(text):
    """Returns moves of alternating colours."""
    return [at(vertex) for vertex in text.split()]


def drawn_game(seed, length=80):
    """Returns a valid game of random moves."""
    drawn, moves = random.Random(seed), []
    while len(moves) < length:
        move = drawn.randrange(SIDE * SIDE)
        if board.illegality(moves + [move]) is None:
            moves.append(move)
    return moves


def kifu(moves):
    """Returns moves in the format of the servers' files."""
    names = ("" if move == PASS else chr(97 + move % SIDE) + chr(97 + move // SIDE) for move in moves)
    return "".join(f";{'BW'[turn % 2]}[{name}]" for turn, name in enumerate(names))


def sgf(moves, **properties):
    """Returns an SGF file."""
    root = {"SZ": 19, "KM": "7.5", "RE": "B+R", **properties}
    return "(;GM[1]" + "".join(f"{name}[{value}]" for name, value in root.items()) + kifu(moves) + ")"
