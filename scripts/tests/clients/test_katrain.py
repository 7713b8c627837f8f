"""Test with KaTrain's own core: all of its AI players choose a move with the engine."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

from tests.clients.engines import HONINBO

PACKAGES = ("katrain==1.20.0", "pysgf==1.0.0", "chardet==5.2.0")
# These players need a network that imitates human players.
HUMAN_LIKE = {"ai:human", "ai:pro"}


class WithKaTrain(unittest.TestCase):
    def players(self):
        """Returns the result of each player."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target",
                            folder, *PACKAGES], check=True, timeout=600, env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"})
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "katrain_players.py")
            command = f"exec {shlex.quote(os.path.abspath(HONINBO))} analysis --threads 1 --seed 0"
            result = subprocess.run([sys.executable, script, command], env={**os.environ, "PYTHONPATH": folder},
                                    capture_output=True, text=True, timeout=300, check=False)
        # The core prints the exceptions that it catches.
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_all_players_move(self):
        """The players that need a human-like network fall back to the policy, as with KataGo without such a network."""
        players = self.players()
        self.assertEqual(len(players), 16)
        self.assertLess(HUMAN_LIKE, set(players))
        for name, player in players.items():
            with self.subTest(name):
                self.assertRegex(player["move"], re.compile(r"\A[A-HJ-T]1?\d\Z"))
                errors = player["errors"]
                if name in HUMAN_LIKE:
                    self.assertEqual(len(errors), 1, errors)
                    self.assertIn("humanSLProfile", errors[0])
                else:
                    self.assertEqual(errors, [])
        # Before KaTrain received an error, it repeated the queries of these players endlessly.
        queries = [player["queries"] for player in players.values()]
        self.assertLess(max(after - before for before, after in zip(queries, queries[1:])), 20)
