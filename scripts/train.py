#!/usr/bin/env python3
"""Trains a network of Honinbo on a sample stream.

Promise: `train.py --run DIR --samples COMMAND (--minutes N | --steps N)` trains until the budget is spent, over as many
starts as it takes: the folder holds `checkpoint.pt` (resumed from), `net.safetensors` (the averaged net, for the
engine) and `log.csv`. SIGTERM and SIGINT end it after the current step with everything saved; its status is then 128 and
the signal's number.
"""

import argparse
import copy
import math
import os
import signal
import sys
import time

import torch

from files import held, put
from learning.compiling import Compiling, Runner, first_line
from learning.convolution import use_winograd
from learning.honinbo_net import Net, NetConfig, NetError, load_net, save_net
from learning.losses import LossWeights, Measures, losses, total
from learning.machine import TRUNKS, ahead, keep_memory, trunk_of
from learning.norm import Norm
from learning.optimizer import Optimizer
from learning.runlog import Log, Window
from learning.samples import Mixture, SampleError, take_samples
from learning.sizes import SIZES, check_sizes, config_of, option_of
from learning.symmetry import turned
from learning.teacher import teacher_of
from learning.katago_file import TeacherError
from learning.winograd import WinogradError

VALID_BATCH = 256
# How far norms lean towards their running statistics in the end, and over how many steps they come to it. The bounds
# are those of the paper.
RENORM_FACTOR, RENORM_DEVIATIONS = 3.0, 5.0
RENORM_STEPS = 1500


class RunError(Exception):
    """A run which cannot go on; the text is one line for the user."""


