"""GNU Go as an opponent, as a reader of our SGF files, and as a second opinion."""

import os
import re
import subprocess
import tempfile
import unittest

from tests.clients.engines import HONINBO, gnugo, honinbo, stones


class WithGnuGo(unittest.TestCase):
    def test_match_without_errors(self):
        """Plays whole games with a referee on two sizes: no illegal moves, crashes, or disputes about legality."""
        for size, visits in ((9, 24), (13, 12)):
            result = subprocess.run(
                [HONINBO, "match", f"--visits {visits} --threads 1", "gnugo --mode gtp --level 1 --seed 1",
                 "--games", "2", "--size", str(size), "--referee", "gnugo --mode gtp --level 1 --seed 1"],
                capture_output=True, text=True, timeout=900, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            sides = re.findall(r"^[AB] +\d.*", result.stdout, re.MULTILINE)
            self.assertEqual(len(sides), 2, result.stdout)
            for side in sides:
                # Illegal moves, crashes, timeouts, broken protocol.
                self.assertEqual(side.split()[-4:], ["0"] * 4, result.stdout)

    def test_same_boards_after_a_game(self):
        """Both programs follow one game and show the same stones, with captures."""
        with honinbo("--visits", "4") as ours, gnugo() as theirs:
            for engine in (ours, theirs):
                engine.send("boardsize 9")
                engine.send("clear_board")
                engine.send("komi 7.5")
            passes = 0
            for turn in range(140):
                mover, other = (ours, theirs) if turn % 2 == 0 else (theirs, ours)
                color = "bw"[turn % 2]
                move = mover.send(f"genmove {color}").lower()
                if move == "resign":
                    break
                other.send(f"play {color} {move}")
                self.assertEqual(stones(ours.send("showboard")), stones(theirs.send("showboard")), f"move {turn}")
                passes = passes + 1 if move == "pass" else 0
                if passes == 2:
                    break

    def test_gnugo_reads_our_sgf(self):
        """Our SGF has the same stones in GNU Go, including setup, handicap and captures."""
        with tempfile.TemporaryDirectory() as folder, honinbo("--visits", "2") as ours, gnugo() as theirs:
            path = os.path.join(folder, "game.sgf")
            ours.send("boardsize 13")
            ours.send("fixed_handicap 4")
            for turn in range(60):
                ours.send(f"genmove {'wb'[turn % 2]}")
            ours.send(f"printsgf {path}")
            theirs.send(f"loadsgf {path}")
            self.assertEqual(stones(ours.send("showboard")), stones(theirs.send("showboard")))

    def test_we_read_gnugos_sgf(self):
        """GNU Go's SGF has the same stones in our engine."""
        with tempfile.TemporaryDirectory() as folder, honinbo() as ours, gnugo() as theirs:
            path = os.path.join(folder, "game.sgf")
            theirs.send("boardsize 9")
            for turn in range(40):
                theirs.send(f"genmove {'bw'[turn % 2]}")
            theirs.send(f"printsgf {path}")
            ours.send(f"loadsgf {path}")
            self.assertEqual(stones(ours.send("showboard")), stones(theirs.send("showboard")))

    def test_same_winner_of_a_finished_game(self):
        """GNU Go plays itself to the end; both programs agree on the winner."""
        with honinbo() as ours, gnugo("--never-resign", "--chinese-rules") as theirs:
            for engine in (ours, theirs):
                engine.send("boardsize 9")
                engine.send("komi 6.5")
            passes, turn = 0, 0
            while passes < 2:
                color = "bw"[turn % 2]
                move = theirs.send(f"genmove {color}").lower()
                ours.send(f"play {color} {move}")
                passes = passes + 1 if move == "pass" else 0
                turn += 1
                self.assertLess(turn, 300, "the game does not end")
            expected = theirs.send("final_score")
            self.assertEqual(ours.send("final_score")[0], expected[0], f"GNU Go counts {expected}")
