"""Net files: safetensors with a description in the metadata, in two versions.

Version 1 holds residual nets with relu: sizes in the metadata, and the state dict. Version 2 holds any net: a full
description (learning/description.py), and tensors named by their places. For `load_net`, version 2 files also hold the
configuration and the running statistics of the norms, which are folded in the tensors.
"""

import base64
import json
from dataclasses import replace

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from files import write_atomically
from learning.description import description, from_places, to_places
from learning.honinbo_net import Net
from learning.net_config import NetConfig, NetError

# Metadata key of the description, and of the entries for `load_net` in version 2.
DESCRIPTION, TRAINER = "honinbo", "trainer"
# Larger numbers are stored as float32. Float16 ends at 65504.
MAX_HALF = 6.0e4
STATISTICS = ("running_mean", "running_var")


def save_net(path, config, tensors, training):
    """Writes the state dict `tensors` as a net file, atomically and without auxiliary outputs.

    `training` is a JSON-able note. Raises NetError if a tensor is not finite.
    """
    config = replace(config, auxiliary=False)
    structure = net_structure(config)
    tensors = {name: tensors[name] for name in structure.state_dict()}
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor).all():
            raise NetError(f"{path}: tensor {name} is not finite, the net is not written")
    if config.file_version == 1:
        stored, metadata = tensors, {DESCRIPTION: config.to_json(), "training": json.dumps(training)}
    else:
        stored, metadata = to_places(structure, tensors), _metadata(structure, tensors, training)
    stored = {name: _stored(tensor) for name, tensor in stored.items()}
    write_atomically(path, lambda partial: save_file(stored, partial, metadata))


def net_structure(config):
    """Returns a net without memory for its tensors."""
    with torch.device("meta"):
        return Net(config)


def _stored(tensor):
    # Vectors (norms, biases) can exceed the range of float16, and angles are multiplied by coordinates; both are small.
    half = tensor.dim() in (2, 4) and tensor.abs().max() < MAX_HALF
    return tensor.detach().to("cpu", torch.float16 if half else torch.float32).contiguous()


def _metadata(structure, tensors, training):
    """Returns the metadata of a file of version 2."""
    net = description(structure, json.dumps(training))
    trainer = {"config": structure.config.to_json(), "statistics": _encode_statistics(tensors)}
    return {DESCRIPTION: json.dumps({"format": "honinbo-net", "version": 2, "net": net}), TRAINER: json.dumps(trainer)}


def _encode_statistics(tensors):
    """Returns the running statistics as base64 of float32 values, in the order of the state dict."""
    parts = [tensor.detach().cpu().numpy() for name, tensor in tensors.items() if name.endswith(STATISTICS)]
    return base64.b64encode(np.concatenate(parts).astype("<f4").tobytes()).decode("ascii")


def _decode_statistics(text, structure):
    """Returns the running statistics by name. Raises ValueError if their number is wrong."""
    values = torch.from_numpy(np.frombuffer(base64.b64decode(text, validate=True), "<f4").astype(np.float32))
    sizes = {name: len(tensor) for name, tensor in structure.state_dict().items() if name.endswith(STATISTICS)}
    if sum(sizes.values()) != len(values):
        raise ValueError(f"{len(values)} statistics instead of {sum(sizes.values())}")
    return dict(zip(sizes, values.split(list(sizes.values()))))


def load_net(path):
    """Reads a net file: its configuration and a float32 `Net` on the CPU. Raises NetError."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name).float() for name in file.keys()}
    except (OSError, SafetensorError) as error:
        raise NetError(f"{path} is not a readable net file ({error})") from error
    if DESCRIPTION not in metadata:
        raise NetError(f"{path}: expected the metadata key '{DESCRIPTION}', found none")
    if _version(metadata[DESCRIPTION]) == 2:
        config, tensors = _load_described(path, metadata, tensors)
    else:
        config = NetConfig.from_json(metadata[DESCRIPTION], path)
    net = Net(config)
    try:
        net.load_state_dict(tensors)
    except RuntimeError as error:
        raise NetError(f"{path}: {' '.join(str(error).split())}") from error
    return config, net


def _version(text):
    """Returns the version of the format, or None if it cannot be read."""
    try:
        return json.loads(text).get("version")
    except (ValueError, AttributeError):
        return None


def _load_described(path, metadata, stored):
    """Reads configuration and state dict of a file of version 2."""
    if TRAINER not in metadata:
        raise NetError(f"{path}: only nets written by train.py can be loaded; this one was written by another program")
    try:
        trainer = json.loads(metadata[TRAINER])
        config = NetConfig.from_json(trainer["config"], path)
        structure = net_structure(config)
        statistics = _decode_statistics(trainer["statistics"], structure)
        return config, from_places(structure, stored, statistics)
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise NetError(f"{path}: the tensors do not fit the description ({error!r})") from error
