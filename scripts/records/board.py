"""A 19x19 board that replays games fast, to tell those which every engine can replay from the others.

Promise: a game is sound when every stone is put on an empty point, none is suicide or retakes a ko at once, and no
position of the whole board comes twice, passes aside.
"""

import random

SIDE = 19
POINTS = SIDE * SIDE
PASS = POINTS

NEIGHBOURS = tuple(
    tuple(row * SIDE + column
          for row, column in ((at // SIDE - 1, at % SIDE), (at // SIDE + 1, at % SIDE),
                              (at // SIDE, at % SIDE - 1), (at // SIDE, at % SIDE + 1))
          if 0 <= row < SIDE and 0 <= column < SIDE)
    for at in range(POINTS))


def _hashes():
    # 64 bits: among the 10^8 positions of half a million games two in one game are never mistaken for each other.
    drawn = random.Random(19)
    return tuple(tuple(drawn.getrandbits(64) for _ in range(POINTS)) for _ in range(2))


HASHES = _hashes()


def _symmetries():
    last = SIDE - 1
    maps = (lambda r, c: (r, c), lambda r, c: (r, last - c), lambda r, c: (last - r, c), lambda r, c: (last - r, last - c),
            lambda r, c: (c, r), lambda r, c: (c, last - r), lambda r, c: (last - c, r), lambda r, c: (last - c, last - r))
    tables = []
    for turned in maps:
        places = [turned(at // SIDE, at % SIDE) for at in range(POINTS)]
        tables.append(tuple(row * SIDE + column for row, column in places) + (PASS,))
    return tuple(tables)


SYMMETRIES = _symmetries()


def least_image(moves):
    """The smallest of the eight images of a sequence of moves: the same for each of them."""
    return min([table[move] for move in moves] for table in SYMMETRIES)


def fault(moves):
    """Why a game, Black first, cannot be replayed; None when it is sound.

    A chain is a list: how often its stones touch an empty point (one that is touched twice counts twice, which is as
    good to tell none from some), then its stones.
    """
    chains = [None] * POINTS
    colours = [2] * POINTS
    position, seen, ko = 0, {0}, None
    for turn, move in enumerate(moves):
        if move == PASS:
            ko = None
            continue
        if chains[move] is not None:
            return "occupied point"
        if move == ko:
            return "ko retaken at once"
        colour = turn & 1
        own = [0, move]
        chains[move], colours[move] = own, colour
        position ^= HASHES[colour][move]
        around = NEIGHBOURS[move]
        for near in around:
            chain = chains[near]
            if chain is None:
                own[0] += 1
            else:
                chain[0] -= 1
        taken = []
        for near in around:
            chain = chains[near]
            if chain is None or chain is own:
                continue
            if colours[near] == colour:
                if len(chain) > len(own):
                    own, chain = chain, own
                own[0] += chain[0]
                for stone in chain[1:]:
                    chains[stone] = own
                own += chain[1:]
            elif chain[0] == 0:
                taken += chain[1:]
                for stone in chain[1:]:
                    chains[stone] = None
        for stone in taken:
            position ^= HASHES[1 - colour][stone]
            for near in NEIGHBOURS[stone]:
                if chains[near] is not None:
                    chains[near][0] += 1
        if own[0] == 0:
            return "suicide"
        ko = taken[0] if len(taken) == 1 and len(own) == 2 and own[0] == 1 else None
        if position in seen:
            return "position repeated"
        seen.add(position)
    return None
