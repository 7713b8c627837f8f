"""Command line of train.py."""

import argparse
import os
import shlex
import shutil

from learning.architecture import ArchitectureError
from learning.losses import LossWeights
from learning.machine import TRUNKS
from learning.net_config import ACTIVATIONS
from learning.samples import SampleError, split_weight
from learning.sizes import RESIDUAL_SIZES, SIZES, arch_texts, option_of

ARCHITECTURES = """\
Blocks of --arch, separated by commas; N*BLOCK or N*(BLOCK,BLOCK) repeats:
  ordinary             residual block with two 3x3 convolutions
  pooling              the same, with globally pooled features
  attentionH           self-attention with H heads and learnt rotary angles;
                       attentionH/K: K key/value heads, attentionH@T: fixed
                       angles with base T
  ffnN                 gated feed-forward block with N hidden units (SiLU)
  nestedN(BLOCK,...)   bottleneck: the blocks in parentheses on N channels
                       between 1x1 convolutions

The trunk has --channels channels. Examples:
  --channels 96 --arch "2*(ordinary,pooling,ordinary)"
  --channels 192 --arch "5*(nested96(ordinary),nested96(ordinary,attention3,ffn256))"
  --channels 192 --arch "10*nested96(2*(attention3,ffn256))"
  --channels 64 --arch "24*ordinary"

Nets with other blocks than ordinary and pooling, or another activation than
relu, are written as net files of version 2.
"""
# Environment variable with the path of the engine.
PROGRAM_VARIABLE = "HONINBO"


