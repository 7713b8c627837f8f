"""Tests of labelling with a teacher in a separate process."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.clients.engines import HONINBO
from tests.label_store import read_store

FAKE = Path(__file__).with_name("fake_teacher.py")


def label(store, *options, fake=()):
    """Runs `honinbo labels` with the fake teacher on small boards."""
    teacher = " ".join(f"'{word}'" for word in (sys.executable, FAKE, *fake))
    command = [HONINBO, "labels", "--store", store, "--teacher-command", teacher, "--sizes", "5,4x6", "--rules", "tromp-taylor",
               "--handicap", "0", "--set-ups", "0", "--quiet", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def stones_of_mover(label):
    """Counts the stones of the side to move after the moves of a game; returns None if a stone was captured."""
    moves = re.findall(r";([BW])\[(\w*)\]", label.sgf)[:label.moves]
    width = int(re.search(r"SZ\[(\d+)", label.sgf)[1])
    points = [at for _, at in moves if at]
    if len(set(points)) < len(points):
        return None
    mover = "BW"[len(moves) % 2]
    return {(ord(at[1]) - 97) * width + ord(at[0]) - 97 for color, at in moves if color == mover and at}


def largest_lead(label):
    """Returns the lead of the side to move if it owned the whole board."""
    komi = float(re.search(r"KM\[([-.\d]+)", label.sgf)[1])
    return len(label.ownership) + (-komi if label.moves % 2 == 0 else komi)


class TeacherProcessTest(unittest.TestCase):
    def test_labels_equal_process_predictions(self):
        with tempfile.TemporaryDirectory() as store:
            found = label(store, "--labels", "120", "--parallel", "8", "--batch", "16")
            self.assertEqual(found.returncode, 0, found.stderr)
            labels = read_store(store)
            self.assertGreaterEqual(len(labels), 120)
            compared = preferred = 0
            for one in labels:
                self.assertEqual((one.win, one.no_result, one.deviation, one.errors), (1.0, 0.0, 3.0, (0.25, 0.5, 2.0)))
                # If the preferred move is illegal, all others have equal probability.
                self.assertEqual(len(set(one.policy.values())), 1, one.sgf)
                preferred += list(one.policy.values()) == [1.0]
                stones = stones_of_mover(one)
                owned = {index for index, owner in enumerate(one.ownership) if owner == 1.0}
                # Early positions, before the first capture.
                if stones is not None and one.moves <= 6:
                    compared += 1
                    self.assertEqual(owned, stones, one.sgf)
                self.assertEqual(one.lead, min(len(owned), largest_lead(one)), one.sgf)
            self.assertGreater(compared, 10)
            self.assertGreater(preferred, len(labels) // 2)

    def test_labels_do_not_depend_on_batches(self):
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            label(one, "--labels", "60", "--parallel", "1", "--batch", "1")
            label(other, "--labels", "60", "--parallel", "16", "--batch", "64")
            self.assertEqual(read_store(one), read_store(other))

    def test_process_exit_is_reported_and_labels_are_saved(self):
        with tempfile.TemporaryDirectory() as store:
            found = label(store, "--labels", "1000", "--threads", "1", fake=("--fail-after", "9"))
            self.assertEqual(found.returncode, 1)
            self.assertIn("the teacher process", found.stderr)
            self.assertEqual(len(found.stderr.strip().splitlines()), 1, found.stderr)
            kept = len(read_store(store))
            self.assertGreater(kept, 0)
            found = label(store, "--labels", str(kept + 5))
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertGreaterEqual(len(read_store(store)), kept + 5)

    def test_other_programs_are_rejected(self):
        with tempfile.TemporaryDirectory() as store:
            for command in ("true", "echo hello", "/nonexistent", "'"):
                found = subprocess.run([HONINBO, "labels", "--store", store, "--teacher-command", command],
                                       capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(found.returncode, 1, command)
                self.assertIn("--teacher-command", found.stderr)


if __name__ == "__main__":
    unittest.main()
