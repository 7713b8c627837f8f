"""Tests of the packing of game records, run as a command."""

import hashlib
import lzma
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import pack
from records import board
from records.board import PASS
from tests.records.drawn_games import drawn_game, kifu, play, sgf


def games_in(data):
    """Returns header fields and moves of every game in an archive."""
    assert data[:8] == b"GOKIFU1\n"
    count, header = struct.unpack_from("<II", data, 8)
    games, start = [], 16
    for _ in range(count):
        fields = struct.unpack_from("<BbBBBBHBBBBBBH", data, start)
        games.append((fields, list(struct.unpack_from(f"<{fields[-1]}H", data, start + header))))
        start += header + 2 * fields[-1]
    assert start == len(data)
    return games


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
        """Writes a month of TYGEM: for each game its moves, and the index fields that differ from the usual ones."""
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
        program = [sys.executable, pack.__file__, "--source", self.source, "--out", self.out, "--jobs", "1"]
        result = subprocess.run([*program, *options], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def unpacked(self, name):
        with lzma.open(os.path.join(self.out, name + ".kifu.xz")) as file:
            return file.read()

    def count(self, said, reason):
        """Returns the counts of a row of the table."""
        row = next(line for line in said.stdout.splitlines() if line.startswith(f"| {reason} |"))
        return [int(cell) for cell in row.split("|")[2:-1]]

    def test_archive_bytes_of_one_game(self):
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
            # 64-bit check; only LZMA2, with a dictionary of 64 MiB.
            self.assertEqual(file.read(17), b"\xfd7zXZ\x00\x00\x04" + b"\xe6\xd6\xb4\x46" + b"\x02\x00\x21\x01\x1c")

    def test_all_sources_are_packed(self):
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

    def test_games_with_same_opening_are_packed_once(self):
        moves = drawn_game(7)
        turned = [board.SYMMETRIES[6][move] for move in moves[:60]] + [PASS]
        self.tygem("2011-03", (turned, {8: "W+Resign"}), (moves, {}), (moves[1:] + moves[:1], {}))
        self.tygem("2010-03", (moves, {}))
        said = self.run_pack("--valid", "0", "--shards", "1", "--months", "2010-01..2011-12")
        self.assertEqual(self.count(said, "duplicate, same result"), [1])
        self.assertEqual(self.count(said, "duplicate, other result"), [1])
        kept = games_in(self.unpacked("train-00"))
        # The newest game, and the different one.
        self.assertEqual(sorted(found for _, found in kept), sorted([moves, moves[1:] + moves[:1]]))
        self.assertEqual({fields[10] for fields, _ in kept}, {11})
        self.file("AI/master/one.sgf", sgf(moves))
        self.run_pack("--valid", "0", "--shards", "1")
        self.assertEqual(sorted(fields[5] for fields, _ in games_in(self.unpacked("train-00"))), [0, 13])

    def test_damaged_and_missing_files_are_reported_and_skipped(self):
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
        # Wrong length, wrong fields, truncated line, game without moves; unterminated game file.
        self.assertEqual(self.count(said, "damaged record"), [4, 1])
        for name, word in {"2010-05.zip": "cannot be read", "2010-06.zip": "cannot be read", "2010-08.zip": "is missing",
                           "Tom/kifu/2011-12": "is missing", "AI/CNC/kifu": "is missing"}.items():
            self.assertEqual(sum(name in line and word in line for line in said.stderr.splitlines()), 1, name)
        self.assertNotIn("Traceback", said.stderr)

    def test_order_and_selection_depend_only_on_seed(self):
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
        # Programs first, then the newest.
        said = self.run_pack("--valid", "0", "--shards", "1", "--games", "3")
        self.assertEqual([self.count(said, reason) for reason in ("kept", "more than asked for")], [[2, 1], [10, 0]])
        kept = games_in(self.unpacked("train-00"))
        self.assertEqual(sorted((fields[5], moves) for fields, moves in kept),
                         sorted([(20, drawn_game(40)), (0, drawn_game(23)), (0, drawn_game(22))]))

    def test_incomplete_file_gets_no_final_name(self):
        os.mkdir(self.out)
        path = os.path.join(self.out, "train-00.kifu.xz")
        pack.write(path, b"old")
        with mock.patch("os.fsync", side_effect=OSError("no space")), self.assertRaises(OSError):
            pack.write(path, b"new")
        self.assertEqual(Path(path).read_bytes(), b"old")
        self.assertEqual(os.listdir(self.out), ["train-00.kifu.xz"])

    def test_invalid_arguments_are_one_line_errors(self):
        for options, status, words in ((["--games", "0"], 2, "integer from 1"), (["--shards", "x"], 2, "invalid integer"),
                                       (["--months", "2010-13"], 2, "2005-11..2010-07"), (["--months", "0"], 2, "found 0"),
                                       (["--source", "no"], 1, "no is not a folder"), (["--months", "2010-01"], 1, "has 0 usable games")):
            self.assertIn(words, self.run_pack(*options, status=status).stderr.splitlines()[-1])
        self.assertFalse(os.path.exists(self.out))
        self.file("AI/master/one.sgf", sgf(drawn_game(1)))
        self.run_pack("--valid", "0", "--shards", "1")
        self.file("out", "a file")
        for folder, words in ((self.out, "already contains archives"), (os.path.join(self.source, "out"), "File exists")):
            said = self.run_pack("--valid", "0", "--out", folder, status=1, anew=False)
            self.assertRegex(said.stderr.splitlines()[-1], f"^pack: .*{words}")
