"""Compares evaluations of a Leela Zero net with Leela Zero."""

import os
import re
import subprocess
import tempfile
import unittest

from tests.clients import leela_zero_net
from tests.clients.engines import honinbo


class WithLeelaZero(unittest.TestCase):
    MOVES = ["play b D4", "play w Q16", "play b D16", "play w C3", "play b pass"]

    def heatmaps(self, net, symmetries):
        """Returns Leela Zero's output: a pair of policy (per mille) and win rate for each symmetry."""
        commands = self.MOVES + [f"heatmap {symmetry}" for symmetry in symmetries] + ["quit"]
        result = subprocess.run(["leelaz", "--gtp", "--cpu-only", "--noponder", "--weights", net],
                                input="\n".join(commands) + "\n", capture_output=True, text=True, timeout=300, check=True)
        found = re.findall(r"((?:^(?: +\d+){19} *\n){19})pass: (\d+)\nwinrate: ([\d.]+)", result.stderr, re.MULTILINE)
        self.assertEqual(len(found), len(symmetries), result.stderr)
        return [([int(word) for word in (points + passes).split()], float(winrate)) for points, passes, winrate in found]

    def test_same_policy_and_win_rate(self):
        """Policy and win rate of a net agree in both programs, under all symmetries."""
        symmetries = range(8)
        with tempfile.TemporaryDirectory() as folder:
            net = os.path.join(folder, "net.txt")
            leela_zero_net.write(net)
            expected = self.heatmaps(net, symmetries)
            with honinbo("--weights", net, "--precision", "f32") as ours:
                for move in self.MOVES:
                    ours.send(move)
                answers = [ours.send(f"kata-raw-nn {symmetry}") for symmetry in symmetries]
        for answer, (per_mille, winrate) in zip(answers, expected):
            policy, passes = re.search(r"policy\n(.*?)policyPass ([\d.]+)", answer, re.DOTALL).groups()
            priors = [0.0 if word == "NAN" else float(word) for word in (policy + passes).split()]
            self.assertGreater(max(priors), 0.3, "the policy is too flat to compare")
            for prior, told in zip(priors, per_mille):
                # Leela Zero truncates its per mille values to integers.
                self.assertAlmostEqual(prior, told / 1000, delta=0.00105)
            # White is to move.
            self.assertAlmostEqual(float(re.search(r"whiteWin ([\d.]+)", answer)[1]), winrate, delta=2e-6)