def parse_options(arguments=None):
    """The command line."""
    parser = argparse.ArgumentParser(description="Train a network of Honinbo on a sample stream.")
    add = parser.add_argument
    add("--run", required=True, metavar="DIR", help="folder of checkpoint, net and log; resumed from if it has any")
    add("--samples", action="append", metavar="[WEIGHT@]SOURCE",
        help="command, file or - (standard input, the default); {pass} in a command becomes the number of the pass; given "
             "more than once each step takes its batch from one of them, as often as its weight says")
    add("--teacher", metavar="FILE", help="net of KataGo's that teaches the samples of `honinbo samples --asking`")
    add("--adviser", metavar="FILE", help="with a teacher: a net whose results, leads and owners count as much")
    add("--advised-moves", action="store_true", help="with an adviser: its priors count as much too, by the geometric mean")
    add("--turn", action="store_true", help="see each sample through a symmetry drawn anew, for samples read more than once")
    add("--valid", metavar="SOURCE", help="command or file of validation samples")
    add("--valid-samples", type=int, default=4096)
    add("--minutes", type=float, help="budget in minutes, counted over all starts")
    add("--steps", type=int, help="budget in steps; 0 writes a net as it is before any")
    add("--init", metavar="NET", help="start from this net file; the sizes are its own")
    add("--preset", choices=["classic"], help="classic: the smallest net, 23 planes, policy and value alone")
    for name, (default, text) in SIZES.items():
        add(option_of(name), type=int, metavar="N", help=f"{text} [default: {default}]")
    add("--name", default="", help="name in the net file")
    add("--optimizer", choices=["muon", "adamw"], default="muon")
    add("--rate", type=float, default=3e-3, help="Muon's learning rate")
    add("--adam-rate", type=float, default=2e-3, help="AdamW's learning rate")
    add("--weight-decay", type=float, default=0.05)
    add("--warmup", type=int, default=200, help="steps of rising rate")
    add("--decay-from", type=float, default=0.3, help="share of the budget from which the rate falls to 0 (cosine)")
    add("--renorm-from", type=int, default=500, help="step from which norms lean towards their running statistics")
    add("--average", type=float, default=0.999, help="decay per step of the averaged weights")
    LossWeights.add_options(parser)
    add("--save-minutes", type=float, default=5.0, help="between checkpoints")
    add("--valid-minutes", type=float, default=5.0, help="between validations")
    add("--log-steps", type=int, default=100)
    add("--trunk", choices=["auto", *TRUNKS], default="auto",
        help="numbers of the trunk; winograd: f32, its convolutions with bf16 products by Winograd's method (built with "
             "g++ for processors with AVX-512 and bf16); auto: bf16 on GPUs, what is fastest on a processor")
    add("--compile", choices=["auto", "first", "off"], default="auto",
        help="auto: torch.compile, plain torch where that fails; first: for full boards of the first source's grid alone, since "
             "each grid takes a minute to compile on a GPU")
    add("--threads", type=int, default=0, help="of torch; 0: its own choice")
    add("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.minutes is None and options.steps is None:
        parser.error("a budget is needed: --minutes or --steps")
    for option, given, other in (("--adviser", options.adviser, "teacher"),
                                 ("--advised-moves", options.advised_moves, "adviser")):
        if given and not getattr(options, other):
            parser.error(f"{option} needs --{other}")
    may_be_zero = ("steps", "threads", "pooling_every")
    for name in ("minutes", "log_steps", "valid_samples", *SIZES, *may_be_zero):
        number = getattr(options, name)
        if number is None:
            continue
        if name in may_be_zero:
            if number < 0:
                parser.error(f"{option_of(name)} must not be negative")
        elif number <= 0:
            parser.error(f"{option_of(name)} must be positive")
    if not 0 <= options.seed < 1 << 63:
        parser.error(f"--seed must be from 0 to {(1 << 63) - 1}")
    return options


class Trainer:
    """A run: net, averaged net, optimiser, counters, and the files of its folder."""

    def __init__(self, options, headers, saved):
        self.options = options
        self.header = headers[0]
        self._batches = {header.batch for header in headers}
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        trunk = trunk_of(options.trunk, self.device)
        self.trunk = TRUNKS[trunk]
        torch.manual_seed(options.seed)
        self.config, net = self._starting_net(saved)
        self.net = net.to(self.device, memory_format=torch.channels_last)
        self._norms = [module for module in self.net.modules() if isinstance(module, Norm)]
        self.average = copy.deepcopy(self.net).eval()
        if trunk == "winograd":  # the average, which is judged and saved, keeps PyTorch's own convolutions
            use_winograd(self.net)
        self.optimizer = Optimizer(self.net, options.optimizer, options.rate, options.adam_rate, options.weight_decay)
        self.weights = LossWeights.of(options)
        self.step = self.samples = 0
        self._earlier = 0.0
        if saved is not None:
            self._restore(saved)
        self._start = time.monotonic()
        compiling = Compiling(options.compile, headers)
        self._runner = Runner(self.net, compiling)
        self._teacher = teacher_of(options, headers, self.device, compiling)

    def _starting_net(self, saved):
        if saved is not None:
            config = NetConfig.from_json(saved["config"], "checkpoint.pt")
            check_sizes(self.options, config, "checkpoint.pt")
            net = Net(config)
        elif self.options.init:
            config, net = load_net(self.options.init)
            check_sizes(self.options, config, self.options.init)
        else:
            config = config_of(self.options, self.header)
            net = Net(config)
        config.name = self.options.name or config.name
        found = (len(self.header.planes), len(self.header.globals))
        if found != (config.planes, config.globals):
            raise RunError(f"the net expects {config.planes} planes and {config.globals} globals, "
                           f"the samples have {found[0]} and {found[1]}")
        return config, net

    def _restore(self, saved):
        if saved["names"] != [list(self.header.planes), list(self.header.globals)]:
            raise RunError("the samples have other planes or globals than those of the checkpoint")
        self.net.load_state_dict(saved["net"])
        self.average.load_state_dict(saved["average"])
        try:
            self.optimizer.load_state_dict(saved["optimizer"])
        except ValueError as error:
            raise RunError(f"the checkpoint belongs to another --optimizer ({error})") from error
        self.step, self.samples, self._earlier = saved["step"], saved["samples"], saved["minutes"]

    def minutes(self):
        """Training time over all starts."""
        return self._earlier + (time.monotonic() - self._start) / 60.0

    def progress(self):
        """The share of the budget which is spent, 1 at its end."""
        shares = [0.0]
        if self.options.minutes is not None:
            shares.append(self.minutes() / self.options.minutes)
        if self.options.steps is not None:
            shares.append(self.step / self.options.steps if self.options.steps else 1.0)
        return min(max(shares), 1.0)

    def rate(self):
        """The share of the full learning rate for the next step."""
        warm = min((self.step + 1) / max(self.options.warmup, 1), 1.0)
        fall = (self.progress() - self.options.decay_from) / max(1.0 - self.options.decay_from, 1e-6)
        return warm * 0.5 * (1.0 + math.cos(math.pi * max(fall, 0.0)))

    def outputs(self, net, batch):
        """The outputs of `net` for a batch on the device."""
        planes = batch.tensors["planes"].to(self.trunk).contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, self.trunk, enabled=self.trunk != torch.float32):
            return net(planes, batch.tensors["globals"], batch.mask)

    def train_batch(self, batch):
        """One step; returns the terms of the loss and their total, as tensors."""
        rate = self.rate()
        self._set_slack()
        terms, loss = self._gradients(batch if batch.lesson is None else self._teacher.teach(batch))
        self.optimizer.step(rate)
        self.step += 1
        self.samples += batch.n
        self._update_average()
        return {"loss": loss.detach(), **{name: term.detach() for name, term in terms.items()}}

    def _set_slack(self):
        share = min(max(self.step - self.options.renorm_from, 0) / RENORM_STEPS, 1.0)
        slack = torch.tensor([1.0 + share * (RENORM_FACTOR - 1.0), share * RENORM_DEVIATIONS])
        for norm in self._norms:
            norm.slack.copy_(slack)

    def _gradients(self, batch):
        return self._runner.run(batch, lambda net: self._backward(net, batch), lambda: self.net.zero_grad(set_to_none=True))

    def _backward(self, net, batch):
        terms = losses(self.config, self.outputs(net, batch), batch)
        loss = total(terms, self.weights)
        # A short last batch says as much less, for the optimiser's steps are as large whatever the gradient's size.
        share = 1.0 if batch.n in self._batches else batch.n / max(self._batches)
        (share * loss).backward()
        return terms, loss

    @torch.no_grad()
    def _update_average(self):
        # Young averages follow fast, so that the first weights are soon forgotten.
        decay = min(self.options.average, (1.0 + self.step) / (10.0 + self.step))
        own, average = self.net.state_dict(), self.average.state_dict()
        torch._foreach_lerp_([average[name] for name in own], list(own.values()), 1.0 - decay)

    @torch.no_grad()
    def validate(self, batch):
        """Measures of the averaged net on a batch of any size."""
        measures = Measures(self.config)
        for start in range(0, batch.n, VALID_BATCH):
            part = batch.part(slice(start, start + VALID_BATCH)).to(self.device)
            measures.add(self.outputs(self.average, part), part)
        return measures.result()

    def save(self, passes):
        """Writes net and checkpoint; NetError if the net is not finite (the older files stay)."""
        folder = self.options.run
        note = {"step": self.step, "samples": self.samples, "minutes": round(self.minutes(), 1),
                "planes": list(self.header.planes), "globals": list(self.header.globals)}
        save_net(os.path.join(folder, "net.safetensors"), self.config, self.average.state_dict(), note)
        saved = {"config": self.config.to_json(), "names": [note["planes"], note["globals"]],
                 "net": self.net.state_dict(), "average": self.average.state_dict(),
                 "optimizer": self.optimizer.state_dict(), "step": self.step, "samples": self.samples,
                 "minutes": self.minutes(), "passes": passes}
        put(os.path.join(folder, "checkpoint.pt"), lambda partial: torch.save(saved, partial))


