"""Architecture of the nets that the trainer makes, from the command line."""

from dataclasses import asdict, replace

from learning.architecture import MAX_BLOCKS, MAX_WIDTH, parse_blocks
from learning.net_config import NetConfig, NetError

# Sizes of a new net: defaults and help texts.
SIZES = {
    "blocks": (6, "residual blocks"),
    "channels": (64, "channels of the trunk"),
    "pooling_every": (3, "every N-th residual block pools globally (with 3: the 2nd, 5th, ...); 0: none"),
    "pool_channels": (32, "channels pooled by a pooling block"),
    "policy_channels": (32, "channels of the policy head"),
    "value_channels": (32, "channels of the value head"),
    "value_hidden": (64, "hidden units of the value head"),
}
# Replaced by --arch.
RESIDUAL_SIZES = ("blocks", "pooling_every")
CLASSIC = NetConfig(23, 0, 10, ["ordinary"] * 2, 10, 10, 10, 32, False, False, False, "classic")


def option_of(name):
    """Returns the option for an attribute of the parsed command line."""
    return f"--{name.replace('_', '-')}"


def block_kinds(blocks, pooling_every):
    """Kinds of `blocks` residual blocks."""
    return ["pooling" if pooling_every and i % pooling_every == pooling_every // 2 else "ordinary" for i in range(blocks)]


def arch_texts(arch):
    """Returns the canonical text of each block of `--arch`. Raises ArchitectureError."""
    return [str(block) for block in parse_blocks(arch)]


def config_of(options, header):
    """Returns the configuration of a new net. Raises NetError."""
    planes, globals_ = len(header.planes), len(header.globals)
    if options.preset == "classic":
        if (planes, globals_) != (23, 0):
            raise NetError(f"the classic preset has 23 planes and 0 globals, the samples {planes} and {globals_}")
        check_sizes(options, CLASSIC, "the classic preset")
        return replace(CLASSIC, name=options.name or CLASSIC.name, auxiliary=options.auxiliary)
    sizes = {name: default if getattr(options, name) is None else getattr(options, name)
             for name, (default, _) in SIZES.items()}
    for name, size in sizes.items():
        limit = MAX_BLOCKS if name == "blocks" else MAX_WIDTH
        if size > limit:
            raise NetError(f"{option_of(name)}: expected at most {limit}, found {size}")
    kinds = block_kinds(sizes.pop("blocks"), sizes.pop("pooling_every"))
    if options.arch:
        kinds = arch_texts(options.arch)
    return NetConfig(planes, globals_, blocks=kinds, name=options.name, activation=options.activation or "relu",
                     auxiliary=options.auxiliary, **sizes)


def check_sizes(options, config, origin):
    """Raises NetError if the command line requests other sizes than the net from which the run continues."""
    if options.preset == "classic" and replace(config, name=CLASSIC.name, auxiliary=False) != CLASSIC:
        raise NetError(f"{origin} holds a net of other sizes than the classic preset")
    found = {**asdict(config), "blocks": len(config.blocks)}
    for name in SIZES:
        wanted = getattr(options, name)
        if wanted is None or name == "pooling_every":
            continue
        if wanted != found[name]:
            raise NetError(f"{origin} holds a net of {found[name]} {name.replace('_', ' ')}, "
                           f"not {wanted} as in {option_of(name)}")
    every = options.pooling_every
    if every is not None and block_kinds(found["blocks"], every) != config.blocks:
        raise NetError(f"{origin} holds a net with other pooling blocks than --pooling-every {every}")
    if options.arch and arch_texts(options.arch) != config.blocks:
        raise NetError(f"{origin} holds a net with other blocks than --arch: {', '.join(config.blocks)}")
    if options.activation and options.activation != config.activation:
        raise NetError(f"{origin} holds a net with activation {config.activation}, not {options.activation}")
