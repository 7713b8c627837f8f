"""Tests of the trainer's teacher, whose targets must equal the engine's with the same nets."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace

import torch

import train
from learning.compiling import Compiling
from learning.katago_file import TeacherError
from learning.samples import SampleError, SampleStream, take_samples
from learning.symmetry import turned
from learning.teacher import Teacher, komi_wave
from tests.loop import synthetic_katago

HONINBO = os.path.abspath(os.environ.get("HONINBO", "target/release/honinbo"))
# Two boards, area and territory scoring; the exact score of the first game is known.
GAMES = """(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]RE[B+5];B[ee];W[cc];B[gg];W[gc];B[cg];W[eg];B[ec];W[fc];B[fb];W[gb];B[dc];W[cd])
(;GM[1]FF[4]SZ[7]KM[6.5]RU[Japanese]RE[W+R];B[dd];W[dc];B[cc];W[ec];B[ed];W[cb];B[bc];W[fd];B[fe])
"""


class TeacherTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.games, self.teacher, self.adviser = (os.path.join(folder.name, name) for name in ("games.sgf", "t.gz", "a.gz"))
        with open(self.games, "w", encoding="ascii") as file:
            file.write(GAMES)

    def samples(self, *options):
        command = [HONINBO, "samples", "--seed", "4", "--batch", "64", "--grid", "9", "--per-game", "40", "--no-symmetry",
                   *options, self.games]
        return take_samples(" ".join(command), 64)

    def compare(self, choice="off"):
        shares = ["--played", "0.25", "--outcome", "0.5"]
        _, wanted = self.samples("--teacher", self.teacher, "--adviser", self.adviser, "--precision", "f32", *shares)
        header, asked = self.samples("--asking", *shares)
        compiling = Compiling(choice, [replace(header, batch=asked.n)])
        self.assertEqual(compiling.serves(asked), choice == "auto")
        taught = Teacher(self.teacher, self.adviser, header, torch.device("cpu"), compiling).teach(asked)
        self.assertEqual((taught.n, set(taught.tensors)), (wanted.n, set(wanted.tensors)))
        for name, tensor in wanted.tensors.items():
            # Ownership has a resolution of 1/127, policies are 16-bit floats.
            tolerance = 0.51 if name == "ownership" else 2e-3 if name == "score" else 6e-4
            error = (tensor.float() - taught.tensors[name].float()).abs().max()
            self.assertLess(error, tolerance, name)
        self.assertGreater(wanted.tensors["value"].abs().max(), 0.2)

    def test_targets_match_the_engine(self):
        for seed, over_board in ((1, False), (2, True)):
            synthetic_katago.convolving(self.adviser, seed)
            synthetic_katago.attending(self.teacher, seed, over_board)
            self.compare()

    def test_compiled_teachers_give_the_same_targets(self):
        synthetic_katago.convolving(self.adviser, 1)
        synthetic_katago.attending(self.teacher, 1, False)
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.compare("auto")
        self.assertNotIn("torch.compile failed", told.getvalue())

    def test_advised_moves_average_the_priors(self):
        synthetic_katago.convolving(self.adviser, 1)
        synthetic_katago.attending(self.teacher, 1, False)
        header, asked = self.samples("--asking", "--played", "0")
        compiling = Compiling("off", [header])

        def priors(*nets, **options):
            return Teacher(*nets, header, torch.device("cpu"), compiling, **options).teach(asked).tensors["policy"]

        own, advised = priors(self.teacher, None), priors(self.adviser, None)
        self.assertTrue(torch.equal(priors(self.teacher, self.adviser), own))
        product = (own * advised).sqrt()
        both = priors(self.teacher, self.adviser, advised_moves=True)
        self.assertLess((both - product / product.sum(1, keepdim=True)).abs().max(), 1e-5)
        self.assertGreater((both - own).abs().max(), 1e-2)

    def test_even_komis_remove_the_lead(self):
        synthetic_katago.convolving(self.teacher, 1)
        header, asked = self.samples("--asking", "--even", "--played", "0")
        teacher = Teacher(self.teacher, None, header, torch.device("cpu"), Compiling("off", [header]))
        torch.manual_seed(1)
        taught = teacher.teach(asked)
        komi, parity = (header.globals.index(name) for name in ("komi", "komi_parity"))
        moved = (taught.tensors["globals"] - asked.tensors["globals"])
        changed = set(moved.abs().amax(0).nonzero().flatten().tolist())
        self.assertEqual(changed | {parity}, {komi, parity})
        points = moved[:, komi] * 20.0
        self.assertLess((points - points.round()).abs().max(), 1e-4)
        # Under an unchanged komi the output is the same, up to the remaining lead.
        net = teacher._nets[0].net
        with torch.no_grad():
            prediction = net(asked.tensors["teacher_planes"].float(), asked.tensors["teacher_globals"], asked.mask)
        left = prediction.lead + points
        self.assertLess(left.abs().mean(), 6.0)
        self.assertGreater(left.std(), 1.0)

    def test_komi_wave_is_zero_where_draws_are_possible(self):
        komis = torch.tensor([7.0, 7.5, 6.5, 8.0, 6.0, -7.0])
        self.assertEqual(komi_wave(komis, torch.tensor(81.0)).tolist(), [0.0, 0.5, -0.5, 0.0, 0.0, 0.0])
        self.assertEqual(komi_wave(komis, torch.tensor(36.0)).tolist(), [0.0, -0.5, 0.5, 0.0, 0.0, 0.0])

    def test_teacher_inputs_are_transformed_with_the_board(self):
        _, asked = self.samples("--asking")
        both = turned(asked, torch.Generator().manual_seed(3)).tensors
        own, known = asked.lesson.planes.index("own"), 0
        self.assertTrue(torch.equal(both["planes"][:, known], both["teacher_planes"][:, own]))
        self.assertFalse(torch.equal(both["planes"], asked.tensors["planes"]))

    def test_run_learns_from_teacher(self):
        synthetic_katago.convolving(self.teacher, 1)
        folder = os.path.dirname(self.games)
        source = f"{HONINBO} samples --asking --seed {{pass}} --batch 16 --grid 9 {self.games}"
        run = [sys.executable, train.__file__, "--run", os.path.join(folder, "run"), "--blocks", "1", "--channels", "8",
               "--steps", "2", "--compile", "off", "--trunk", "f32", "--samples", source]
        plain = f"{HONINBO} samples --seed {{pass}} --batch 16 --grid 9 {self.games}"
        for sources in ([], ["--samples", plain]):
            done = subprocess.run([*run[:2], *sources, *run[2:], "--teacher", self.teacher], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            shutil.rmtree(os.path.join(folder, "run"))
        alone = subprocess.run(run, capture_output=True, text=True, check=False)
        self.assertEqual((alone.returncode, alone.stderr.splitlines()[-1]),
                         (1, "train: samples of --asking need a --teacher"))

    def test_unusable_teachers_are_one_line_errors(self):
        stream = SampleStream(f"{HONINBO} samples --batch 16 --grid 9 {self.games}")
        self.addCleanup(stream.close)
        synthetic_katago.convolving(self.teacher, 1)
        with self.assertRaisesRegex(SampleError, "honinbo samples --asking"):
            Teacher(self.teacher, None, stream.header, torch.device("cpu"), Compiling("off", [stream.header]))
        header, _ = self.samples("--asking")
        with open(self.teacher, "rb") as file:
            whole = file.read()
        for content, text in ((b"", "a word"), (whole[:100], "not a readable net file"),
                              (whole[:10] + b"\xff" * 90, "not a readable net file"), (b"net\n3\n", "version 8 to 17"),
                              (b"net\n8\n22\nmany\n", "a number, found 'many'")):
            with open(self.adviser, "wb") as file:
                file.write(content)
            with self.assertRaisesRegex(TeacherError, text):
                Teacher(self.adviser, None, header, torch.device("cpu"), Compiling("off", [header]))


if __name__ == "__main__":
    unittest.main()
