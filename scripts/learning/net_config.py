"""Sizes of a network: the JSON text in net files and checkpoints."""

import json
from dataclasses import asdict, dataclass, field

from learning.architecture import MAX_WIDTH, ArchitectureError, check_blocks, parse_blocks

# Minimum of each size; the maximum is MAX_WIDTH.
MIN_SIZES = {"planes": 1, "globals": 0, "channels": 1, "pool_channels": 1, "policy_channels": 1, "value_channels": 1,
             "value_hidden": 1}
ACTIVATIONS = ("relu", "mish", "silu")
# Blocks of nets that version 1 of the net file can hold.
RESIDUAL_KINDS = ("ordinary", "pooling")
# Entries absent from the JSON text while they have these values; older engines reject unknown entries.
OPTIONAL = {"activation": "relu", "auxiliary": False}


class NetError(Exception):
    """Unusable net file or configuration; the message is one line for the user."""


@dataclass
class NetConfig:
    """Sizes of a network."""

    planes: int
    globals: int
    channels: int
    # Canonical text of each block, see learning/architecture.py.
    blocks: list = field(default_factory=list)
    pool_channels: int = 32
    policy_channels: int = 32
    value_channels: int = 32
    value_hidden: int = 64
    has_pass: bool = True
    score: bool = True
    ownership: bool = True
    name: str = ""
    # After the norms and in the value head; one of ACTIVATIONS.
    activation: str = "relu"
    # True if the net has outputs that are trained but not part of net files.
    auxiliary: bool = False

    def __post_init__(self):
        try:
            parsed = [block for text in self.blocks for block in parse_blocks(text)]
            check_blocks(parsed, self.channels)
        except ArchitectureError as error:
            raise NetError(f"blocks: {error}") from error
        self.blocks = [str(block) for block in parsed]
        if self.activation not in ACTIVATIONS:
            raise NetError(f"activation: expected {', '.join(ACTIVATIONS)}, found {self.activation!r}")
        if not self.name:
            self.name = f"b{len(self.blocks)}c{self.channels}"

    @property
    def file_version(self):
        """Version of the net file that can hold the network: 1 for residual blocks with relu, otherwise 2."""
        return 1 if self.activation == "relu" and set(self.blocks) <= set(RESIDUAL_KINDS) else 2

    def parsed_blocks(self):
        """The blocks as objects of learning/architecture.py."""
        return [block for text in self.blocks for block in parse_blocks(text)]

    def to_json(self):
        """Returns the configuration as JSON text; a net file of version 1 holds it under the metadata key `honinbo`."""
        entries = {name: value for name, value in asdict(self).items() if OPTIONAL.get(name) != value}
        entries["pass"] = entries.pop("has_pass")
        return json.dumps({"format": "honinbo-net", "version": self.file_version, **entries})

    @staticmethod
    def from_json(text, origin):
        """Parses the text of `to_json`; `origin` names the file in errors. Raises NetError."""
        try:
            entries = json.loads(text)
            if entries.pop("format", None) != "honinbo-net" or entries.pop("version", None) not in (1, 2):
                raise NetError("expected format honinbo-net version 1 or 2")
            entries["has_pass"] = entries.pop("pass")
            for name, minimum in MIN_SIZES.items():
                size = entries.get(name, minimum)
                if type(size) is not int or not minimum <= size <= MAX_WIDTH:
                    raise NetError(f"{name}: expected {minimum} to {MAX_WIDTH}, found {size!r}")
            return NetConfig(**entries)
        except NetError as error:
            raise NetError(f"{origin}: {error}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise NetError(f"{origin}: unusable net configuration ({error})") from error
