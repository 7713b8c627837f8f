"""Tests of the packing of game records, all of them drawn here: `python3 scripts/test_pack.py`. Standard library alone."""

import hashlib
import lzma
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import board
import dataset
import pack
from board import PASS, SIDE
from dataset import Rejected

HERE = os.path.dirname(os.path.abspath(__file__))


def at(vertex):
    """The point of a GTP vertex."""
    return PASS if vertex == "pass" else (SIDE - int(vertex[1:])) * SIDE + "ABCDEFGHJKLMNOPQRST".index(vertex[0])


def play(text):
    """Moves of both colours in turn."""
    return [at(vertex) for vertex in text.split()]


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


def drawn_game(seed, length=80):
    """A sound game of random moves."""
    drawn, moves = random.Random(seed), []
    while len(moves) < length:
        move = drawn.randrange(SIDE * SIDE)
        if board.fault(moves + [move]) is None:
            moves.append(move)
    return moves


def kifu(moves):
    """Moves as the servers' files have them."""
    names = ("" if move == PASS else chr(97 + move % SIDE) + chr(97 + move // SIDE) for move in moves)
    return "".join(f";{'BW'[turn % 2]}[{name}]" for turn, name in enumerate(names))


def sgf(moves, **properties):
    """A game file."""
    root = {"SZ": 19, "KM": "7.5", "RE": "B+R", **properties}
    return "(;GM[1]" + "".join(f"{name}[{value}]" for name, value in root.items()) + kifu(moves) + ")"


def games_in(data):
    """Header fields and moves of every game in an archive, unpacked."""
    assert data[:8] == b"GOKIFU1\n"
    count, header = struct.unpack_from("<II", data, 8)
    games, start = [], 16
    for _ in range(count):
        fields = struct.unpack_from("<BbBBBBHBBBBBBH", data, start)
        games.append((fields, list(struct.unpack_from(f"<{fields[-1]}H", data, start + header))))
        start += header + 2 * fields[-1]
    assert start == len(data)
    return games


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
        # Of variations the first is the game.
        forked = text[:-1] + "(;B[aa];W[bb])(;B[cc]))"
        self.assertEqual(len(dataset.sgf_record(21, forked).moves), len(moves) + 2)
        self.assertEqual(dataset.sgf_record(21, sgf(moves, PB="two", PW="BensonDarr")).programs, (False, True))
        self.assertEqual(dataset.sgf_record(37, text).ranks, (30, 30))
        self.reasons(dataset.sgf_record, {
            (21, text[:-1]): "damaged", (21, ""): "damaged", (21, sgf(moves).replace(";W", ";W[zz]W", 1)): "damaged",
            (21, sgf(moves, HA=2)): "handicap", (21, sgf(moves, AB="dd")): "stones set up", (21, sgf(moves, SZ=13)): "board size",
            (21, sgf(moves[1:]).replace(";B[", ";W[", 1)): "alternate", (21, sgf(moves, RE="Void")): "otherwise",
        })

    def test_whatever_stands_in_a_record_is_a_record_or_a_reason(self):
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
                if not isinstance(found, str) and pack.objection(found) is None:
                    pack.encode(found)

    def test_what_objections_there_are(self):
        moves = drawn_game(4)

        def said(moves):
            return pack.objection(dataset.Record(0, "", 13, False, 1, 1, 0, (9, 9), (False, False), moves))

        self.assertIsNone(said(moves + [PASS, PASS]))
        for reason, changed in {"fewer": moves[:59], "more than": moves + [PASS] * 4_000, "occupied": moves + moves[-1:],
                                "pass in": moves[:59] + [PASS] + moves[59:]}.items():
            self.assertIn(reason, said(changed))


class PackTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source, self.out = os.path.join(folder.name, "copy"), os.path.join(folder.name, "out")
        self.index = {}
        os.mkdir(self.source)

    def file(self, name, data):
        path = os.path.join(self.source, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        return path

    def zip(self, name, member, text):
        path = self.file(name, b"")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(member, text)
        return path

    def tygem(self, month, *games):
        """A month of TYGEM: of each game the moves, and what its line has in other places than usual."""
        lines = [[str(number), f"C{month.replace('-', '.')}.{number + 1:02} 10:00", "w", "w", "2", "b", "b", "0", "B+Resign",
                  str(len(moves)), "30/3 5m"] for number, (moves, _) in enumerate(games)]
        for line, (_, changes) in zip(lines, games):
            for place, value in changes.items():
                line[place] = value
        index = self.index.setdefault(month[:4], [])
        index += ["\t".join(line) + "\n" for line in lines]
        self.zip(f"TYGEM/index/Kifu{month[:4]}.zip", f"Kifu{month[:4]}.index", "".join(index))
        return self.zip(f"TYGEM/Kifu/{month}.zip", month,
                        "".join(f"{number}\t{kifu(moves)}\n" for number, (moves, _) in enumerate(games)))

    def run_pack(self, *options, status=0, anew=True):
        if anew:
            shutil.rmtree(self.out, ignore_errors=True)
        program = [sys.executable, os.path.join(HERE, "pack.py"), "--source", self.source, "--out", self.out, "--jobs", "1"]
        result = subprocess.run([*program, *options], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def unpacked(self, name):
        with lzma.open(os.path.join(self.out, name + ".kifu.xz")) as file:
            return file.read()

    def count(self, said, reason):
        """The counts of a row of the table."""
        row = next(line for line in said.stdout.splitlines() if line.startswith(f"| {reason} |"))
        return [int(cell) for cell in row.split("|")[2:-1]]

    def test_the_bytes_of_an_archive_of_one_game(self):
        moves = play("Q16 D4 Q3 D17") + [move for move in range(100, 159)]
        self.tygem("2009-12", (moves, {5: "b(P)", 8: "W+12.5"}))
        said = self.run_pack("--valid", "0", "--shards", "1", "--months", "2009-12")
        expected = (b"GOKIFU1\n" + bytes([1, 0, 0, 0, 16, 0, 0, 0])
                    + bytes([19, 13, 0, 2, 0, 0, 25, 0, 20, 9, 0, 9, 12, 0, 63, 0])
                    + bytes([0x48, 0, 0x20, 1, 0x3f, 1, 0x29, 0]) + b"".join(bytes([move, 0]) for move in range(100, 159)))
        self.assertEqual(self.unpacked("train-00"), expected)
        self.assertEqual(os.listdir(self.out), ["train-00.kifu.xz"])
        self.assertIn(hashlib.sha256(expected).hexdigest(), said.stdout)
        with open(os.path.join(self.out, "train-00.kifu.xz"), "rb") as file:
            # A check of 64 bits; LZMA2 alone with 64 MiB of dictionary.
            self.assertEqual(file.read(17), b"\xfd7zXZ\x00\x00\x04" + b"\xe6\xd6\xb4\x46" + b"\x02\x00\x21\x01\x1c")

    def test_games_of_all_kinds_are_packed(self):
        self.tygem("2010-02", (drawn_game(1), {}), (drawn_game(2), {8: "W+Time"}), (drawn_game(3), {9: "84"}))
        self.file("Tom/Kifu.index", "5\t2004.01.02 03:04\tw\tb\t7.5\tW+2.5\t80\t30/3 5m\n")
        self.file("Tom/kifu/2004-01", f"5\t{kifu(drawn_game(4))}\n")
        self.file("AI/BensonDarr/one.SGF", sgf(drawn_game(5), PB="BensonDarr", BR="9d", WR="P6段", KM=0, DT="2018-03-04"))
        self.file("AI/Leela/kifu.index", "8\tC2017.04.01 10:00\tLeela(P)\tL\t0\tb\tb\t0\tB+Resign\t80\t30/3 5m\n")
        self.file("AI/Leela/kifu/2017-04", f"8\t{kifu(drawn_game(6))}\n")
        said = self.run_pack("--valid", "1", "--shards", "2", "--months", "2010-02")
        shards = [games_in(self.unpacked(name)) for name in ("train-00", "train-01", "valid-00")]
        self.assertEqual([len(shard) for shard in shards], [1, 2, 1])
        self.assertEqual({fields[5]: (fields, moves) for shard in shards for fields, moves in shard}, {
            0: ((19, 13, 0, 1, 1, 0, 0, 9, 9, 0, 10, 2, 0, 80), drawn_game(1)),
            1: ((19, 15, 0, 2, 0, 1, 5, 9, 9, 0, 4, 1, 0, 80), drawn_game(4)),
            21: ((19, 13, 0, 1, 1, 21, 0, 30, 20, 5, 18, 3, 0, 80), drawn_game(5)),
            46: ((19, 13, 0, 1, 1, 46, 0, 9, 30, 2, 17, 4, 0, 80), drawn_game(6)),
        })
        self.assertEqual([self.count(said, reason) for reason in ("records", "lost on time or otherwise", "kept")],
                         [[3, 1, 2], [1, 0, 0], [1, 1, 2]])
        self.assertEqual(self.count(said, "length not as in the index"), [1, 0, 0])

    def test_of_games_that_begin_alike_one_is_kept(self):
        moves = drawn_game(7)
        turned = [board.SYMMETRIES[6][move] for move in moves[:60]] + [PASS]
        self.tygem("2011-03", (turned, {8: "W+Resign"}), (moves, {}), (moves[1:] + moves[:1], {}))
        self.tygem("2010-03", (moves, {}))
        said = self.run_pack("--valid", "0", "--shards", "1", "--months", "2010-01..2011-12")
        self.assertEqual(self.count(said, "duplicate, same result"), [1])
        self.assertEqual(self.count(said, "duplicate, other result"), [1])
        kept = games_in(self.unpacked("train-00"))
        # The newest, and the one that is another.
        self.assertEqual(sorted(found for _, found in kept), sorted([moves, moves[1:] + moves[:1]]))
        self.assertEqual({fields[10] for fields, _ in kept}, {11})
        self.file("AI/master/one.sgf", sgf(moves))
        self.run_pack("--valid", "0", "--shards", "1")
        self.assertEqual(sorted(fields[5] for fields, _ in games_in(self.unpacked("train-00"))), [0, 13])

    def test_what_is_damaged_or_missing_is_named_and_passed_over(self):
        self.tygem("2010-04", (drawn_game(1), {}), (drawn_game(2), {9: "x"}), (drawn_game(3), {8: "B+Resign\tmore\tfields"}))
        torn = self.tygem("2010-05", (drawn_game(4), {}))
        os.truncate(torn, os.path.getsize(torn) - 30)
        flipped = self.tygem("2010-06", (drawn_game(5), {}))
        with open(flipped, "r+b") as file:
            file.seek(60)
            file.write(b"\x00\xff\x00\xff")
        self.index["2010"].append("9\tC2010.04.09 10:00\tcut\n")
        self.tygem("2010-07", (drawn_game(6), {0: "77"}))
        self.file("AI/HanDol/cut.sgf", sgf(drawn_game(7))[:-1])
        said = self.run_pack("--valid", "0", "--shards", "1", "--months", "2010-04..2010-08")
        self.assertEqual(len(games_in(self.unpacked("train-00"))), 1)
        self.assertEqual(self.count(said, "records"), [5, 1])
        # A length, a line of other fields, a line cut short, a game without moves; a game file without its end.
        self.assertEqual(self.count(said, "damaged record"), [4, 1])
        for name, word in {"2010-05.zip": "cannot be read", "2010-06.zip": "cannot be read", "2010-08.zip": "is missing",
                           "Tom/kifu/2011-12": "is missing", "AI/CNC/kifu": "is missing"}.items():
            self.assertEqual(sum(name in line and word in line for line in said.stderr.splitlines()), 1, name)
        self.assertNotIn("Traceback", said.stderr)

    def test_order_and_choice_depend_on_the_seed_alone(self):
        for number in range(3):
            self.tygem(f"2010-0{number + 1}", *((drawn_game(10 * number + game), {}) for game in range(4)))
        self.file("AI/Tiger/one.sgf", sgf(drawn_game(40)))
        packed = []
        for options in ([], ["--jobs", "3"], ["--seed", "1"]):
            self.run_pack("--valid", "2", "--shards", "2", *options)
            packed.append([self.unpacked(name) for name in ("train-00", "train-01", "valid-00")])
        self.assertEqual(packed[0], packed[1])
        self.assertNotEqual(packed[0], packed[2])
        games = [sorted(game for data in shards for game in games_in(data)) for shards in packed]
        self.assertEqual((len(games[0]), games[0]), (13, games[2]))
        # Of a part the program's, then the newest.
        said = self.run_pack("--valid", "0", "--shards", "1", "--games", "3")
        self.assertEqual([self.count(said, reason) for reason in ("kept", "more than asked for")], [[2, 1], [10, 0]])
        kept = games_in(self.unpacked("train-00"))
        self.assertEqual(sorted((fields[5], moves) for fields, moves in kept),
                         sorted([(20, drawn_game(40)), (0, drawn_game(23)), (0, drawn_game(22))]))

    def test_a_file_that_was_not_written_to_its_end_has_no_name(self):
        os.mkdir(self.out)
        path = os.path.join(self.out, "train-00.kifu.xz")
        pack.write(path, b"old")
        with mock.patch("os.fsync", side_effect=OSError("no space")), self.assertRaises(OSError):
            pack.write(path, b"new")
        self.assertEqual(Path(path).read_bytes(), b"old")
        self.assertEqual(os.listdir(self.out), ["train-00.kifu.xz"])

    def test_wrong_arguments_are_one_clear_line(self):
        for options, status, words in ((["--games", "0"], 2, "from 1 on"), (["--shards", "x"], 2, "whole number"),
                                       (["--months", "2010-13"], 2, "2005-11..2010-07"), (["--months", "0"], 2, "found 0"),
                                       (["--source", "no"], 1, "no is no folder"), (["--months", "2010-01"], 1, "holds 0 games")):
            self.assertIn(words, self.run_pack(*options, status=status).stderr.splitlines()[-1])
        self.assertFalse(os.path.exists(self.out))
        self.file("AI/master/one.sgf", sgf(drawn_game(1)))
        self.run_pack("--valid", "0", "--shards", "1")
        self.file("out", "a file")
        for folder, words in ((self.out, "a folder without archives"), (os.path.join(self.source, "out"), "File exists")):
            said = self.run_pack("--valid", "0", "--out", folder, status=1, anew=False)
            self.assertRegex(said.stderr.splitlines()[-1], f"^pack: .*{words}")


if __name__ == "__main__":
    unittest.main()
