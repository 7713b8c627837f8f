"""Tests of splitting samples by a net's loss."""

import os
import tempfile
import unittest

import torch

import split_samples
from learning.net_file import save_net
from learning.losses import LossWeights, losses, sample_losses, total
from learning.samples import take_samples
from tests.learning.synthetic_nets import random_net, small_config
from tests.learning.synthetic_samples import batch_of, frame, header_line

WEIGHTS = LossWeights(value=4.0, ownership=0.5)


class SplitTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.net = random_net(small_config(), 3).eval()
        save_net(self.path("net"), self.net.config, self.net.state_dict(), {})
        for name, seed, n in (("one", 1, 4), ("two", 2, 3)):
            with open(self.path(name), "wb") as file:
                file.write(header_line(4) + frame(n, seed, (9, 5)))

    def path(self, name):
        return os.path.join(self.folder, name)

    def split(self, *options):
        return split_samples.main([self.path("net"), *options, "--out", self.path("out")])

    def outputs(self, batch):
        with torch.no_grad():
            return self.net(batch.tensors["planes"].float(), batch.tensors["globals"], batch.mask)

    def test_each_sample_is_in_one_file_by_loss(self):
        given = ["--share", "0.45", "--value-weight", "4", "--ownership-weight", "0.5"]
        self.assertEqual(self.split(self.path("one"), self.path("two"), *given), 0)
        lost, found = [], []
        for name in ("hard.bin", "easy.bin"):
            header, batch = take_samples(os.path.join(self.path("out"), name), 100)
            self.assertEqual(header, take_samples(self.path("one"), 1)[0])
            lost.append(sample_losses(self.net.config, self.outputs(batch), batch, WEIGHTS))
            found += [tuple(tensor[i].flatten().tolist() for tensor in batch.tensors.values()) for i in range(batch.n)]
        self.assertEqual([len(part) for part in lost], [3, 4])
        self.assertGreater(float(lost[0].min()), float(lost[1].max()))
        whole = [take_samples(self.path(name), 100)[1] for name in ("one", "two")]
        expected = [tuple(tensor[i].flatten().tolist() for tensor in batch.tensors.values())
                    for batch in whole for i in range(batch.n)]
        self.assertEqual(sorted(found, key=repr), sorted(expected, key=repr))

    def test_sample_loss_equals_trainers_loss(self):
        batch = batch_of(1, 5, (7,))
        outputs = self.outputs(batch)
        # The target is a single move, so its entropy is 0.
        expected = total(losses(self.net.config, outputs, batch), WEIGHTS)
        torch.testing.assert_close(sample_losses(self.net.config, outputs, batch, WEIGHTS)[0], expected)

    def test_target_entropy_is_not_counted(self):
        batch = batch_of(2, 5)
        outputs = self.outputs(batch)
        batch.tensors["policy"] = torch.softmax(outputs[0].float(), 1)
        alone = LossWeights(value=0.0, score=0.0, ownership=0.0)
        lost = sample_losses(self.net.config, outputs, batch, alone)
        torch.testing.assert_close(lost, torch.zeros(2), atol=1e-4, rtol=0.0)

    def test_unusable_input_is_an_error(self):
        other = self.path("other")
        with open(other, "wb") as file:
            file.write(header_line(3) + frame(3, 1))
        self.assertEqual(self.split(self.path("one"), other), 1)
        self.assertEqual(self.split(self.path("one"), "--share", "0.01"), 1)
        self.assertEqual(self.split(self.path("net")), 1)
        os.truncate(self.path("net"), 100)
        self.assertEqual(self.split(self.path("one")), 1)


if __name__ == "__main__":
    unittest.main()
