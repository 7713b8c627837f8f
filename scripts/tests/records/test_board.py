"""Tests of the record checking board, compared with a direct implementation of the rules."""

import random
import unittest

from records import board
from records.board import PASS, SIDE
from tests.records.drawn_games import drawn_game, play


def plain_fault(moves):
    """Like `board.fault`, but without reasons: implements the rules directly, by flood filling every chain."""
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
            self.assertEqual(board.illegality(play(moves)), reason, moves)

    def test_stones_are_captured(self):
        self.faults({
            "A18 A19 B19": None,
            # The point of a captured stone is empty again, also for its owner.
            "A18 A19 B19 Q4 Q16 A19": "suicide",
            "A18 A19 B19 Q4 A19": None,
            "A18 Q4 A18": "occupied point",
            # Three stones are captured together, and their points are played again.
            "A18 A19 B18 B19 C18 C19 D19 Q4 B19 Q5 A19 Q6 C19": None,
            # A capturing move is not a suicide.
            "Q4 A18 Q5 B19 A19": "suicide",
            "A19 A18 Q5 C19 Q6 B18 B19": "suicide",
            "B18 A18 C19 B19 A17 Q4 A19": None,
        })

    def test_ko_is_not_retaken_immediately(self):
        ko = "D4 E4 C5 F5 D6 E6 E5 D5"
        self.faults({
            ko: None,
            ko + " E5": "ko retaken immediately",
            ko + " Q16 Q4 E5": None,
            # After passes the ko may be retaken, but the position has occurred before.
            ko + " pass pass E5": "position repeated",
        })

    def test_positions_must_not_repeat(self):
        # White throws in two stones, Black one, repeatedly: no ko is retaken immediately.
        game = "C18 A17 C19 Q4 B17 Q5 A18 B19 A19 B18 A18 A19"
        self.faults({game: None, game + " A18": "position repeated", game + " Q16 Q6 A18": None, "Q4 pass pass Q6": None})

    def test_agrees_with_direct_rules(self):
        # In a walled corner of two by three points, all cases occur soon.
        corner = [row * SIDE + column for row in range(2) for column in range(3)] + [PASS]
        reasons = set()
        for seed in range(300):
            drawn, moves = random.Random(seed), play("A17 D19 C17 D18 B17 pass")
            for _ in range(60):
                move = drawn.choice(corner)
                fault = board.illegality(moves + [move])
                reasons.add(fault)
                if fault != "occupied point":
                    self.assertEqual(fault is not None, plain_fault(moves + [move]), moves + [move])
                if fault is None:
                    moves.append(move)
        self.assertEqual(reasons, {None, "occupied point", "suicide", "ko retaken immediately", "position repeated"})

    def test_symmetric_games_have_one_canonical_image(self):
        moves = drawn_game(1) + [PASS]
        images = {tuple(table[move] for move in moves) for table in board.SYMMETRIES}
        self.assertEqual((len(images), len({tuple(board.least_image(image)) for image in images})), (8, 1))
        self.assertTrue(all(board.illegality(image) is None for image in images))
        self.assertNotEqual(board.least_image(moves), board.least_image(moves[1:] + moves[:1]))
