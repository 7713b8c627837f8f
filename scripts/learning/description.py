"""Networks as in version 2 of the net file: the JSON form of `NetDesc` in `src/net/spec`, and its tensors.

A tensor is named by its place in the description, such as `blocks.3.blocks.0.conv1.weights`. Weights are stored with
the inputs before the outputs. Norms are folded into a scale and a shift per channel.
"""

import torch
from torch import nn

from learning.blocks import Attention, FeedForward, Nested, Residual
from learning.convolution import Convolution
from learning.norm import NORM_EPS, RMS_EPS, Norm, RmsNorm

# Layers with another name in the description.
RENAMED = {"input.conv": "stem.conv", "input.global": "stem.global", "policy.pass": "policy.pass.out",
           "value.win": "value.result"}


def description(net, note):
    """Returns a JSON-able description of a net without auxiliary outputs; `note` is free text about its training."""
    config, act = net.config, net.config.activation
    global_layer, pass_layer = getattr(net.input, "global"), getattr(net.policy, "pass")
    policy, value = net.policy, net.value
    return {
        "name": config.name,
        "note": note,
        "inputs": {"honinbo": {"planes": config.planes, "globals": config.globals}},
        "stem": {"conv": _conv(net.input.conv), "global": _linear(global_layer), "profile": None, "norm": None},
        "blocks": [_block(block, config.activation) for block in net.blocks],
        "tip": {"kind": "affine", "norm": _norm(net.tip.norm), "act": act},
        "policy": {
            "kind": "pooled",
            "conv": _conv(policy.conv),
            "pool_conv": _conv(policy.pool_conv), "pool_norm": _norm(policy.pool_norm), "pool_act": act,
            "pool_linear": _linear(policy.pool_linear),
            "norm": _norm(policy.norm), "act": act, "out": _conv(policy.out),
            "pass": None if pass_layer is None else {"hidden": None, "out": _linear(pass_layer)},
        },
        "value": {
            "kind": "pooled",
            "conv": _conv(value.conv), "norm": _norm(value.norm), "act": act,
            "hidden": _linear(value.hidden), "hidden_act": act, "result": _linear(value.win),
            "score": _linear(value.score),
            "ownership": None if value.ownership is None else _conv(value.ownership),
        },
        "readout": "honinbo",
    }


def _conv(layer):
    height, width = layer.kernel_size
    return {"height": height, "width": width, "inputs": layer.in_channels, "outputs": layer.out_channels}


def _linear(layer):
    if layer is None:
        return None
    return {"inputs": layer.in_features, "outputs": layer.out_features, "biased": layer.bias is not None}


def _norm(layer):
    return {"channels": len(layer.weight)}


def _rms(layer):
    return {"channels": len(layer.weight), "epsilon": RMS_EPS, "over_board": False, "shifted": False}


def _block(block, act):
    match block:
        case Residual():
            return _residual(block, act)
        case Nested():
            return {"kind": "nested", "down_norm": _norm(block.down_norm), "down_act": act, "down": _conv(block.down),
                    "blocks": [_block(inner, act) for inner in block.blocks],
                    "up_norm": _norm(block.up_norm), "up_act": act, "up": _conv(block.up)}
        case Attention():
            rotation = {"learnt": {}} if block.theta is None else {"fixed": {"theta": float(block.theta)}}
            return {"kind": "attention", "norm": _rms(block.norm), "heads": block.heads, "kv_heads": block.kv_heads,
                    "query": _linear(block.query), "key": _linear(block.key), "value": _linear(block.value),
                    "out": _linear(block.out), "rotation": rotation}
        case FeedForward():
            return {"kind": "feed_forward", "norm": _rms(block.norm), "wide": _linear(block.wide),
                    "gate": _linear(block.gate), "out": _linear(block.out)}


def _residual(block, act):
    described = {"kind": "pooling" if block.pooling else "ordinary",
                 "norm1": _norm(block.norm1), "act1": act, "conv1": _conv(block.conv1),
                 "norm2": _norm(block.norm2), "act2": act, "conv2": _conv(block.conv2)}
    if block.pooling:
        described |= {"pool_conv": _conv(block.pool_conv), "pool_norm": _norm(block.pool_norm), "pool_act": act,
                      "pool_linear": _linear(block.pool_linear)}
    return described


def places(net):
    """Yields name, place and module of every module with tensors."""
    for name, module in net.named_modules():
        if isinstance(module, (Convolution, nn.Linear, Norm, RmsNorm, Attention)):
            yield name, RENAMED.get(name, name), module


def to_places(net, state):
    """Returns the tensors of a description by place, from the state dict of a net like `net`."""
    stored = {}
    for name, place, module in places(net):
        match module:
            case Convolution():
                stored[f"{place}.weights"] = state[f"{name}.weight"].permute(2, 3, 1, 0)
            case nn.Linear():
                stored[f"{place}.weights"] = state[f"{name}.weight"].T
                if module.bias is not None:
                    stored[f"{place}.bias"] = state[f"{name}.bias"]
            case Norm():
                stored[f"{place}.scale"], stored[f"{place}.shift"] = _folded(state, name)
            case RmsNorm():
                stored[f"{place}.weight"] = state[f"{name}.weight"]
            case Attention() if module.theta is None:
                stored[f"{place}.angles"] = state[f"{name}.angles"]
    return stored


def from_places(net, stored, statistics):
    """Returns the state dict of a net like `net`, from the tensors of its description and the running statistics of its
    norms.

    Raises KeyError if a tensor is missing.
    """
    state = {}
    for name, place, module in places(net):
        match module:
            case Convolution():
                state[f"{name}.weight"] = stored[f"{place}.weights"].permute(3, 2, 0, 1)
            case nn.Linear():
                state[f"{name}.weight"] = stored[f"{place}.weights"].T
                if module.bias is not None:
                    state[f"{name}.bias"] = stored[f"{place}.bias"]
            case Norm():
                state |= _unfolded(stored, place, statistics, name)
            case RmsNorm():
                state[f"{name}.weight"] = stored[f"{place}.weight"]
            case Attention() if module.theta is None:
                state[f"{name}.angles"] = stored[f"{place}.angles"]
    return state


def _folded(state, name):
    """Returns the scale and shift that replace a norm in evaluation."""
    weight, bias, mean, var = (state[f"{name}.{part}"].double() for part in ("weight", "bias", "running_mean", "running_var"))
    scale = weight * torch.rsqrt(var + NORM_EPS)
    return scale.float(), (bias - mean * scale).float()


def _unfolded(stored, place, statistics, name):
    """Returns the tensors of a norm, from its scale and shift and its running statistics."""
    scale, shift = stored[f"{place}.scale"].double(), stored[f"{place}.shift"].double()
    mean, var = statistics[f"{name}.running_mean"], statistics[f"{name}.running_var"]
    tensors = {"weight": scale * torch.sqrt(var.double() + NORM_EPS), "bias": shift + mean.double() * scale}
    unfolded = {f"{name}.{part}": tensor.float() for part, tensor in tensors.items()}
    return unfolded | {f"{name}.running_mean": mean, f"{name}.running_var": var}
