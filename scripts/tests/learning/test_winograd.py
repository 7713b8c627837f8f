"""Tests of Winograd convolutions against PyTorch's, and of the errors where they are unavailable."""

import os
import tempfile
import unittest
from unittest import mock

import torch
import torch.nn.functional as F

import train
from learning import winograd
from learning.convolution import Convolution, joined, use_winograd
from learning.winograd import WinogradError
from tests.learning.synthetic_samples import frame, header_line

# Tolerance relative to the expected deviation. bf16 has 8 bits, of which the transforms of 4x4 tiles lose 2 to 3.
ROUNDING = 0.03
# Boards in a batch, height, width, inputs, outputs.
SHAPES = ((16, 9, 9, 96, 96), (3, 19, 19, 96, 128), (5, 13, 13, 32, 96), (1, 2, 2, 16, 16), (2, 19, 5, 16, 48), (3, 6, 7, 80, 112),
          (1, 3, 17, 64, 176))


def available():
    """Returns true if this machine can run them."""
    return winograd.NEEDED in winograd._processor_flags()


def distance(found, right):
    """Returns the root mean square error, relative to the deviation of the expected result."""
    return ((found - right).square().mean().sqrt() / right.std()).item()


@unittest.skipUnless(available(), f"the processor lacks {winograd.NEEDED}")
class WinogradTest(unittest.TestCase):
    def tensors(self, n, height, width, inputs, outputs):
        torch.manual_seed(height)
        x = F.relu(torch.randn(n, inputs, height, width)).to(memory_format=torch.channels_last).requires_grad_()
        return x, (torch.randn(outputs, inputs, 3, 3) / 30.0).requires_grad_()

    def test_results_and_gradients_match_pytorch(self):
        winograd.load()
        for shape in SHAPES:
            with self.subTest(shape=shape):
                x, w = self.tensors(*shape)
                right = F.conv2d(x, w, padding=1)
                slope = torch.randn_like(right)
                found = winograd.convolution(x, w)
                self.assertTrue(found.is_contiguous(memory_format=torch.channels_last))
                rights = [right, *torch.autograd.grad(right, (x, w), slope)]
                founds = [found, *torch.autograd.grad(found, (x, w), slope)]
                for one, other in zip(founds, rights):
                    self.assertEqual(one.shape, other.shape)
                    self.assertLess(distance(one, other), ROUNDING)

    def test_numbers_exact_in_bf16_stay_exact(self):
        # One point of one channel, through a weight of 144 at its centre: the transforms divide by no larger number.
        winograd.load()
        for side in (9, 19):
            x = torch.zeros(1, 16, side, side)
            x[0, 3, side - 1, 4] = 2.0
            w = torch.zeros(16, 16, 3, 3)
            w[5, 3, 1, 1] = 144.0
            torch.testing.assert_close(winograd.convolution(x, w), F.conv2d(x, w, padding=1), rtol=0.0, atol=1e-4)

    def test_results_are_independent_of_batch_and_threads(self):
        winograd.load()
        x, w = self.tensors(7, 19, 19, 32, 32)
        whole = winograd.convolution(x, w)
        self.addCleanup(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(3)
        self.assertTrue(torch.equal(winograd.convolution(x, w), whole))
        self.assertTrue(torch.equal(winograd.convolution(x[4:6], w), whole[4:6]))

    def test_supported_layers_use_winograd(self):
        layers = torch.nn.ModuleList([Convolution(16, 32, 3), Convolution(16, 16, 3), Convolution(16, 5, 3), Convolution(16, 16, 1)])
        x, _ = self.tensors(2, 7, 7, 16, 16)
        plain = [*joined(x, *layers[:2]), layers[2](x), layers[3](x)]
        use_winograd(layers)
        with mock.patch.object(winograd, "convolution", wraps=winograd.convolution) as called:
            others = [*joined(x, *layers[:2]), layers[2](x), layers[3](x)]
        self.assertEqual(called.call_count, 1)
        for one, other in zip(others, plain):
            self.assertLess(distance(one, other), ROUNDING)

    def test_trained_net_does_not_need_winograd(self):
        with tempfile.TemporaryDirectory() as folder:
            samples = os.path.join(folder, "train.samples")
            with open(samples, "wb") as file:
                file.write(header_line(16) + frame(16, 1, (9, 7)))
            arguments = ["--run", os.path.join(folder, "run"), "--samples", samples, "--compile", "off", "--trunk", "winograd",
                         "--blocks", "2", "--channels", "16", "--warmup", "5", "--log-steps", "10", "--steps", "80"]
            with mock.patch.object(winograd, "convolution", wraps=winograd.convolution) as called:
                train.run(train.parse_options(arguments + ["--valid", samples]))
            # Two blocks with two convolutions each. Convolutions that read the planes may not be supported.
            self.assertGreaterEqual(called.call_count, 80 * 4)
            with open(os.path.join(folder, "run", "log.csv"), encoding="utf-8") as file:
                names, *rows = (line.strip().split(",") for line in file)
            policy = names.index("policy")
            self.assertLess(float(rows[-2][policy]), 0.35 * float(rows[0][policy]))
            self.assertEqual(float(rows[-1][names.index("accuracy")]), 1.0)


class AbsentTest(unittest.TestCase):
    def setUp(self):
        winograd.load.cache_clear()
        self.addCleanup(winograd.load.cache_clear)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.environment = {"XDG_CACHE_HOME": folder.name}

    def refused(self, flags, **environment):
        with mock.patch.object(winograd, "_processor_flags", lambda: flags):
            with mock.patch.dict(os.environ, {**self.environment, **environment}):
                with self.assertRaises(WinogradError) as error:
                    winograd.load()
        return str(error.exception)

    def test_missing_requirements_are_one_line_errors(self):
        self.assertIn("avx512_bf16", self.refused(["avx2", "avx512f"]))
        self.assertIn("/nonexistent/c++", self.refused([winograd.NEEDED], CXX="/nonexistent/c++"))
        self.assertIn("false cannot build", self.refused([winograd.NEEDED], CXX="false"))
        self.assertIn("cannot be stored", self.refused([winograd.NEEDED], XDG_CACHE_HOME="/dev/null"))
        self.assertEqual(os.listdir(os.path.join(self.environment["XDG_CACHE_HOME"], "honinbo")), [])
