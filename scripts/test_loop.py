"""Test of the learning loop, which needs the engine: `HONINBO=target/release/honinbo python3 scripts/test_loop.py`."""

import glob
import os
import signal
import subprocess
import sys
import tempfile
import unittest

from honinbo_net import load_net

HERE = os.path.dirname(os.path.abspath(__file__))
HONINBO = os.environ.get("HONINBO")
GENERATIONS, GAMES, GATE_GAMES = 2, 6, 4
SMALL = {"GENERATIONS": GENERATIONS, "GAMES": GAMES, "GATE_GAMES": GATE_GAMES, "SIZE": 5, "KOMI": 4, "STEPS": 3, "BATCH": 16,
         "BLOCKS": 1, "CHANNELS": 8, "VISITS": 8, "FAST_VISITS": 2, "GATE_VISITS": 2, "PYTHON": sys.executable}


@unittest.skipUnless(HONINBO, "HONINBO does not name the engine")
class LoopTest(unittest.TestCase):
    def start(self, folder):
        environment = {**os.environ, **{name: str(value) for name, value in SMALL.items()},
                       "HONINBO": os.path.abspath(HONINBO), "LC_ALL": "C"}
        return subprocess.Popen([os.path.join(HERE, "loop.sh"), folder], env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def test_a_loop_which_is_killed_goes_on_to_its_end(self):
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
            # A game without an end is not kept.
            self.assertTrue(0 < len(lines) <= GENERATIONS * GAMES and all(line.endswith(")\n") for line in lines))
            for number in range(GENERATIONS + 1):
                load_net(os.path.join(folder, "nets", f"{number:03}.safetensors"))


if __name__ == "__main__":
    unittest.main()
