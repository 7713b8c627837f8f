"""Tests of the network: its file, its formulas, its gradients."""

import json
import math
import os
import tempfile
import unittest

import torch
import torch.nn.functional as F
from safetensors import safe_open

from learning.net_config import NetError
from learning.net_file import load_net, save_net
from learning.pooling import BoardMax
from learning.norm import Norm
from tests.learning.synthetic_nets import random_net, small_config
from tests.learning.synthetic_samples import SIDE

# The tensors are tiny; more threads would only wait for each other.
torch.set_num_threads(1)


def shapes_by_contract(config):
    """Returns names and shapes as the description of the net file lists them, for the small net."""
    c, g, p, v, h = 6, 3, 5, 4, 7
    norm = {"weight", "bias", "running_mean", "running_var"}
    shapes = {"input.conv.weight": (c, 4, 3, 3), "input.global.weight": (c, 2)}
    for i in range(2):
        for part in ("norm1", "norm2"):
            shapes |= {f"blocks.{i}.{part}.{n}": (c,) for n in norm}
        shapes |= {f"blocks.{i}.conv1.weight": (c, c, 3, 3), f"blocks.{i}.conv2.weight": (c, c, 3, 3)}
    shapes |= {"blocks.1.pool_conv.weight": (g, c, 3, 3), "blocks.1.pool_linear.weight": (c, 3 * g)}
    shapes |= {f"blocks.1.pool_norm.{n}": (g,) for n in norm} | {f"tip.norm.{n}": (c,) for n in norm}
    shapes |= {"policy.conv.weight": (p, c, 1, 1), "policy.pool_conv.weight": (p, c, 1, 1)}
    shapes |= {f"policy.{part}.{n}": (p,) for part in ("pool_norm", "norm") for n in norm}
    shapes |= {"policy.pool_linear.weight": (p, 3 * p), "policy.out.weight": (1, p, 1, 1)}
    shapes |= {"policy.pass.weight": (1, 3 * p), "value.conv.weight": (v, c, 1, 1)}
    shapes |= {f"value.norm.{n}": (v,) for n in norm}
    shapes |= {"value.hidden.weight": (h, 3 * v), "value.hidden.bias": (h,), "value.win.weight": (1, h)}
    shapes |= {"value.win.bias": (1,), "value.score.weight": (1, h), "value.score.bias": (1,)}
    return shapes | {"value.ownership.weight": (1, v, 1, 1)}


