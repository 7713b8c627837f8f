"""The sizes of the nets which the trainer makes, from the command line.

Promise: a new net has the sizes that the options name, or the defaults of one table, none larger than the engine reads; a net which a run goes on with is
refused, and the reason said, where the options ask for other sizes.
"""

from dataclasses import asdict, replace

from learning.honinbo_net import MOST, NetConfig, NetError

# The sizes of a new net: their defaults and what they are.
SIZES = {
    "blocks": (6, "residual blocks"),
    "channels": (64, "channels of the trunk"),
    "pooling_every": (3, "2nd, 5th, ... block pools (3); 0: none"),
    "pool_channels": (32, "channels that a pooling block pools"),
    "policy_channels": (32, "channels of the policy head"),
    "value_channels": (32, "channels of the value head"),
    "value_hidden": (64, "hidden units of the value head"),
}
# The most blocks that the engine reads.
MOST_BLOCKS = 256
CLASSIC = NetConfig(23, 0, 10, ["ordinary"] * 2, 10, 10, 10, 32, False, False, False, "classic")


def option_of(name):
    """The option of that name."""
    return f"--{name.replace('_', '-')}"


def block_kinds(blocks, pooling_every):
    """The kinds of that many blocks."""
    return ["pooling" if pooling_every and i % pooling_every == pooling_every // 2 else "ordinary" for i in range(blocks)]


def config_of(options, header):
    """The sizes of a new net."""
    planes, globals_ = len(header.planes), len(header.globals)
    if options.preset == "classic":
        if (planes, globals_) != (23, 0):
            raise NetError(f"the classic preset has 23 planes and 0 globals, the samples {planes} and {globals_}")
        check_sizes(options, CLASSIC, "the classic preset")
        return replace(CLASSIC, name=options.name or CLASSIC.name)
    sizes = {name: default if getattr(options, name) is None else getattr(options, name)
             for name, (default, _) in SIZES.items()}
    for name, size in sizes.items():
        most = MOST_BLOCKS if name == "blocks" else MOST
        if size > most:
            raise NetError(f"{option_of(name)}: expected at most {most}, found {size}")
    kinds = block_kinds(sizes.pop("blocks"), sizes.pop("pooling_every"))
    return NetConfig(planes, globals_, blocks=kinds, name=options.name, **sizes)


def check_sizes(options, config, origin):
    """NetError if the command line asks for other sizes than those of the net which the run goes on with."""
    if options.preset == "classic" and replace(config, name=CLASSIC.name) != CLASSIC:
        raise NetError(f"{origin} holds a net of other sizes than those of the classic preset")
    found = {**asdict(config), "blocks": len(config.blocks)}
    for name in SIZES:
        wanted = getattr(options, name)
        if wanted is None or name == "pooling_every":
            continue
        if wanted != found[name]:
            raise NetError(f"{origin} holds a net of {found[name]} {name.replace('_', ' ')}, "
                           f"{option_of(name)} asks for {wanted}")
    every = options.pooling_every
    if every is not None and block_kinds(found["blocks"], every) != config.blocks:
        raise NetError(f"{origin} holds a net whose blocks pool elsewhere than --pooling-every {every} asks for")
