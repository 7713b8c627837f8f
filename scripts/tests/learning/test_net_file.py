"""Tests of net files of version 2 and of the blocks that only this version supports."""

import json
import os
import tempfile
import unittest
from dataclasses import replace

import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save_file

from learning.blocks import Attention, rotate
from learning.honinbo_net import AUXILIARY_UNITS, Net
from learning.net_config import NetError
from learning.net_file import load_net, save_net
from learning.optimizer import Optimizer, is_trunk_matrix
from tests.learning.synthetic_nets import random_net, small_config

# The tensors are tiny; more threads would only wait for each other.
torch.set_num_threads(1)

NESTED = ["nested8(ordinary,attention2,ffn5,pooling)", "pooling", "attention3/1@100", "ffn7"]
# Keys of each kind of layer in a description.
CONV, LINEAR = {"height", "width", "inputs", "outputs"}, {"inputs", "outputs", "biased"}
NORM, RMS = {"channels"}, {"channels", "epsilon", "over_board", "shifted"}


def nested_config(**changes):
    """Returns a small net with every kind of block."""
    return small_config(**{"channels": 12, "blocks": NESTED, "activation": "silu", **changes})


def expected_tensors(entry, place=()):
    """Returns names and shapes of the tensors of a description, as `src/net/spec/visitor.rs` derives them."""
    def named(**shapes):
        return {".".join((*place, name)): shape for name, shape in shapes.items()}

    if isinstance(entry, list):
        entry = {str(index): item for index, item in enumerate(entry)}
    if not isinstance(entry, dict):
        return {}
    keys = set(entry)
    if keys == CONV:
        return named(weights=[entry[key] for key in ("height", "width", "inputs", "outputs")])
    if keys == LINEAR:
        bias = {"bias": [entry["outputs"]]} if entry["biased"] else {}
        return named(weights=[entry["inputs"], entry["outputs"]], **bias)
    if keys == NORM:
        return named(scale=[entry["channels"]], shift=[entry["channels"]])
    if keys == RMS:
        return named(weight=[entry["channels"]])
    found = {}
    if entry.get("rotation") == {"learnt": {}}:
        found = named(angles=[entry["kv_heads"], entry["query"]["outputs"] // entry["heads"] // 2, 2])
    for key, part in entry.items():
        found |= expected_tensors(part, (*place, key))
    return found


class BlockTest(unittest.TestCase):
    def test_small_board_in_larger_tensor_evaluates_as_alone(self):
        for activation in ("relu", "silu"):
            net = random_net(nested_config(activation=activation)).eval()
            small, globals_ = torch.randn(2, 4, 9, 9), torch.randn(2, 2)
            planes = torch.randn(2, 4, 19, 19)
            planes[:, :, :9, :9] = small
            mask = F.pad(torch.ones(2, 1, 9, 9), (0, 10, 0, 10))
            # Planes are zero off board.
            with torch.no_grad():
                alone, inside = net(small, globals_), net(planes * mask, globals_, mask)
            logits = inside[0][:, :-1].reshape(2, 19, 19)[:, :9, :9].flatten(1)
            close = {"rtol": 1e-4, "atol": 1e-4}
            torch.testing.assert_close(torch.cat([logits, inside[0][:, -1:]], 1), alone[0], **close)
            torch.testing.assert_close(inside[1], alone[1], **close)
            torch.testing.assert_close(inside[2], alone[2], **close)
            torch.testing.assert_close(inside[3][:, :9, :9], alone[3], **close)

    def test_training_ignores_off_board_points(self):
        net = random_net(nested_config())
        planes, globals_ = torch.randn(3, 4, 7, 7), torch.randn(3, 2)
        mask = F.pad(torch.ones(3, 1, 5, 5), (0, 2, 0, 2))
        grads = []
        for outside in (0.0, 10.0):
            x = (net.input(planes * mask, globals_) + outside * (1.0 - mask)).detach().requires_grad_()
            y = x
            for block in net.blocks:
                y = block(y, mask)
            net.zero_grad()
            logits, value, *_ = net.heads(y, mask)
            (logits.sum() + value.sum()).backward()
            off_board = x.grad * (1.0 - mask)
            self.assertEqual(int(off_board.count_nonzero()), 0)
            grads.append(torch.cat([p.grad.flatten() for p in net.blocks.parameters()]))
        torch.testing.assert_close(*grads, rtol=1e-4, atol=1e-5)

    @torch.no_grad()
    def test_attention_follows_its_formula(self):
        torch.manual_seed(2)
        layer = Attention(8, 2, 1, None)
        x = torch.randn(1, 8, 2, 3)
        rows = x[0].flatten(1).T
        y = rows / (rows.square().mean(1, keepdim=True) + 1e-6).sqrt() * layer.norm.weight
        mixed = torch.zeros(6, 8)
        for head in range(2):
            query, key = y @ layer.query.weight[4 * head:4 * head + 4].T, y @ layer.key.weight.T
            value = y @ layer.value.weight.T
            for point in range(6):
                for pair in range(2):
                    angle = point % 3 * layer.angles[0, pair, 0] + point // 3 * layer.angles[0, pair, 1]
                    turn = torch.tensor([[angle.cos(), -angle.sin()], [angle.sin(), angle.cos()]])
                    for rotated in (query, key):
                        rotated[point, 2 * pair:2 * pair + 2] = turn @ rotated[point, 2 * pair:2 * pair + 2]
            mixed[:, 4 * head:4 * head + 4] = (query @ key.T / 2.0).softmax(1) @ value
        expected = rows + mixed @ layer.out.weight.T
        torch.testing.assert_close(layer(x, None)[0].flatten(1).T, expected, rtol=1e-4, atol=1e-5)

    def test_rotation_keeps_the_norm(self):
        x, angle = torch.randn(1, 2, 5, 6), torch.randn(2, 5, 3)
        torch.testing.assert_close(rotate(x, angle.cos(), angle.sin()).norm(dim=3), x.norm(dim=3))

    def test_activations_train_like_batch_norm(self):
        """With slack (1, 0) the norm is batch norm and the activation."""
        for activation, function in (("silu", F.silu), ("mish", F.mish)):
            norm = random_net(nested_config(activation=activation)).tip.norm
            x, mask = torch.randn(4, 12, 7, 7), F.pad(torch.ones(4, 1, 5, 5), (0, 2, 0, 2))
            given, part = x.clone().requires_grad_(), x[:, :, :5, :5].clone().requires_grad_()
            y = norm(given, mask)
            expected = function(F.batch_norm(part, None, None, norm.weight, norm.bias, training=True))
            torch.testing.assert_close(y[:, :, :5, :5], expected, rtol=1e-4, atol=1e-4)
            self.assertEqual(int((y * (1.0 - mask)).count_nonzero()), 0)
            grad = torch.randn_like(expected)
            y.backward(F.pad(grad, (0, 2, 0, 2), value=1.0))
            expected.backward(grad)
            torch.testing.assert_close(given.grad[:, :, :5, :5], part.grad, rtol=1e-3, atol=1e-4)

    def test_optimizer_kinds_follow_the_parameters(self):
        net = Net(nested_config())
        muon = {name.rpartition(".")[0].rpartition(".")[2] for name, p in net.named_parameters() if is_trunk_matrix(name, p)}
        self.assertEqual(muon, {"conv1", "conv2", "pool_conv", "pool_linear", "down", "up", "query", "key", "value", "out",
                                "wide", "gate"})
        optimizer = Optimizer(net, "muon", 1e-3, 1e-3, 0.1)
        undecayed = optimizer._parts[0].param_groups[1]["params"]
        self.assertTrue(any(p is net.blocks[0].blocks[1].angles for p in undecayed))


class FileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "net.safetensors")

    def test_tensors_are_those_of_the_description(self):
        for config in (nested_config(), nested_config(globals=0, has_pass=False, score=False, ownership=False)):
            save_net(self.path, config, random_net(config).state_dict(), {"step": 3})
            with safe_open(self.path, framework="pt") as file:
                found = {name: list(file.get_slice(name).get_shape()) for name in file.keys()}
                entries = json.loads(file.metadata()["honinbo"])
            self.assertEqual((entries["format"], entries["version"]), ("honinbo-net", 2))
            self.assertEqual(entries["net"]["note"], '{"step": 3}')
            self.assertEqual(found, expected_tensors(entries["net"]))

    def test_loaded_net_equals_the_saved_one(self):
        config = nested_config(name="one")
        net = random_net(config)
        # Running statistics other than the initial ones, since they affect training.
        for name, tensor in net.state_dict().items():
            if name.endswith("running_mean"):
                tensor.normal_()
        save_net(self.path, config, net.state_dict(), {})
        found, read = load_net(self.path)
        self.assertEqual(found, config)
        for name, tensor in net.state_dict().items():
            torch.testing.assert_close(read.state_dict()[name], tensor, rtol=1e-3, atol=1e-4)
        planes, globals_ = torch.randn(2, 4, 9, 9), torch.randn(2, 2)
        torch.testing.assert_close(read.eval()(planes, globals_)[1], net.eval()(planes, globals_)[1], rtol=0.05, atol=0.01)

    def test_file_lacks_auxiliary_outputs(self):
        config = nested_config(auxiliary=True)
        net = random_net(config).eval()
        save_net(self.path, config, net.state_dict(), {})
        found, read = load_net(self.path)
        self.assertEqual(found, replace(config, auxiliary=False))
        self.assertEqual(len(read.eval()(torch.zeros(1, 4, 9, 9), torch.zeros(1, 2))), 4)
        auxiliary = net(torch.zeros(2, 4, 9, 9), torch.zeros(2, 2))[4]
        self.assertEqual(auxiliary.shape, (2, len(AUXILIARY_UNITS)))
        self.assertTrue(bool((auxiliary > 0.0).all()))

    def test_foreign_and_damaged_files_are_errors(self):
        config = nested_config()
        save_net(self.path, config, random_net(config).state_dict(), {})
        with safe_open(self.path, framework="pt") as file:
            metadata = file.metadata()
            tensors = {name: file.get_tensor(name) for name in file.keys()}
        trainer = json.loads(metadata["trainer"])
        changes = {
            "another program": {"honinbo": metadata["honinbo"]},
            "3 statistics instead of": metadata | {"trainer": json.dumps(trainer | {"statistics": "AAAAAAAAAAAAAAAA"})},
            "the tensors do not fit": metadata | {"trainer": json.dumps(
                trainer | {"config": nested_config(channels=18).to_json()})},
            "expected format": metadata | {"trainer": json.dumps(trainer | {"config": "{}"})},
        }
        for message, changed in changes.items():
            save_file(tensors, self.path, changed)
            with self.subTest(message), self.assertRaisesRegex(NetError, message):
                load_net(self.path)
        del tensors["tip.norm.scale"]
        save_file(tensors, self.path, metadata)
        with self.assertRaisesRegex(NetError, "tip.norm.scale"):
            load_net(self.path)


if __name__ == "__main__":
    unittest.main()
