"""Tests of KataGo networks in PyTorch: blocks, masks, readout, files."""

import math
import os
import tempfile
import unittest

import numpy as np
import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save_file

from learning.katago_file import EXPORT_KEY, Layers, TeacherError
from learning.katago_net import KataNet, read_blocks, read_katago
from learning.katago_readout import Readout
from tests.loop import synthetic_katago
from tests.loop.synthetic_katago import CHANNELS, WIDTH, Writer

# The tensors are tiny; more threads would only wait for each other.
torch.set_num_threads(1)

EPSILON = 1e-4


class Reference:
    """Blocks of `synthetic_katago.nested_kinds` in NumPy, for one position [channels, height, width]; takes the numbers
    in file order."""

    def __init__(self, groups):
        self._groups = iter([group.astype(float) for group in groups])

    def norm(self, x):
        mean, variance, scale, shift = (next(self._groups).reshape(-1, 1, 1) for _ in range(4))
        return (x - mean) / np.sqrt(variance + 1e-3) * scale + shift

    def conv(self, x):
        kernel = next(self._groups)
        side, (_, height, width) = len(kernel), x.shape
        edge = side // 2
        padded = np.pad(x, ((0, 0), (edge, edge), (edge, edge)))
        y = np.zeros((kernel.shape[3], height, width))
        for row, column in np.ndindex(side, side):
            y += np.einsum("chw,cd->dhw", padded[:, row:row + height, column:column + width], kernel[row, column])
        return y

    def linear(self, x):
        return np.tensordot(next(self._groups).T, x, 1)

    def rms_norm(self, x):
        return x / np.sqrt((x * x).mean(0) + EPSILON) * next(self._groups).reshape(-1, 1, 1)

    def residual(self, x):
        y = self.conv(relu(self.norm(x)))
        return x + self.conv(relu(self.norm(y)))

    def pooling(self, x):
        r = relu(self.norm(x))
        y = self.conv(r)
        g = relu(self.norm(self.conv(r)))
        mean, side = g.mean((1, 2)), math.sqrt(x[0].size)
        pooled = np.concatenate([mean, mean * (side - 14.0) / 10.0, g.max((1, 2))])
        y = y + self.linear(pooled)[:, None, None]
        return x + self.conv(relu(self.norm(y)))

    def attention(self, x):
        """Two query heads of width 4 and one key head, with learnt angles."""
        y = self.rms_norm(x)
        query, key, value = (self.linear(y).reshape(-1, 4, x[0].size) for _ in range(3))
        out, angles = next(self._groups), next(self._groups)[0]
        rows, columns = (grid.flatten() for grid in np.indices(x.shape[1:]))
        turns = np.exp(1j * (angles[:, :1] * columns + angles[:, 1:] * rows))
        query, key = ((part[:, 0::2] + 1j * part[:, 1::2]) * turns for part in (query, key))
        mixed = []
        for head in query:
            weights = np.exp((head.T.conj() @ key[0]).real / 2.0)
            mixed.append(value[0] @ (weights / weights.sum(1, keepdims=True)).T)
        return x + np.tensordot(out.T, np.concatenate(mixed).reshape(8, *x.shape[1:]), 1)

    def feed_forward(self, x):
        y = self.rms_norm(x)
        wide, gate = self.linear(y), self.linear(y)
        return x + self.linear(wide / (1.0 + np.exp(-wide)) * gate)

    def nested(self, x, blocks):
        y = self.norm(x)
        y = self.conv(y * np.tanh(np.log1p(np.exp(y))))
        for block in blocks:
            y = block(y)
        return x + self.conv(relu(self.norm(y)))

    def nested_kinds(self, x):
        return self.nested(x, [self.attention, self.feed_forward, self.pooling,
                               lambda inner: self.nested(inner, [self.residual])])


def relu(x):
    return np.maximum(x, 0.0)


def inputs(n, side, seed=5):
    """Returns random planes and globals of full boards."""
    random = torch.Generator().manual_seed(seed)
    planes = torch.randint(0, 2, (n, 22, side, side), generator=random).float()
    planes[:, 0] = 1.0
    return planes, torch.randn(n, 19, generator=random)


def on_larger_grid(planes, side):
    """Returns the same boards in the corner of a larger grid, with arbitrary values off board, and the mask."""
    larger = torch.randn(len(planes), 22, side, side)
    larger[:, :, :planes.shape[2], :planes.shape[3]] = planes
    edge = (0, side - planes.shape[3], 0, side - planes.shape[2])
    return larger, F.pad(planes[:, :1], edge)


class KataGoTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.exported = (os.path.join(folder.name, name) for name in ("net.bin.gz", "net.safetensors"))

    def networks(self):
        """Networks of several kinds; `self.path` is the file of the one yielded last."""
        writers = {"convolving": lambda: synthetic_katago.convolving(self.path, 1),
                   "attending": lambda: synthetic_katago.attending(self.path, 2, False),
                   "attending over boards": lambda: synthetic_katago.attending(self.path, 3, True),
                   "nesting": lambda: synthetic_katago.nesting(self.path, 4)}
        for name, write in writers.items():
            write()
            yield name, read_katago(self.path)

    def assert_rounded(self, found, expected, tolerance):
        """Asserts that predictions differ, but by less than `tolerance`."""
        for name in ("policy", "value", "ownership"):
            error = (getattr(found, name) - getattr(expected, name)).abs().max()
            self.assertLess(error, tolerance, name)
            self.assertGreater(error, 0.0, name)


class BlockTest(KataGoTest):
    def read(self, writer):
        writer.file(self.path)
        layers = Layers(self.path)
        layers.version = writer.version
        return read_blocks(layers, 1, CHANNELS)[0]

    def test_nested_block_matches_reference(self):
        writer = Writer(15, 6)
        synthetic_katago.nested_kinds(writer)
        block = self.read(writer)
        x = np.random.default_rng(7).normal(size=(2, CHANNELS, 5, 7))
        found = block(torch.from_numpy(x).float().permute(0, 2, 3, 1), None).permute(0, 3, 1, 2)
        for one, expected in zip(found, x):
            expected = Reference(writer.groups).nested_kinds(expected)
            np.testing.assert_allclose(one.numpy(), expected, rtol=1e-4, atol=1e-4)
            self.assertGreater(np.abs(expected).max(), 1.0)

    def test_nesting_depth_is_limited(self):
        def write(writer, depth):
            synthetic_katago.nested(writer, 1, lambda _: write(writer, depth - 1) if depth > 1 else
                                    synthetic_katago.residual(writer, False), CHANNELS, CHANNELS)

        for depth in (4, 5):
            writer = Writer(15, 6)
            write(writer, depth)
            if depth == 4:
                self.read(writer)
            else:
                self.assertRaisesRegex(TeacherError, "at most 4 levels of nested blocks", self.read, writer)


class NetTest(KataGoTest):
    def test_board_in_larger_grid_evaluates_the_same(self):
        for name, net in self.networks():
            with self.subTest(name):
                planes, globals_ = inputs(2, 9)
                alone = net(planes, globals_)
                larger, mask = on_larger_grid(planes, 19)
                inside = net(larger, globals_, mask)
                points = inside.policy[:, :-1].unflatten(1, (19, 19))[:, :9, :9].flatten(1)
                policy = torch.cat([points, inside.policy[:, -1:]], 1)
                inside = inside._replace(policy=policy, ownership=inside.ownership[:, :9, :9])
                torch.testing.assert_close(inside, alone, rtol=1e-4, atol=1e-5, equal_nan=True)

    def test_ownership_is_zero_off_board(self):
        for name, net in self.networks():
            with self.subTest(name):
                planes, mask = on_larger_grid(inputs(1, 7)[0], 9)
                ownership = net(planes, torch.zeros(1, 19), mask).ownership
                self.assertEqual(ownership[0, 7:].abs().max() + ownership[0, :, 7:].abs().max(), 0.0)

    def test_no_result_depends_on_rules(self):
        synthetic_katago.convolving(self.path, 1)
        globals_ = torch.zeros(3, 19)
        globals_[1:, 6] = 1.0
        globals_[2, 9] = 1.0
        planes = inputs(1, 9)[0].expand(3, -1, -1, -1)
        found = read_katago(self.path)(planes, globals_)
        self.assertEqual((found.no_result > 0).tolist(), [True, False, True])
        torch.testing.assert_close(found.win + found.loss + found.no_result, torch.ones(3))
        torch.testing.assert_close(found.value, found.win - found.loss)

    def test_16_bit_trunks_are_close(self):
        for name, net in self.networks():
            with self.subTest(name):
                exact = net(*inputs(2, 9))
                for precision, tolerance in ((torch.bfloat16, 0.1), (torch.float16, 0.02)):
                    rounded = read_katago(self.path).prepared("cpu", precision)(*inputs(2, 9))
                    self.assertTrue(all(field.dtype == torch.float32 for field in rounded))
                    self.assert_rounded(rounded, exact, tolerance)

    def test_weights_beyond_the_precision_are_an_error(self):
        synthetic_katago.convolving(self.path, 1)
        net = read_katago(self.path)
        net.stem.weight[0, 0, 0, 0] = 1e5
        self.assertRaisesRegex(TeacherError, "range of torch.float16", net.prepared, "cpu", torch.float16)


