"""A fast 19x19 board for checking game records, so that only games that every engine can replay are used.

A game is valid if every stone is played on an empty point, no move is a suicide or immediately retakes a ko, and no
whole-board position occurs twice, except by passes.
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
    # With 64 bits, collisions within a game are negligible: half a million games have 10^8 positions.
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
    """Returns the smallest of the eight symmetric images of a move sequence, the same for each of them."""
    return min([table[move] for move in moves] for table in SYMMETRIES)


def illegality(moves):
    """Returns why a game, with Black first, cannot be replayed, or None if it is valid.

    A chain is a list: its number of liberties, where a point that touches the chain twice counts twice (only zero
    matters), then its stones.
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
            return "ko retaken immediately"
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