def batches(trainer, stream):
    """The stream's batches on the trainer's device; where it fails what was learnt before is saved first."""
    given = stream
    if trainer.options.turn:
        drawn = torch.Generator().manual_seed(trainer.options.seed + trainer.step)
        given = (turned(batch, drawn) for batch in stream)
    try:
        # Not further in: for a GPU another thread reads the stream, while this one learns.
        yield from ahead(given, trainer.device)
    except SampleError:
        trainer.save(stream.passes)
        raise


def train(trainer, stream, valid, log, stopping):
    """Runs until the budget is spent, the stream ends, or `stopping` says so."""
    options = trainer.options
    window, saved_at, valid_at = Window(), trainer.minutes(), trainer.minutes()
    for batch in batches(trainer, stream):
        window.add(trainer.train_batch(batch), batch.n)
        over = stopping() or trainer.progress() >= 1.0
        if over or trainer.step % options.log_steps == 0:
            means, speed = window.result()
            if not math.isfinite(means["loss"]):
                raise RunError(f"the loss is {means['loss']} at step {trainer.step}; the last checkpoint is kept")
            log.write("train", trainer, means, speed)
            window = Window()
        if over:
            break
        if trainer.minutes() - saved_at >= options.save_minutes:
            trainer.save(stream.passes)
            saved_at = trainer.minutes()
        if valid is not None and trainer.minutes() - valid_at >= options.valid_minutes:
            log.write("valid", trainer, trainer.validate(valid))
            valid_at = trainer.minutes()
    trainer.save(stream.passes)
    if valid is not None and not stopping():
        log.write("valid", trainer, trainer.validate(valid))


