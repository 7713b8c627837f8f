"""Tests of sample streams."""

import json
import tempfile
import unittest

from learning.samples import Mixture, SampleError, SampleStream, take_samples
from tests.learning.synthetic_samples import PLANES, frame, header_line


class StreamTest(unittest.TestCase):
    def source(self, content):
        file = tempfile.NamedTemporaryFile(suffix=".samples")
        self.addCleanup(file.close)
        file.write(content)
        file.flush()
        return file.name

    def test_frames_are_read_as_written(self):
        name = self.source(header_line(3) + frame(3, 1) + frame(2, 2, (5, 9)))
        batches = list(SampleStream(name))
        self.assertEqual([batch.n for batch in batches], [3, 2])
        self.assertIsNone(batches[0].mask)
        self.assertEqual(batches[1].mask.sum((1, 2, 3)).tolist(), [25.0, 81.0])
        self.assertEqual(batches[0].tensors["policy"].sum(1).tolist(), [1.0, 1.0, 1.0])
        self.assertEqual((batches[0].tensors["score"] / batches[0].tensors["value"]).tolist(), [7.0, 7.0, 7.0])
        self.assertEqual(set(batches[1].tensors["ownership"].unique().tolist()), {-127, 127})
        _, taken = take_samples(name, 4)
        self.assertEqual((taken.n, taken.mask.sum((1, 2, 3)).tolist()), (4, [81.0, 81.0, 81.0, 25.0]))

    def test_optional_targets_follow_the_other_arrays(self):
        names = ("score_deviation", "no_result")
        name = self.source(header_line(3, targets=names) + frame(3, 1, targets=2) + frame(2, 2, targets=2))
        header, taken = take_samples(name, 4)
        self.assertEqual(header.targets, names)
        self.assertEqual(taken.tensors["score_deviation"].tolist(), [0.0, 1.0, 2.0, 0.0])
        self.assertEqual(taken.tensors["no_result"].tolist(), [0.5, 1.5, 2.5, 0.5])
        self.assertEqual(taken.tensors["no_result_weight"].tolist(), [1.0, 0.0, 1.0, 1.0])
        with self.assertRaisesRegex(SampleError, "names of other arrays"):
            take_samples(self.source(header_line(3, targets=["score"]) + frame(3, 1, targets=1)), 1)

    def test_teacher_inputs_are_rejected(self):
        line = json.dumps({**json.loads(header_line(3)), "teacher": {}}).encode() + b"\n"
        with self.assertRaisesRegex(SampleError, "teacher inputs are not supported"):
            take_samples(self.source(line + frame(3, 1)), 1)

    def test_command_restarts_with_next_pass(self):
        name = self.source(header_line(2) + frame(2, 1))
        marks = self.source(b"")
        stream = SampleStream(f"echo {{pass}} >> {marks}; cat {name}", repeat=True, first_pass=4)
        self.addCleanup(stream.close)
        self.assertEqual([next(stream).n for _ in range(3)], [2, 2, 2])
        with open(marks, encoding="ascii") as file:
            self.assertEqual(file.read().split()[:3], ["4", "5", "6"])
        self.assertEqual(stream.pass_number, 6, "pass of the returned batch, not of queued ones")

    def test_sources_are_mixed_by_weight(self):
        large, small = self.source(header_line(4) + frame(4, 1)), self.source(header_line(2, side=7) + frame(2, 2, (7,), side=7))
        mixture = Mixture([large, f"3@{small}"], [5], seed=1)
        self.addCleanup(mixture.close)
        self.assertEqual([header.width for header in mixture.headers], [9, 7])
        sizes = [tuple(next(mixture).tensors["planes"].shape[::3]) for _ in range(400)]
        self.assertEqual(set(sizes), {(4, 9), (2, 7)})
        # 300 of 400 are expected; four standard deviations are 35.
        self.assertAlmostEqual(sizes.count((2, 7)), 300, delta=35)
        self.assertGreater(mixture.passes[0], 6)
        with self.assertRaisesRegex(SampleError, "different planes"):
            Mixture([large, self.source(header_line(4, PLANES[1:]) + frame(4, 1, planes=3))])
        with self.assertRaisesRegex(SampleError, "weight above 0"):
            Mixture([f"0@{large}"])

    def test_invalid_streams_are_errors(self):
        good = header_line(2) + frame(2, 1)
        wrong = {
            "empty": b"",
            "no samples": good[:-1],
            "not the header": b"hello\n",
            "version 1": header_line(2, version=2),
            "1 to 2 samples": header_line(2) + frame(3, 1),
            "holds no samples": header_line(2),
            "not positive": header_line(0),
            "RecursionError": b"[" * 200000 + b"\n",
            "OverflowError": header_line(2).replace(b'"batch": 2', b'"batch": 1e999'),
        }
        for words, content in wrong.items():
            with self.assertRaisesRegex(SampleError, words):
                list(SampleStream(self.source(content)))
        with self.assertRaisesRegex(SampleError, "ends inside"):
            list(SampleStream(f"head -c {len(good) - 1} {self.source(good)}"))
        with self.assertRaisesRegex(SampleError, "status 3"):
            list(SampleStream(f"cat {self.source(good)}; exit 3"))


    def test_truncated_file_is_read_up_to_last_frame(self):
        whole = header_line(3) + frame(3, 1) + frame(3, 2)
        first = len(header_line(3) + frame(3, 1))
        for end in (first, first + 1, first + 4, len(whole) - 1):
            self.assertEqual([batch.n for batch in SampleStream(self.source(whole[:end]))], [3], end)
        stream = SampleStream(self.source(whole[:-1]), repeat=True)
        self.addCleanup(stream.close)
        self.assertEqual([next(stream).n for _ in range(3)], [3, 3, 3])
