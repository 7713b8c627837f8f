#!/usr/bin/env python3
"""Trains a network of Honinbo on a sample stream.

`train.py --run DIR --samples COMMAND (--minutes N | --steps N)` trains until the budget is spent, over any number of
starts. The folder holds `checkpoint.pt` (resumed from), `net.safetensors` (the averaged net, for the engine) and
`log.csv`. SIGTERM and SIGINT end the run after the current step with everything saved; the exit status is then 128 plus
the number of the signal.
"""

import copy
import math
import os
import signal
import sys
import time
from dataclasses import replace

import torch

from files import folder_lock, write_atomically
from learning.compiling import Compiling, Runner, first_line
from learning.convolution import use_winograd
from learning.honinbo_net import AUXILIARY_UNITS, Net
from learning.losses import LossWeights, Measures, losses, total
from learning.machine import TRUNKS, choose_trunk, keep_memory, prefetched
from learning.net_config import NetConfig, NetError
from learning.net_file import load_net, save_net
from learning.norm import Norm
from learning.optimizer import Optimizer
from learning.options import parse_options
from learning.runlog import Log, Window
from learning.samples import Mixture, SampleError, take_samples
from learning.sizes import check_sizes, config_of
from learning.symmetry import randomly_transformed
from learning.winograd import WinogradError

VALID_BATCH = 256
# Final bounds of the norms' correction towards their running statistics (from the paper), and the number of steps
# in which they are reached.
RENORM_FACTOR, RENORM_DEVIATIONS = 3.0, 5.0
RENORM_STEPS = 1500


class RunError(Exception):
    """Run that cannot continue; the message is one line for the user."""


class Trainer:
    """State of a run: net, averaged net, optimizer, counters, and the files of its folder."""

    def __init__(self, options, headers, saved):
        self.options = options
        self.header = headers[0]
        self._batches = {header.batch for header in headers}
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        trunk = choose_trunk(options.trunk, self.device)
        self.trunk = TRUNKS[trunk]
        torch.manual_seed(options.seed)
        self.config, net = self._starting_net(saved)
        self.net = net.to(self.device, memory_format=torch.channels_last)
        self._norms = [module for module in self.net.modules() if isinstance(module, Norm)]
        self.average = copy.deepcopy(self.net).eval()
        if trunk == "winograd":  # the average, used for validation and saving, has PyTorch's convolutions
            use_winograd(self.net)
        self.optimizer = Optimizer(self.net, options.optimizer, options.rate, options.adam_rate, options.weight_decay)
        self.weights = LossWeights.of(options)
        self.step = self.samples = 0
        self._earlier = 0.0
        if saved is not None:
            self._restore(saved)
        self._start = time.monotonic()
        self._runner = Runner(self.net, Compiling(options.compile, headers))
        if self.config.auxiliary and not any(set(AUXILIARY_UNITS) <= set(header.targets) for header in headers):
            raise RunError(f"the samples lack the targets of --auxiliary ({', '.join(AUXILIARY_UNITS)})")

    def _starting_net(self, saved):
        if saved is not None:
            config = NetConfig.from_json(saved["config"], "checkpoint.pt")
            check_sizes(self.options, config, "checkpoint.pt")
            if config.auxiliary != self.options.auxiliary:
                raise RunError(f"the checkpoint was made {'with' if config.auxiliary else 'without'} --auxiliary")
            net = Net(config)
        elif self.options.init:
            config, net = self._initial_net()
        else:
            config = config_of(self.options, self.header)
            net = Net(config)
        config.name = self.options.name or config.name
        found = (len(self.header.planes), len(self.header.globals))
        if found != (config.planes, config.globals):
            raise RunError(f"the net expects {config.planes} planes and {config.globals} globals, "
                           f"the samples have {found[0]} and {found[1]}")
        return config, net

    def _initial_net(self):
        config, net = load_net(self.options.init)
        check_sizes(self.options, config, self.options.init)
        if self.options.auxiliary:
            config = replace(config, auxiliary=True)
            tensors, net = net.state_dict(), Net(config)
            # Net files lack the auxiliary outputs, which are initialised again.
            net.load_state_dict(tensors, strict=False)
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
        """Returns the training time over all starts."""
        return self._earlier + (time.monotonic() - self._start) / 60.0

    def progress(self):
        """Returns the fraction of the budget spent, from 0 to 1."""
        shares = [0.0]
        if self.options.minutes is not None:
            shares.append(self.minutes() / self.options.minutes)
        if self.options.steps is not None:
            shares.append(self.step / self.options.steps if self.options.steps else 1.0)
        return min(max(shares), 1.0)

    def rate(self):
        """Returns the fraction of the full learning rate for the next step."""
        warm = min((self.step + 1) / max(self.options.warmup, 1), 1.0)
        fall = (self.progress() - self.options.decay_from) / max(1.0 - self.options.decay_from, 1e-6)
        return warm * 0.5 * (1.0 + math.cos(math.pi * max(fall, 0.0)))

    def outputs(self, net, batch):
        """Returns the outputs of `net` for a batch on the device."""
        planes = batch.tensors["planes"].to(self.trunk).contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, self.trunk, enabled=self.trunk != torch.float32):
            return net(planes, batch.tensors["globals"], batch.mask)

    def train_batch(self, batch):
        """Performs one step; returns the terms of the loss and their total, as tensors."""
        rate = self.rate()
        self._set_slack()
        terms, loss = self._gradients(batch)
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
        # The optimizer's steps do not depend on the size of the gradient, so a short batch needs a smaller weight.
        share = 1.0 if batch.n in self._batches else batch.n / max(self._batches)
        (share * loss).backward()
        return terms, loss

    @torch.no_grad()
    def _update_average(self):
        # A faster average at the start, to forget the initial weights.
        decay = min(self.options.average, (1.0 + self.step) / (10.0 + self.step))
        own, average = self.net.state_dict(), self.average.state_dict()
        torch._foreach_lerp_([average[name] for name in own], list(own.values()), 1.0 - decay)

    @torch.no_grad()
    def validate(self, batch):
        """Returns measures of the averaged net on a batch of any size."""
        measures = Measures(self.config)
        for start in range(0, batch.n, VALID_BATCH):
            part = batch.part(slice(start, start + VALID_BATCH)).to(self.device)
            measures.add(self.outputs(self.average, part), part)
        return measures.result()

    def save(self, passes):
        """Writes net and checkpoint. If the net is not finite, raises NetError and does not replace the older files."""
        folder = self.options.run
        note = {"step": self.step, "samples": self.samples, "minutes": round(self.minutes(), 1),
                "planes": list(self.header.planes), "globals": list(self.header.globals)}
        save_net(os.path.join(folder, "net.safetensors"), self.config, self.average.state_dict(), note)
        saved = {"config": self.config.to_json(), "names": [note["planes"], note["globals"]],
                 "net": self.net.state_dict(), "average": self.average.state_dict(),
                 "optimizer": self.optimizer.state_dict(), "step": self.step, "samples": self.samples,
                 "minutes": self.minutes(), "passes": passes}
        write_atomically(os.path.join(folder, "checkpoint.pt"), lambda partial: torch.save(saved, partial))