# What a checkpoint holds.
KEPT = {"config", "names", "net", "average", "optimizer", "step", "samples", "minutes", "passes"}


def load_checkpoint(folder):
    """The saved state of a run, or None."""
    path = os.path.join(folder, "checkpoint.pt")
    if not os.path.exists(path):
        return None
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        if not KEPT <= saved.keys():
            raise ValueError(f"expected entries {', '.join(sorted(KEPT))}")
        return saved
    except Exception as error:  # pickle, zip and torch each raise their own
        raise RunError(f"{path}: not a readable checkpoint ({first_line(error)})") from error


class Signals:
    """Tells which of SIGTERM and SIGINT came, if one did, and ends what is waited for; a second one ends the process at once."""

    def __init__(self):
        self.stream = None
        self._caught = None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._handle)

    def __call__(self):
        return self._caught

    def _handle(self, number, _frame):
        self._caught = number
        signal.signal(number, signal.SIG_DFL)
        if self.stream is not None:
            self.stream.close()


def run(options):
    """The whole command; returns the signal that ended it early, if one did."""
    os.makedirs(options.run, exist_ok=True)
    with held(options.run) as alone:
        if not alone:
            raise RunError(f"{options.run}: another trainer is at work there")
        return run_alone(options)


def run_alone(options):
    """The same, in a folder that nobody else writes to."""
    keep_memory()
    if options.threads:
        torch.set_num_threads(options.threads)
    saved = load_checkpoint(options.run)
    stopping = Signals()
    valid = None
    if options.valid:
        valid_header, valid = take_samples(options.valid, options.valid_samples)
    passes = [] if saved is None else saved["passes"]
    stream = Mixture(options.samples or ["-"], passes, options.seed + (0 if saved is None else saved["step"]))
    stopping.stream = stream
    try:
        header = stream.header
        if valid is not None and (valid_header.planes, valid_header.globals) != (header.planes, header.globals):
            raise RunError("the validation samples have other planes or globals than the training samples")
        trainer = Trainer(options, stream.headers, saved)
        parameters = sum(p.numel() for p in trainer.net.parameters())
        print(f"train: {trainer.config.name}, {parameters} parameters, on {trainer.device}, from step {trainer.step}",
              file=sys.stderr)
        if trainer.progress() < 1.0:
            with Log(options.run, trainer.step) as log:
                train(trainer, stream, valid, log, stopping)
        elif saved is None:
            trainer.save(stream.passes)
    finally:
        stream.close()
    return stopping()


def main():
    """Runs the command; errors of the user's making are one line and status 1."""
    try:
        caught = run(parse_options())
    except (RunError, NetError, SampleError, TeacherError, WinogradError, OSError) as error:
        print(f"train: {first_line(error)}", file=sys.stderr)
        return 1
    return 128 + caught if caught else 0


if __name__ == "__main__":
    sys.exit(main())
