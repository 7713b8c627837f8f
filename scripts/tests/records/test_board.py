"""Tests of the board that game records are checked on, against the rules alone."""

import random
import unittest

from records import board
from records.board import PASS, SIDE
from tests.records.drawn_games import drawn_game, play


def plain_fault(moves):
    """Like `board.fault` from the rules alone, without reasons: looks at every chain by filling it."""
    stones, seen = {}, {()}

    def breathes(start):
        chain, fresh = {start}, [start]
        while fresh:
            for near in board.NEIGHBOURS[fresh.pop()]:
                if near not in stones:
                    return True, chain
                if stones[near] == stones[start] and near not in chain:
                    chain.add(near)
                    fresh.append(near)
        return False, chain

    for turn, move in enumerate(moves):
        if move == PASS:
            continue
        if move in stones:
            return True
        stones[move] = turn % 2
        for near in board.NEIGHBOURS[move]:
            if stones.get(near, turn % 2) != turn % 2 and not (found := breathes(near))[0]:
                for stone in found[1]:
                    del stones[stone]
        if not breathes(move)[0]:
            return True
        position = tuple(sorted(stones.items()))
        if position in seen:
            return True
        seen.add(position)
    return False


class BoardTest(unittest.TestCase):
    def faults(self, cases):
        for moves, reason in cases.items():
            self.assertEqual(board.fault(play(moves)), reason, moves)

    def test_stones_are_captured(self):
        self.faults({
            "A18 A19 B19": None,
            # The captured stone's point is free again, also for its own side.
            "A18 A19 B19 Q4 Q16 A19": "suicide",
            "A18 A19 B19 Q4 A19": None,
            "A18 Q4 A18": "occupied point",
            # Three stones at once, whose points are then taken.
            "A18 A19 B18 B19 C18 C19 D19 Q4 B19 Q5 A19 Q6 C19": None,
            # What captures is no suicide.
            "Q4 A18 Q5 B19 A19": "suicide",
            "A19 A18 Q5 C19 Q6 B18 B19": "suicide",
            "B18 A18 C19 B19 A17 Q4 A19": None,
        })

    def test_a_ko_is_not_retaken_at_once(self):
        ko = "D4 E4 C5 F5 D6 E6 E5 D5"
        self.faults({
            ko: None,
            ko + " E5": "ko retaken at once",
            ko + " Q16 Q4 E5": None,
            # A pass is a move elsewhere, but the position is one that was.
            ko + " pass pass E5": "position repeated",
        })

    def test_no_position_comes_twice(self):
        # White throws two stones in, Black one, and so again: no ko is retaken at once.
        game = "C18 A17 C19 Q4 B17 Q5 A18 B19 A19 B18 A18 A19"
        self.faults({game: None, game + " A18": "position repeated", game + " Q16 Q6 A18": None, "Q4 pass pass Q6": None})

    def test_it_agrees_with_the_rules_alone(self):
        # In a corner of two by three points, walled in by both colours, everything happens soon.
        corner = [row * SIDE + column for row in range(2) for column in range(3)] + [PASS]
        reasons = set()
        for seed in range(300):
            drawn, moves = random.Random(seed), play("A17 D19 C17 D18 B17 pass")
            for _ in range(60):
                move = drawn.choice(corner)
                fault = board.fault(moves + [move])
                reasons.add(fault)
                if fault != "occupied point":
                    self.assertEqual(fault is not None, plain_fault(moves + [move]), moves + [move])
                if fault is None:
                    moves.append(move)
        self.assertEqual(reasons, {None, "occupied point", "suicide", "ko retaken at once", "position repeated"})

    def test_images_of_a_game_are_known_by_one(self):
        moves = drawn_game(1) + [PASS]
        images = {tuple(table[move] for move in moves) for table in board.SYMMETRIES}
        self.assertEqual((len(images), len({tuple(board.least_image(image)) for image in images})), (8, 1))
        self.assertTrue(all(board.fault(image) is None for image in images))
        self.assertNotEqual(board.least_image(moves), board.least_image(moves[1:] + moves[:1]))
