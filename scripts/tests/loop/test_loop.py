"""Tests of the learning loop. They need the engine: the program that HONINBO names, or target/release/honinbo."""

import glob
import os
import signal
import subprocess
import sys
import tempfile
import unittest

import train
from learning.net_file import load_net

SCRIPTS = os.path.dirname(train.__file__)
HONINBO = os.environ.get("HONINBO", "target/release/honinbo")
GENERATIONS, GAMES, GATE_GAMES = 2, 6, 4
SMALL = {"GENERATIONS": GENERATIONS, "GAMES": GAMES, "GATE_GAMES": GATE_GAMES, "SIZE": 5, "KOMI": 4, "STEPS": 3, "BATCH": 16,
         "BLOCKS": 1, "CHANNELS": 8, "VISITS": 8, "FAST_VISITS": 2, "GATE_VISITS": 2, "PYTHON": sys.executable}


class LoopTest(unittest.TestCase):
    def start(self, folder):
        environment = {**os.environ, **{name: str(value) for name, value in SMALL.items()},
                       "HONINBO": os.path.abspath(HONINBO), "LC_ALL": "C"}
        return subprocess.Popen([os.path.join(SCRIPTS, "loop.sh"), folder], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def test_killed_loop_can_be_resumed(self):
        with tempfile.TemporaryDirectory() as parent:
            folder = os.path.join(parent, "it's a größer loop")
            for moment in ("random weights", "generation 1: net", "generation 1: trains", "generation 2: plays"):
                with self.start(folder) as process:
                    for line in process.stderr:
                        if moment in line:
                            break
                    os.killpg(process.pid, signal.SIGKILL)
            with self.start(folder) as process:
                table, said = process.communicate()
            self.assertEqual(process.returncode, 0, said)
            rows = [row.strip("| ").split(" | ") for row in table.splitlines()[2:]]
            self.assertEqual([row[0] for row in rows], [str(number) for number in range(GENERATIONS + 1)])
            self.assertEqual([row[1] for row in rows], [str(GAMES * number) for number in range(GENERATIONS + 1)])
            for row in rows[1:]:
                self.assertEqual(sum(int(count) for count in row[4].split("-")), GATE_GAMES)
            lines = []
            for name in glob.glob(os.path.join(folder, "games", "*.sgf")):
                with open(name, encoding="utf-8") as file:
                    lines += file.readlines()
            # An unfinished game is not used.
            self.assertTrue(0 < len(lines) <= GENERATIONS * GAMES and all(line.endswith(")\n") for line in lines))
            for number in range(GENERATIONS + 1):
                load_net(os.path.join(folder, "nets", f"{number:03}.safetensors"))

    def test_engine_reads_classic_net_of_trainer(self):
        with tempfile.TemporaryDirectory() as folder:
            game, run = os.path.join(folder, "game.sgf"), os.path.join(folder, "run")
            with open(game, "w", encoding="ascii") as file:
                file.write("(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]RE[B+5];B[ee];W[cc];B[gg];W[gc];B[cg];W[eg])")
            samples = f"{os.path.abspath(HONINBO)} samples --classic --seed {{pass}} --batch 4 --grid 9 {game}"
            trainer = [sys.executable, train.__file__, "--run", run, "--preset", "classic", "--steps", "2",
                       "--compile", "off", "--samples", samples]
            subprocess.run(trainer, check=True, capture_output=True)
            told = subprocess.run([HONINBO, "net", "info", os.path.join(run, "net.safetensors")], check=True,
                                  capture_output=True, text=True).stdout
            self.assertIn("classic", told)
