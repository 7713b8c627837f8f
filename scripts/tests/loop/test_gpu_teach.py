"""Tests of scripts/gpu-teach with tiny settings on the CPU, in a folder that contains only the packed files."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.label_store import read_store
from tests.loop import synthetic_katago

HONINBO = os.path.abspath(os.environ.get("HONINBO", "target/release/honinbo"))
PROGRAM = Path(__file__).resolve().parents[2] / "gpu-teach"
# Small boards and few labels: both labelling processes stop at the same entry.
LABEL = "--sizes 5,6x4 --every 4 --labels {labels}"
TRAIN = "--steps 3 --channels 8 --batch 16 --arch ordinary --compile off --threads 1 --auxiliary"


class GpuTeachTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.teacher = self.folder / "teacher.bin.gz"
        # A random network of the newest kinds of blocks.
        synthetic_katago.nesting(self.teacher, 7)
        pack = [sys.executable, PROGRAM, "pack", self.folder / "packed", "--teacher", self.teacher, "--honinbo", HONINBO]
        subprocess.run(pack, check=True, capture_output=True)
        # In another place, where no other file of the project can be found.
        self.packed = self.folder / "machine"
        shutil.move(self.folder / "packed", self.packed)

    def run_packed(self, *options):
        out = self.folder / "out"
        command = [sys.executable, self.packed / "gpu-teach", "run", "--out", out, "--seed", "5", "--minutes", "3", *options]
        environment = {name: value for name, value in os.environ.items() if name not in ("HONINBO", "PYTHONPATH")}
        found = subprocess.run(command, cwd=self.packed, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(found.returncode, 0, found.stderr)
        return out

    def test_labels_equal_those_of_the_engine(self):
        options = LABEL.format(labels=80)
        out = self.run_packed("--label", options, "--serve", "--precision bf16 --device cpu --threads 1")
        store = self.folder / "store"
        command = [HONINBO, "labels", "--store", store, "--teacher", self.teacher, "--precision", "f32", "--seed", "5", "--quiet",
                   *options.split()]
        subprocess.run(command, check=True, capture_output=True)
        ours, theirs = read_store(store), read_store(out)
        self.assertEqual([(label.origin, label.sgf, label.moves) for label in ours],
                         [(label.origin, label.sgf, label.moves) for label in theirs])
        for one, other in zip(ours, theirs):
            self.assertAlmostEqual(one.win, other.win, delta=0.02)
            self.assertAlmostEqual(one.lead, other.lead, delta=0.3 + 0.02 * abs(one.lead))
            for index, probability in one.policy.items():
                self.assertAlmostEqual(probability, other.policy.get(index, 0.0), delta=0.03)
            for owner, same in zip(one.ownership, other.ownership):
                self.assertAlmostEqual(owner, same, delta=0.14)

    def test_student_learns_during_labelling(self):
        out = self.run_packed("--label", LABEL.format(labels=10_000_000), "--first", "60", "--train", TRAIN,
                              "--serve", "--precision f32 --device cpu --threads 1")
        described = subprocess.run([HONINBO, "net", "info", out / "net.safetensors"], capture_output=True, text=True, check=False)
        self.assertEqual(described.returncode, 0, described.stderr)
        self.assertGreaterEqual(len(read_store(out)), 60)
        store = self.folder / "store"
        for _ in range(2):
            merge = [HONINBO, "labels", "--store", store, "--import", out / "labels-1.xz"]
            subprocess.run(merge, check=True, capture_output=True)
            self.assertEqual(len(read_store(store)), len(read_store(out)))

    def test_nonempty_folder_is_not_changed(self):
        pack = [sys.executable, PROGRAM, "pack", self.packed, "--teacher", self.teacher, "--honinbo", HONINBO]
        found = subprocess.run(pack, capture_output=True, text=True, check=False)
        self.assertEqual(found.returncode, 1)
        self.assertIn("not empty", found.stderr)


if __name__ == "__main__":
    unittest.main()