class ReadoutTest(unittest.TestCase):
    UNITS = (20.0, 21.0, 22.0, 15.0, 41.0, 0.3, 150.0)
    RESULT, SCORE = (0.7, -0.4, -1.5), (0.3, 0.2, 0.25, 0.6, -0.8, 1.3)

    def predict(self, readout, has_no_result=True):
        score = torch.tensor([self.SCORE[:readout.scores]])
        found = readout.predict(torch.zeros(1, 2), torch.tensor([self.RESULT]), score, torch.zeros(1, 1, 1),
                                torch.tensor([has_no_result]))
        return {name: float(value) for name, value in found._asdict().items() if name not in ("policy", "ownership")}

    def assert_close(self, found, expected):
        self.assertEqual(set(found), set(expected))
        for name, value in expected.items():
            if math.isnan(value):
                self.assertTrue(math.isnan(found[name]), name)
            else:
                self.assertAlmostEqual(found[name], value, 4, name)

    def expected(self, units, errors, has_no_result=True):
        """The formulas of src/net/readout.rs, with the error outputs already converted."""
        weights = [math.exp(logit) for logit in self.RESULT]
        if not has_no_result:
            weights[2] = 0.0
        win, loss, no_result = (weight / sum(weights) for weight in weights)
        mean, deviation, lead = self.SCORE[0] * units[1], softplus(self.SCORE[1]) * units[2], self.SCORE[2] * units[3]
        counted = 1.0 - no_result
        score_mean, square = mean * counted, (mean * mean + deviation * deviation) * counted
        numbers = {"win": win, "loss": loss, "no_result": no_result, "lead": lead * counted, "score_mean": score_mean,
                   "score_deviation": math.sqrt(square - score_mean * score_mean)}
        return numbers | dict(zip(("variance_time", "value_error", "score_error"), errors))

    def test_version_8_has_no_errors(self):
        missing = [math.nan] * 3
        self.assert_close(self.predict(Readout(8)), self.expected((20.0,) * 7, missing))
        self.assert_close(self.predict(Readout(8), False), self.expected((20.0,) * 7, missing, False))

    def test_version_9_estimates_errors(self):
        errors = softplus(0.6) * 40.0, softplus(-0.8), softplus(1.3) * 10.0
        self.assert_close(self.predict(Readout(9)), self.expected((20.0,) * 7, errors))

    def test_versions_10_to_13_estimate_squared_errors(self):
        errors = softplus(0.6) * 40.0, math.sqrt(softplus(-0.8) * 0.25), math.sqrt(softplus(1.3) * 30.0)
        self.assert_close(self.predict(Readout(12)), self.expected((20.0,) * 7, errors))
        errors = softplus(0.6) * 41.0, math.sqrt(softplus(-0.8) * 0.3), math.sqrt(softplus(1.3) * 150.0)
        self.assert_close(self.predict(Readout(13, self.UNITS)), self.expected(self.UNITS, errors))

    def test_versions_from_14_square_the_softplus(self):
        errors = softplus(0.6) * 41.0, softplus(-0.4) * math.sqrt(0.3), softplus(0.65) * math.sqrt(150.0)
        self.assert_close(self.predict(Readout(15, self.UNITS)), self.expected(self.UNITS, errors))


def softplus(x):
    return math.log1p(math.exp(x))