def parse_options(arguments=None):
    """Parses the command line; `samples` is then the list of all sources."""
    parser = argparse.ArgumentParser(description="Train a network of Honinbo on a sample stream.", epilog=ARCHITECTURES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_run_options(parser)
    add_sample_options(parser)
    add_net_options(parser)
    add_learning_options(parser)
    options = parser.parse_args(arguments)
    check(parser, options)
    try:
        options.samples = sample_sources(options)
    except SampleError as error:
        parser.error(str(error))
    return options


def add_run_options(parser):
    """Adds the options for the run as a whole."""
    add = parser.add_argument
    add("--run", required=True, metavar="DIR", help="folder of checkpoint, net and log; a checkpoint there is resumed from")
    add("--minutes", type=float, help="budget in minutes, counted over all starts")
    add("--steps", type=int, help="budget in steps; 0 writes the initial net")
    add("--save-minutes", type=float, default=5.0, help="time between checkpoints [default: 5]")
    add("--valid-minutes", type=float, default=5.0, help="time between validations [default: 5]")
    add("--log-steps", type=int, default=100, help="steps between log entries [default: 100]")
    add("--trunk", choices=["auto", *TRUNKS], default="auto",
        help="arithmetic of the trunk; winograd: f32, with bf16 products in Winograd convolutions (built with g++, for "
             "processors with AVX-512 and bf16); auto: bf16 on GPUs, the fastest on a processor")
    add("--compile", choices=["auto", "first", "off"], default="auto",
        help="auto: torch.compile, plain torch if it fails; first: only for full boards of the first source's grid, since "
             "each grid takes a minute to compile on a GPU")
    add("--threads", type=int, default=0, help="threads of torch and of --store [default: all cores]")
    add("--seed", type=int, default=1)


def add_sample_options(parser):
    """Adds the options for the sources of samples."""
    add = parser.add_argument
    add("--samples", action="append", metavar="[WEIGHT@]SOURCE",
        help="command, file or - (standard input, the default); {pass} in a command is replaced by the number of the "
             "pass. With several sources, each step takes its batch from one of them, at random by weight")
    add("--store", action="append", metavar="[WEIGHT@]DIR",
        help="store of labelled positions, as a source like --samples \"honinbo samples --store DIR --seed {pass}\"")
    add("--honinbo", metavar="PROGRAM",
        help=f"engine that reads --store [default: ${PROGRAM_VARIABLE}, else target/release/honinbo, else honinbo on PATH]")
    add("--batch", type=int, metavar="N", help="samples per step from --store [default: the engine's]")
    add("--turn", action="store_true", help="apply a random symmetry to each sample, for samples read more than once")
    add("--valid", metavar="SOURCE", help="command or file of validation samples")
    add("--valid-samples", type=int, default=4096, help="number of validation samples [default: 4096]")


def add_net_options(parser):
    """Adds the options for the network."""
    add = parser.add_argument
    add("--init", metavar="NET", help="start from this net file, with its sizes")
    add("--preset", choices=["classic"], help="classic: the smallest net, 23 planes, only policy and value")
    for name, (default, text) in SIZES.items():
        add(option_of(name), type=int, metavar="N", help=f"{text} [default: {default}]")
    add("--arch", metavar="BLOCKS", help="blocks of the trunk, in place of --blocks and --pooling-every; see below")
    add("--activation", choices=ACTIVATIONS, help="activation after norms [default: relu]")
    add("--auxiliary", action="store_true",
        help="also predict the score's deviation and the errors of value and score, for samples of --store; these outputs "
             "are not stored in net files")
    add("--name", default="", help="name in the net file")


def add_learning_options(parser):
    """Adds the options for optimizer and loss."""
    add = parser.add_argument
    add("--optimizer", choices=["muon", "adamw"], default="muon")
    add("--rate", type=float, default=3e-3, help="Muon's learning rate [default: 0.003]")
    add("--adam-rate", type=float, default=2e-3, help="AdamW's learning rate [default: 0.002]")
    add("--weight-decay", type=float, default=0.05, help="[default: 0.05]")
    add("--warmup", type=int, default=200, help="steps in which the rate rises [default: 200]")
    add("--decay-from", type=float, default=0.3, help="fraction of the budget after which the rate falls to 0 (cosine) [default: 0.3]")
    add("--renorm-from", type=int, default=500,
        help="step after which norms are corrected towards their running statistics [default: 500]")
    add("--average", type=float, default=0.999, help="decay per step of the averaged weights [default: 0.999]")
    LossWeights.add_options(parser)


def check(parser, options):
    """Ends the program with an error if options contradict each other or are out of range."""
    if options.minutes is None and options.steps is None:
        parser.error("a budget is needed: --minutes or --steps")
    if options.batch is not None and not options.store:
        parser.error("--batch needs --store")
    may_be_zero = ("steps", "threads", "pooling_every")
    for name in ("minutes", "log_steps", "valid_samples", "batch", *SIZES, *may_be_zero):
        number = getattr(options, name)
        if number is None:
            continue
        if name in may_be_zero:
            if number < 0:
                parser.error(f"{option_of(name)} must not be negative")
        elif number <= 0:
            parser.error(f"{option_of(name)} must be positive")
    if not 0 <= options.seed < 1 << 63:
        parser.error(f"--seed must be between 0 and {(1 << 63) - 1}")
    check_arch(parser, options)


def check_arch(parser, options):
    """Ends the program with an error if `--arch` is invalid or combined with the options that it replaces."""
    if options.arch is None:
        return
    for name in RESIDUAL_SIZES:
        if getattr(options, name) is not None:
            parser.error(f"--arch cannot be combined with {option_of(name)}")
    try:
        arch_texts(options.arch)
    except ArchitectureError as error:
        parser.error(f"--arch: {error}")


def sample_sources(options):
    """Returns all sources of samples as `--samples` takes them. Raises SampleError."""
    sources = list(options.samples or [])
    for text in options.store or []:
        weight, folder = split_weight(text)
        sources.append(f"{weight}@{store_command(options, folder)}")
    return sources or ["-"]


def store_command(options, folder):
    """Returns the shell command that writes the samples of a store."""
    words = [find_program(options.honinbo), "samples", "--store", folder]
    if options.batch:
        words += ["--batch", str(options.batch)]
    if options.threads:
        words += ["--threads", str(options.threads)]
    return f"{shlex.join(words)} --seed {{pass}}"


def find_program(given):
    """Returns the path of the engine. Raises SampleError if it is not found."""
    if given:
        return given
    if os.environ.get(PROGRAM_VARIABLE):
        return os.environ[PROGRAM_VARIABLE]
    scripts = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    built = os.path.join(os.path.dirname(scripts), "target", "release", "honinbo")
    found = built if os.access(built, os.X_OK) else shutil.which("honinbo")
    if found is None:
        raise SampleError("--store: honinbo not found, use --honinbo PROGRAM")
    return found