def evaluate_by_contract(t, planes, globals_):
    """Computes the formulas of the net file's description in float64, for the small net on boards that fill the
    tensor."""
    t = {name: tensor.double() for name, tensor in t.items()}
    side = planes.shape[2] - 14.0

    def norm_relu(name, x):
        given = [t[f"{name}.{part}"].view(1, -1, 1, 1) for part in ("weight", "bias", "running_mean", "running_var")]
        return ((x - given[2]) / (given[3] + 1e-5).sqrt() * given[0] + given[1]).clamp(min=0.0)

    def conv(name, x):
        weight = t[f"{name}.weight"]
        return F.conv2d(x, weight, padding=weight.shape[2] // 2)

    def pooled(x):
        mean = x.mean((2, 3))
        return torch.cat([mean, mean * side / 10, x.amax((2, 3))], 1)

    def wide(x):
        return x[:, :, None, None]

    x = conv("input.conv", planes.double()) + wide(globals_.double() @ t["input.global.weight"].T)
    for i in range(2):
        r = norm_relu(f"blocks.{i}.norm1", x)
        y = conv(f"blocks.{i}.conv1", r)
        if i == 1:
            g = norm_relu("blocks.1.pool_norm", conv("blocks.1.pool_conv", r))
            y = y + wide(pooled(g) @ t["blocks.1.pool_linear.weight"].T)
        x = x + conv(f"blocks.{i}.conv2", norm_relu(f"blocks.{i}.norm2", y))
    features = norm_relu("tip.norm", x)
    g = pooled(norm_relu("policy.pool_norm", conv("policy.pool_conv", features)))
    y = norm_relu("policy.norm", conv("policy.conv", features) + wide(g @ t["policy.pool_linear.weight"].T))
    logits = torch.cat([conv("policy.out", y).flatten(1), g @ t["policy.pass.weight"].T], 1)
    v = norm_relu("value.norm", conv("value.conv", features))
    mean = v.mean((2, 3))
    pool = torch.cat([mean, mean * side / 10, mean * (side * side / 100 - 0.1)], 1)
    hidden = (pool @ t["value.hidden.weight"].T + t["value.hidden.bias"]).clamp(min=0.0)
    value = torch.tanh(hidden @ t["value.win.weight"].T + t["value.win.bias"])[:, 0]
    score = 20 * (hidden @ t["value.score.weight"].T + t["value.score.bias"])[:, 0]
    return logits, value, score, torch.tanh(conv("value.ownership", v))[:, 0]


class NetTest(unittest.TestCase):
    def test_file_has_described_names_and_shapes(self):
        config = small_config()
        net = random_net(config)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.safetensors")
            net.tip.norm.running_var.fill_(1e6)  # exceeds the range of half floats
            save_net(path, config, net.state_dict(), {"step": 3})
            with safe_open(path, framework="pt") as file:
                found = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}
                entries = json.loads(file.metadata()["honinbo"])
            self.assertEqual(found, shapes_by_contract(config))
            self.assertEqual((entries["format"], entries["version"], entries["pass"], entries["blocks"]),
                             ("honinbo-net", 1, True, ["ordinary", "pooling"]))
            again, read = load_net(path)
            self.assertEqual(again, config)
            for name, tensor in net.state_dict().items():
                torch.testing.assert_close(read.state_dict()[name], tensor, rtol=1e-3, atol=1e-4)

    def test_outputs_match_description(self):
        net = random_net(small_config()).eval()
        planes, globals_ = torch.randn(3, 4, SIDE, SIDE), torch.randn(3, 2)
        with torch.no_grad():
            found = net(planes, globals_)
        for got, expected in zip(found, evaluate_by_contract(net.state_dict(), planes, globals_)):
            torch.testing.assert_close(got.double(), expected, rtol=1e-4, atol=1e-4)

    def test_small_board_in_larger_tensor_evaluates_the_same(self):
        net = random_net(small_config()).eval()
        small, globals_ = torch.randn(2, 4, 7, 7), torch.randn(2, 2)
        planes, mask = F.pad(small, (0, 2, 0, 2)), F.pad(torch.ones(2, 1, 7, 7), (0, 2, 0, 2))
        with torch.no_grad():
            alone, inside = net(small, globals_), net(planes, globals_, mask)
        logits = inside[0][:, :-1].reshape(2, SIDE, SIDE)[:, :7, :7].flatten(1)
        close = {"rtol": 1e-4, "atol": 1e-5}
        torch.testing.assert_close(torch.cat([logits, inside[0][:, -1:]], 1), alone[0], **close)
        torch.testing.assert_close(inside[1], alone[1], **close)
        torch.testing.assert_close(inside[2], alone[2], **close)
        torch.testing.assert_close(inside[3][:, :7, :7], alone[3], **close)

    def test_norm_and_gradient_match_batch_norm(self):
        for side in (SIDE, 6):
            torch.manual_seed(1)
            x, grad = 2 * torch.randn(5, 4, SIDE, SIDE) + 3, torch.randn(5, 4, SIDE, SIDE)
            mask = None if side == SIDE else F.pad(torch.ones(5, 1, side, side), (0, SIDE - side) * 2)
            norm = Norm(4)
            norm.weight.data.uniform_(0.5, 2.0)
            norm.bias.data.normal_()
            given = x.clone().requires_grad_()
            y = norm(given, mask)
            y.backward(grad)
            part = x[:, :, :side, :side].clone().requires_grad_()
            weight, bias = (p.detach().clone().requires_grad_() for p in (norm.weight, norm.bias))
            expected = F.relu(F.batch_norm(part, None, None, weight, bias, training=True))
            expected.backward(grad[:, :, :side, :side])
            close = {"rtol": 1e-4, "atol": 1e-4}
            torch.testing.assert_close(y[:, :, :side, :side], expected, **close)
            torch.testing.assert_close(given.grad[:, :, :side, :side], part.grad, **close)
            torch.testing.assert_close(norm.weight.grad, weight.grad, **close)
            torch.testing.assert_close(norm.bias.grad, bias.grad, **close)
            off_board = y.detach().clone()
            off_board[:, :, :side, :side] = 0.0
            self.assertEqual(int(off_board.count_nonzero()), 0)
            moved = 0.02 * part.detach().mean((0, 2, 3))
            torch.testing.assert_close(norm.running_mean, moved, **close)

    def test_norm_with_slack_uses_running_statistics(self):
        torch.manual_seed(1)
        x, grad = 2 * torch.randn(5, 4, SIDE, SIDE) + 3, torch.randn(5, 4, SIDE, SIDE)
        norm = random_net(small_config(channels=4, blocks=["ordinary"])).blocks[0].norm1
        frozen = norm(x, None) if norm.eval() else None
        norm.train().slack.copy_(torch.tensor([100.0, 100.0]))
        given = x.clone().requires_grad_()
        y = norm(given, None)
        torch.testing.assert_close(y, frozen, rtol=1e-4, atol=1e-4)
        y.backward(grad)
        # The published formula by autograd, with a constant correction and binding bounds.
        norm = random_net(small_config(channels=4, blocks=["ordinary"])).blocks[0].norm1
        norm.slack.copy_(torch.tensor([1.5, 0.5]))
        for layer, least in ((norm, 1.5), (norm, 1.0001)):
            layer.slack[0] = least
            layer.zero_grad()
            mean, var = layer.running_mean.clone(), layer.running_var.clone()
            given, other = x.clone().requires_grad_(), x.clone().requires_grad_()
            y = layer(given, None)
            y.backward(grad)
            weight, bias = (p.detach().clone().requires_grad_() for p in (layer.weight, layer.bias))
            own_mean, own_std = other.mean((0, 2, 3)), (other.var((0, 2, 3), correction=0) + 1e-5).sqrt()
            std = (var + 1e-5).sqrt()
            r = (own_std / std).detach().clamp(1 / least, least)
            d = ((own_mean - mean) / std).detach().clamp(-0.5, 0.5)
            wide = [t.view(1, -1, 1, 1) for t in (own_mean, own_std, r, d, weight, bias)]
            expected = F.relu(((other - wide[0]) / wide[1] * wide[2] + wide[3]) * wide[4] + wide[5])
            expected.backward(grad)
            close = {"rtol": 1e-3, "atol": 1e-3}
            torch.testing.assert_close(y, expected, **close)
            torch.testing.assert_close(given.grad, other.grad, **close)
            torch.testing.assert_close(layer.weight.grad, weight.grad, **close)
            torch.testing.assert_close(layer.bias.grad, bias.grad, **close)

    def test_maximum_passes_gradient_to_one_point(self):
        x = torch.tensor([[[[1.0, 5.0], [5.0, 2.0]]]], requires_grad=True)
        BoardMax.apply(x).backward(torch.tensor([[3.0]]))
        self.assertEqual(x.grad.flatten().tolist(), [0.0, 3.0, 0.0, 0.0])

    def test_unusable_nets_are_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.safetensors")
            with open(path, "wb") as file:
                file.write(b"no net")
            self.assertRaises(NetError, load_net, path)
            net = random_net(small_config())
            net.value.win.weight.data[0, 0] = math.nan
            self.assertRaises(NetError, save_net, path, net.config, net.state_dict(), {})
        self.assertRaises(NetError, small_config, blocks=["pooled"])