class FileTest(KataGoTest):
    def export(self, source, target):
        layers = Layers(source)
        KataNet(layers)
        layers.export(target)

    def test_exported_networks_evaluate_almost_the_same(self):
        for name, net in self.networks():
            with self.subTest(name):
                self.export(self.path, self.exported)
                again = read_katago(self.exported)
                self.assertEqual((again.name, again.readout.units), (net.name, net.readout.units))
                self.assertTrue(torch.equal(again.tip.norm.shift, net.tip.norm.shift))
                found, expected = again(*inputs(2, 9)), net(*inputs(2, 9))
                self.assert_rounded(found, expected, 0.02)

    def test_export_of_an_export_is_identical(self):
        synthetic_katago.nesting(self.path, 4)
        self.export(self.path, self.exported)
        self.export(self.exported, self.path)
        with open(self.path, "rb") as first, open(self.exported, "rb") as second:
            self.assertEqual(first.read(), second.read())

    def test_weights_have_16_bits(self):
        writer = synthetic_katago.nesting(self.path, 4)
        self.export(self.path, self.exported)
        with safe_open(self.exported, framework="pt") as file:
            stored = [file.get_tensor(name) for name in sorted(file.keys())]
        self.assertEqual(len(stored), len(writer.groups))
        for found, expected in zip(stored, writer.groups):
            is_weight = expected.ndim in (2, 4)
            self.assertEqual(found.dtype, torch.float16 if is_weight else torch.float32)
            np.testing.assert_allclose(found.float().numpy(), expected, rtol=1e-3 if is_weight else 0.0, atol=1e-7)

    def test_large_weights_are_stored_as_bfloat16(self):
        writer = synthetic_katago.nesting(self.path, 4)
        self.overwrite(writer, 0, 1e5)
        self.export(self.path, self.exported)
        with safe_open(self.exported, framework="pt") as file:
            self.assertEqual(file.get_tensor("00000").dtype, torch.bfloat16)
        self.assertAlmostEqual(float(read_katago(self.exported).stem.weight[0, 0, 0, 0]), 1e5, delta=500.0)

    def overwrite(self, writer, group, value):
        """Replaces the first number of a group in the file of a writer."""
        old = writer.groups[group].tobytes()
        new = np.float32(value).tobytes() + old[4:]
        self.assertIn(old, writer._data)
        writer._data = writer._data.replace(old, new)
        writer.file(self.path)

    def test_numbers_must_be_finite(self):
        for value in (math.nan, math.inf):
            self.overwrite(synthetic_katago.nesting(self.path, 4), 7, value)
            self.assertRaisesRegex(TeacherError, "expected finite numbers", read_katago, self.path)
        synthetic_katago.nesting(self.path, 4)
        self.export(self.path, self.exported)
        self.change(lambda tensors, _: tensors["00003"].fill_(math.nan))
        self.assertRaisesRegex(TeacherError, "expected finite numbers", read_katago, self.exported)

    def change(self, edit):
        """Rewrites the export after `edit(tensors, metadata)`."""
        with safe_open(self.exported, framework="pt") as file:
            tensors, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()
        edit(tensors, metadata)
        save_file(tensors, self.exported, metadata)

    def test_damaged_exports_are_errors(self):
        synthetic_katago.nesting(self.path, 4)
        edits = [(lambda t, m: t.update({"00002": t["00002"][:-1].clone()}), "expected numbers of shape"),
                 (lambda t, m: t.update({"00002": t["00002"].int()}), "torch.int32 of shape"),
                 (lambda t, m: t.popitem(), "not a readable net file|the end of the file"),
                 (lambda t, m: t.update({"other": torch.zeros(1)}), "unexpected tensor names"),
                 (lambda t, m: m.clear(), "its format is not honinbo-teacher-net version 1"),
                 (lambda t, m: m.update({EXPORT_KEY: "[]"}), "not an object"),
                 (lambda t, m: m.update({EXPORT_KEY: m[EXPORT_KEY].replace("trunk 2", "trunk 3")}), "expected one of")]
        for edit, message in edits:
            self.export(self.path, self.exported)
            self.change(edit)
            self.assertRaisesRegex(TeacherError, message, read_katago, self.exported)

    def test_damaged_files_are_errors(self):
        writer = synthetic_katago.nesting(self.path, 4)
        whole = writer._data
        edits = [(whole[:-300], "expected .*, found the end of the file"), (whole + b"more", "found 'more'"),
                 (b"", "a word"), (b"net\n3\n", "version 8 to 17"), (b"net\n8\n22\nmany\n", "a number, found 'many'"),
                 (whole.replace(b"ordinary_block", b"other_block"), "expected one of ordinary_block"),
                 (whole.replace(b"nested_bottleneck_block\nblock\n4", b"nested_bottleneck_block\nblock\n0"), "expected 1 to 512"),
                 (whole.replace(f"block\n{WIDTH}\n12".encode(), b"block\n7\n12"), f"expected {WIDTH}, found 7"),
                 (whole.replace(b"net\n16\n22\n19\n20.0", b"net\n16\n22\n19\nnan"), "expected a finite number"),
                 (whole.replace(b"net\n16\n22\n19\n20.0", b"net\n16\n22\n19\n-1.0"), "expected units above 0")]
        for data, message in edits:
            self.assertNotEqual(data, whole)
            writer._data = data
            writer.file(self.path)
            self.assertRaisesRegex(TeacherError, message, read_katago, self.path)

    def test_damaged_compression_is_an_error(self):
        synthetic_katago.nesting(self.path, 4)
        with open(self.path, "rb") as file:
            whole = file.read()
        for content in (whole[:100], whole[:10] + b"\xff" * 90):
            with open(self.path, "wb") as file:
                file.write(content)
            self.assertRaisesRegex(TeacherError, "not a readable net file", read_katago, self.path)


if __name__ == "__main__":
    unittest.main()
