"""Tests of the reader of game records."""

import random
import unittest

import pack
from records import dataset
from records.board import PASS
from records.dataset import Rejected
from tests.records.drawn_games import drawn_game, kifu, sgf


class RecordTest(unittest.TestCase):
    def reasons(self, parse, cases):
        for arguments, reason in cases.items():
            with self.assertRaisesRegex(Rejected, reason, msg=arguments):
                parse(*arguments)

    def test_results(self):
        for text, result in {"B+R": (1, 1, 0), "W+Resign": (2, 1, 0), "B+0.5": (1, 0, 1), "W+12.50": (2, 0, 25), "W+3": (2, 0, 6),
                             "B": (1, 3, 0), "W+": (2, 3, 0), "B+2.25": (1, 3, 0)}.items():
            self.assertEqual(dataset.parse_result(text), result, text)
        self.reasons(dataset.parse_result, {("W+T",): "lost on time", ("B+Offline",): "lost on time", ("B+0.0",): "lost on time",
                                            ("W+0.02",): "lost on time", ("W+99999",): "lost on time",
                                            ("",): "no winner", ("Draw",): "no winner", ("0",): "no winner"})

    def test_komi_ranks_and_dates(self):
        for (text, japanese), komi in {("6.5", True): (13, False), ("7.500", False): (15, False), ("375", False): (15, False),
                                       ("750", True): (15, False), ("650", True): (13, False), ("0", False): (13, True),
                                       (None, True): (13, True), (None, False): (15, True)}.items():
            self.assertEqual(dataset.parse_komi(text, japanese), komi, text)
        self.reasons(dataset.parse_komi, {("-3", True): "other komi", ("nan", True): "other komi"})
        for text, rank in {"9d": 9, "8段": 8, "9 Dan": 9, "P8段": 20, "9p": 20, "3k": 0, "": 0, "d": 0}.items():
            self.assertEqual(dataset.parse_rank(text), rank, text)
        for text, date in {"C2016.12.29 17:51": "20161229", "2017-02-03T1": "20170203", "2017": "2017", "unknown": ""}.items():
            self.assertEqual(dataset.digits(text), date)

    def test_moves(self):
        self.assertEqual(dataset.parse_moves(";B[aa];W[sa];B[as];W[ss];B[];W[tt]\r"), [0, 18, 342, 360, PASS, PASS])
        self.reasons(dataset.parse_moves, {(";W[aa]",): "alternate", (";B[aa];B[bb]",): "alternate", (";B[ta]",): "damaged",
                                           (";B[aa];W[s",): "damaged", ("",): "damaged", ("B[aa]",): "damaged"})

    def test_game_files(self):
        moves = drawn_game(2)
        text = sgf(moves, PB="one [the\\] first", PW="two", BR="9d", WR="P3", DT="2019-07-01", KM="0", RE="W+3.5")
        record = dataset.sgf_record(21, text)
        self.assertEqual((record.moves, record.komi, record.komi_assumed), (moves, 13, True))
        self.assertEqual((record.winner, record.manner, record.margin, record.ranks), (2, 0, 7, (9, 20)))
        # The first variation is the main line.
        forked = text[:-1] + "(;B[aa];W[bb])(;B[cc]))"
        self.assertEqual(len(dataset.sgf_record(21, forked).moves), len(moves) + 2)
        self.assertEqual(dataset.sgf_record(21, sgf(moves, PB="two", PW="BensonDarr")).programs, (False, True))
        self.assertEqual(dataset.sgf_record(37, text).ranks, (30, 30))
        self.reasons(dataset.sgf_record, {
            (21, text[:-1]): "damaged", (21, ""): "damaged", (21, sgf(moves).replace(";W", ";W[zz]W", 1)): "damaged",
            (21, sgf(moves, HA=2)): "handicap", (21, sgf(moves, AB="dd")): "stones set up", (21, sgf(moves, SZ=13)): "board size",
            (21, sgf(moves[1:]).replace(";B[", ";W[", 1)): "alternate", (21, sgf(moves, RE="Void")): "otherwise",
        })

    def test_damaged_records_are_read_or_rejected(self):
        drawn = random.Random(5)
        moves = kifu(drawn_game(3))
        whole = sgf(drawn_game(3), PB="one", KM="6.5")
        fields = ["7", "C2010.02.03 04:05", "w", "w", "2", "b", "b", "2", "B+R", "80", "30/3 5m"]
        for _ in range(2_000):
            text = list(whole)
            for _ in range(drawn.randrange(1, 6)):
                text[drawn.randrange(len(text))] = drawn.choice("()[];\\BWa9.+-²٣ ")
            damaged = "".join(text)
            torn = [field if drawn.random() < 0.8 else drawn.choice(["", "²", "9" * 30, "-", damaged]) for field in fields]
            for arguments in ((dataset.sgf_record, 21, damaged), (dataset.server_record, 0, torn, moves),
                              (dataset.server_record, 1, torn[:8], damaged)):
                found = dataset.attempt(*arguments)
                if not isinstance(found, str) and pack.rejection_reason(found) is None:
                    pack.encode(found)

    def test_rejection_reasons(self):
        moves = drawn_game(4)

        def said(moves):
            return pack.rejection_reason(dataset.Record(0, "", 13, False, 1, 1, 0, (9, 9), (False, False), moves))

        self.assertIsNone(said(moves + [PASS, PASS]))
        for reason, changed in {"fewer": moves[:59], "more than": moves + [PASS] * 4_000, "occupied": moves + moves[-1:],
                                "pass in": moves[:59] + [PASS] + moves[59:]}.items():
            self.assertIn(reason, said(changed))
