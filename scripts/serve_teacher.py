#!/usr/bin/env python3
"""Serves a KataGo network to the engine as a teacher, or writes it to a smaller file.

`serve_teacher.py NET` reads requests from standard input and writes responses to standard output until its input ends;
see learning/teacher_protocol.py for the format. `serve_teacher.py NET --export OUT.safetensors` writes the network with
16-bit weights; the result can be used as NET. Errors are one line on standard error and exit status 1.
"""

import argparse
import os
import signal
import sys
import warnings

import torch

from learning.katago_file import Layers, TeacherError
from learning.katago_net import KataNet, read_katago
from learning.teacher_protocol import greeting
from learning.teacher_server import BatchEvaluator, serve

PRECISIONS = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in a single line and exits with status 1."""

    def error(self, message):
        self.exit(1, f"serve_teacher: {message}\n")


def parse_options(arguments=None):
    """Parses the command line."""
    parser = Parser(prog="serve_teacher.py", description="Serve a KataGo network to the engine as a teacher.")
    add = parser.add_argument
    add("net", metavar="NET", help="KataGo network (.bin.gz), or a file written with --export")
    add("--precision", choices=["auto", *PRECISIONS], default="auto",
        help="type of the trunk's matrix products; auto: f32 on a CPU, bf16 on a GPU; f16 is more precise than bf16 at the same "
             "speed, but may overflow with some networks, which is an error")
    add("--device", choices=["auto", "cpu", "cuda"], default="auto", help="auto: a GPU if there is one")
    add("--threads", type=int, default=0, metavar="N", help="CPU threads; 0: chosen by PyTorch [default: 0]")
    add("--compile", choices=["off", "on"], default="off", help="use torch.compile, which takes about a minute per batch size")
    add("--export", metavar="FILE", help="write the network with 16-bit weights to this safetensors file and exit")
    options = parser.parse_args(arguments)
    if options.threads < 0:
        parser.error(f"--threads must be at least 0, not {options.threads}")
    return options


def claim_output():
    """Returns a stream for standard output, and redirects everything that other code prints there to standard error."""
    sink = open(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return sink


def choose_device(name):
    """Returns the device for `--device`."""
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise TeacherError("--device cuda: no usable GPU")
    return torch.device("cuda" if available and name != "cpu" else "cpu")


def run(options):
    """Exports or serves the network."""
    if options.export:
        layers = Layers(options.net)
        KataNet(layers)
        layers.export(options.export)
        return
    sink = claim_output()
    if options.threads:
        torch.set_num_threads(options.threads)
    device = choose_device(options.device)
    precision = options.precision
    if precision == "auto":
        precision = "bf16" if device.type == "cuda" else "f32"
    net = read_katago(options.net).prepared(device, PRECISIONS[precision])
    evaluator = BatchEvaluator(net, device, options.compile == "on")
    sink.write(greeting(os.path.basename(options.net)))
    serve(evaluator, open(0, "rb", buffering=0, closefd=False), sink)


def main(arguments=None):
    """Runs the command and returns its exit status."""
    options = parse_options(arguments)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    warnings.simplefilter("ignore")
    try:
        run(options)
    except (TeacherError, OSError, MemoryError, RuntimeError) as error:
        # PyTorch reports failures of the device and of its compiler as RuntimeErrors, often over many lines.
        lines = str(error).strip().splitlines() or [type(error).__name__]
        print(f"serve_teacher: {lines[0]}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
