"""Tests of the choice between a net and its compiled form."""

import contextlib
import io
import unittest

import torch

from learning import losses
from learning.compiling import Compiling, Runner
from learning.samples import Header
from tests.learning.synthetic_nets import random_net, small_config
from tests.learning.synthetic_samples import batch_of, header_line

torch.set_num_threads(1)


def compiling(choice, batch=8):
    """Selection for streams of two grids, the first 9x9."""
    lines = [header_line(batch), header_line(batch, side=7)]
    return Compiling(choice, [Header.parse(line, "test") for line in lines])


class CompilingTest(unittest.TestCase):
    def test_selected_batches_are_compiled(self):
        whole, short, mixed = batch_of(8, 1), batch_of(5, 1), batch_of(8, 1, (9, 7))
        self.assertIsNone(whole.mask)
        small = whole.each(lambda tensor: tensor)
        small.tensors["planes"] = small.tensors["planes"][:, :, :7, :7]
        for choice, served in (("auto", [True, False, True, True]), ("first", [True, False, False, False]), ("off", [False] * 4)):
            found = [compiling(choice).serves(batch) for batch in (whole, short, mixed, small)]
            self.assertEqual(found, served, choice)

    def test_compiled_gradients_match_plain_ones(self):
        net = random_net(small_config(channels=16, blocks=["pooling"]))
        batch = batch_of(8, 5, (9, 7))
        ran, grads = [], []

        def learn(run):
            ran.append(run)
            # In bfloat16: compiled code keeps full precision in some places where plain code rounds.
            with torch.autocast("cpu", torch.bfloat16):
                outputs = run(batch.tensors["planes"].bfloat16(), batch.tensors["globals"], batch.mask)
            losses.total(losses.losses(net.config, outputs, batch), losses.LossWeights()).backward()

        for choice in ("off", "auto"):
            net.zero_grad()
            Runner(net, compiling(choice)).run(batch, learn)
            grads.append(torch.cat([p.grad.flatten() for p in net.parameters()]))
        self.assertEqual([run is net for run in ran], [True, False])
        self.assertGreater(float(torch.cosine_similarity(*grads, dim=0)), 0.99)

    def test_compilation_failure_falls_back_to_plain_net(self):
        net = random_net(small_config())
        runner, ran, undone = Runner(net, compiling("auto")), [], []

        def work(run):
            ran.append(run is net)
            if run is not net:
                raise ValueError("no compiler\nof any kind")
            return 7

        with contextlib.redirect_stderr(io.StringIO()) as told:
            for _ in range(2):
                self.assertEqual(runner.run(batch_of(8, 1), work, lambda: undone.append(True)), 7)
        self.assertEqual((ran, undone), ([False, True, True], [True]))
        self.assertEqual(told.getvalue(), "train: torch.compile failed, continuing without it (no compiler)\n")


if __name__ == "__main__":
    unittest.main()
