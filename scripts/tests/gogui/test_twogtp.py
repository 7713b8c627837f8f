"""Matches in gogui-twogtp, and its analysis of the results."""

import os
import re
import subprocess
import tempfile
import unittest

from tests.clients.engines import HONINBO
from tests.gogui import build

# GNU Go plays to the end, so that the games are counted.
GNUGO = "gnugo --mode gtp --level 1 --seed 1 --chinese-rules --never-resign"
GAMES = 20


def analyze(prefix):
    """Lets gogui-twogtp analyze a results file. Returns the number of games, of errors, of games without errors and
    duplicates, and the fraction of these games that the first program has won, according to the referee."""
    result = build.run("gogui-twogtp", "-analyze", prefix + ".dat", "-force")
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    with open(prefix + ".summary.dat", encoding="utf-8") as file:
        values = file.read().splitlines()[1].split("\t")
    # Four numbers of games are followed by seven values each for both programs and the referee. The first line of the
    # file names only six of the seven.
    games, errors, _, used = map(int, values[:4])
    return games, errors, used, float(values[4 + 2 * 7 + 2])


def share_of_wins(games):
    """Returns the number of games without duplicates, and the fraction of them that the first program has won."""
    used = [game for game in games if game["DUP"] == "-"]
    return len(used), sum(game["RES_R"].startswith("B") for game in used) / len(used)


class TwoGtp(unittest.TestCase):
    def match(self, size, visits):
        """Plays games against GNU Go with alternating colours. There must be no errors, and in games that are not
        resigned, the engine must agree with the referee on the winner."""
        with tempfile.TemporaryDirectory() as folder:
            prefix = os.path.join(folder, "games")
            result = build.run(
                "gogui-twogtp", "-auto", "-alternate", "-games", str(GAMES), "-size", str(size), "-komi", "7.5",
                "-black", build.engine("--rules", "chinese", "--visits", str(visits)), "-white", GNUGO,
                "-referee", GNUGO, "-sgffile", prefix, timeout=7200)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            games = build.table(prefix + ".dat")
            counted, errors, *share = analyze(prefix)
            self.assertTrue(os.path.getsize(prefix + ".html") > 0)
        self.assertEqual(len(games), GAMES)
        for number, game in enumerate(games):
            self.assertEqual((game["ERR"], game["ERR_MSG"] or ""), ("0", ""), game)
            self.assertEqual(game["ALT"], str(number % 2), game)
            self.assertRegex(game["RES_R"], r"^[BW]\+(R|Resign|\d+(\.\d+)?)$", game)
        disputed = [game for game in games if game["RES_B"][0] != game["RES_R"][0]]
        self.assertEqual(disputed, [])
        self.assertEqual((counted, errors), (GAMES, 0))
        self.assert_same_share(share, games)

    def assert_same_share(self, share, games):
        used, wins = share_of_wins(games)
        self.assertEqual(share[0], used)
        self.assertAlmostEqual(share[1], wins, places=3)

    def test_games_on_9x9(self):
        self.match(9, 32)

    def test_games_on_19x19(self):
        self.match(19, 16)

    def test_analysis_of_a_match_of_the_engine(self):
        """gogui-twogtp reads the files of `honinbo match --results` and counts the same numbers of games and wins."""
        with tempfile.TemporaryDirectory() as folder:
            prefix = os.path.join(folder, "games")
            played = subprocess.run(
                [HONINBO, "match", "--visits 32 --threads 1", GNUGO, "--games", "6", "--size", "9", "--rules", "chinese",
                 "--referee", GNUGO, "--results", prefix],
                capture_output=True, text=True, timeout=3600, check=False)
            self.assertEqual(played.returncode, 0, played.stderr)
            games = build.table(prefix + ".dat")
            counted, errors, *share = analyze(prefix)
            records = [os.path.getsize(f"{prefix}-{number}.sgf") for number in range(6)]
        self.assertTrue(all(records))
        self.assertEqual((len(games), counted, errors), (6, 6, 0))
        self.assert_same_share(share, games)
        total = re.search(r"^total +(\d+) +(\d+) +(\d+)", played.stdout, re.MULTILINE)
        self.assertEqual(int(total[1]), sum(game["RES_R"].startswith("B") for game in games), played.stdout)