def batches(trainer, stream):
    """Yields the batches of the stream on the trainer's device. Saves the run before raising a stream error."""
    given = stream
    if trainer.options.turn:
        drawn = torch.Generator().manual_seed(trainer.options.seed + trainer.step)
        given = (randomly_transformed(batch, drawn) for batch in stream)
    try:
        # Caught here, since for a GPU another thread runs the generator above.
        yield from prefetched(given, trainer.device)
    except SampleError:
        trainer.save(stream.passes)
        raise


def train(trainer, stream, valid, log, stopping):
    """Trains until the budget is spent, the stream ends, or `stopping` returns true."""
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


# Entries of a checkpoint.
KEPT = {"config", "names", "net", "average", "optimizer", "step", "samples", "minutes", "passes"}


def load_checkpoint(folder):
    """Returns the saved state of a run, or None."""
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
    """Handles SIGTERM and SIGINT: returns the number of the first one when called, and closes the stream. A second one
    ends the process."""

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
    """Runs the whole command; returns the number of the signal that ended it early, or None."""
    os.makedirs(options.run, exist_ok=True)
    with folder_lock(options.run) as alone:
        if not alone:
            raise RunError(f"{options.run}: another trainer is running in this folder")
        return run_alone(options)


def run_alone(options):
    """Runs the command in a locked folder."""
    keep_memory()
    if options.threads:
        torch.set_num_threads(options.threads)
    saved = load_checkpoint(options.run)
    stopping = Signals()
    valid = None
    if options.valid:
        valid_header, valid = take_samples(options.valid, options.valid_samples)
    passes = [] if saved is None else saved["passes"]
    stream = Mixture(options.samples, passes, options.seed + (0 if saved is None else saved["step"]))
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
    """Runs the command; reports errors as one line, with status 1."""
    try:
        caught = run(parse_options())
    except (RunError, NetError, SampleError, WinogradError, OSError) as error:
        print(f"train: {first_line(error)}", file=sys.stderr)
        return 1
    return 128 + caught if caught else 0


if __name__ == "__main__":
    sys.exit(main())
