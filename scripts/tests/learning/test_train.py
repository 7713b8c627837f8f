"""Tests of the trainer: losses, whole runs."""

import contextlib
import csv
import io
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import torch

import train
from files import folder_lock
from learning import losses, machine
from learning.honinbo_net import AUXILIARY_UNITS
from learning.net_config import NetError
from learning.net_file import load_net, save_net
from learning.optimizer import Optimizer, orthogonalise
from learning.samples import Batch, Mixture, SampleError
from learning.symmetry import randomly_transformed
from learning.winograd import WinogradError
from tests.learning.synthetic_nets import random_net, small_config
from tests.learning.synthetic_samples import PLANES, SIDE, frame, header_line

# The tensors are tiny; more threads would only wait for each other.
torch.set_num_threads(1)

NESTED = ("--channels", "16", "--arch", "nested8(ordinary,attention2,ffn8),pooling")


class SymmetryTest(unittest.TestCase):
    def test_all_arrays_of_a_sample_share_a_random_symmetry(self):
        """Compares with flipped and rotated arrays."""
        for side, count in ((9, 8), ((5, 9), 4)):
            sides = side if isinstance(side, tuple) else (side, side)
            batch = self.marked(400, *sides)
            after = randomly_transformed(batch, torch.Generator().manual_seed(3))
            seen = set()
            for old, new in zip(self.grids(batch), self.grids(after)):
                fits = [k for k, image in enumerate(self.symmetries(old)) if torch.equal(image, new)]
                self.assertEqual(len(fits), 1)
                seen.add(fits[0])
            self.assertEqual(len(seen), count)
            self.assertEqual(after.tensors["policy"][:, -1].tolist(), batch.tensors["policy"][:, -1].tolist())
            self.assertIs(after.tensors["value"], batch.tensors["value"])

    def test_rectangular_board_on_square_grid_keeps_shape(self):
        batch = self.marked(200, 9, 9)
        batch.mask[:] = 0.0
        batch.mask[:100, :, :5] = 1.0
        batch.mask[100:, :, :5, :5] = 1.0
        after = randomly_transformed(batch, torch.Generator().manual_seed(3))
        widths = after.mask[:, 0].amax(1).sum(1)
        self.assertEqual((set(widths[:100].tolist()), set(widths[100:].tolist())), ({9.0}, {5.0}))
        images = [{tuple(sample.flatten().tolist()) for sample in part} for part in (after.mask[:100], after.mask[100:])]
        self.assertEqual([len(image) for image in images], [2, 4])

    def test_symmetries_depend_on_seed(self):
        batch = self.marked(50, 7, 7)
        once, again, other = (randomly_transformed(batch, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
        self.assertTrue(torch.equal(once.tensors["planes"], again.tensors["planes"]))
        self.assertFalse(torch.equal(once.tensors["planes"], other.tensors["planes"]))

    def marked(self, n, height, width):
        """Returns samples in which every array has a distinct value at each point."""
        random = torch.Generator().manual_seed(11)
        draw = lambda *shape: torch.stack([torch.randperm(height * width, generator=random) for _ in range(shape[0] * shape[1])])
        planes = draw(n, 2).reshape(n, 2, height, width).to(torch.int16)
        tensors = {"planes": planes, "policy": torch.cat([draw(n, 1), torch.full((n, 1), 999)], 1).float(),
                   "ownership": draw(n, 1).reshape(n, height, width), "value": torch.arange(n)}
        return Batch(n, tensors, draw(n, 1).reshape(n, 1, height, width).float())

    def grids(self, batch):
        """Returns all spatial arrays of each sample: [layers, height, width]."""
        policy = batch.tensors["policy"][:, :-1].reshape(batch.mask.shape)
        layers = [batch.tensors["planes"], policy, batch.tensors["ownership"][:, None], batch.mask]
        return torch.cat([layer.float() for layer in layers], 1)

    def symmetries(self, layers):
        """Returns all symmetric images of the same shape."""
        found = [image for turn in range(4) for image in (torch.rot90(layers, turn, (1, 2)), torch.rot90(layers, turn, (1, 2)).flip(2))]
        return [image for image in found if image.shape == layers.shape]


class LossTest(unittest.TestCase):
    def test_loss_terms_match_hand_computation(self):
        config = small_config()
        one, zero = torch.ones(2), torch.zeros(2)
        policy = torch.zeros(2, 10)
        policy[0, 0], policy[1, 9] = 1.0, 1.0
        mask = torch.zeros(2, 1, 3, 3)
        mask[0], mask[1, :, :2, :2] = 1.0, 1.0
        ownership = torch.full((2, 3, 3), 127, dtype=torch.int8)
        given = {"policy": policy, "policy_weight": one, "value": torch.tensor([1.0, -1.0]),
                 "value_weight": torch.tensor([1.0, 0.0]), "score": torch.tensor([40.0, 0.0]), "score_weight": one,
                 "ownership": ownership, "ownership_weight": torch.tensor([0.0, 1.0])}
        outputs = (torch.zeros(2, 10), torch.tensor([0.5, 0.0]), zero, torch.zeros(2, 3, 3))
        terms = losses.losses(config, outputs, Batch(2, given, mask))
        self.assertAlmostEqual(float(terms["policy"]), (math.log(10) + math.log(5)) / 2, places=5)
        self.assertAlmostEqual(float(terms["value"]), 0.25, places=6)
        self.assertAlmostEqual(float(terms["score"]), (2.0 - 0.5) / 2, places=6)
        self.assertAlmostEqual(float(terms["ownership"]), 1.0, places=6)
        measures = losses.Measures(config)
        measures.add(outputs, Batch(2, given, mask))
        self.assertEqual(measures.result()["accuracy"], 1.0)
        self.assertAlmostEqual(measures.result()["brier"], 0.0625, places=6)
        # Targets with zero weight are not counted.
        measures.add(outputs, Batch(2, {**given, "value_weight": zero, "score_weight": zero}, mask))
        self.assertAlmostEqual(measures.result()["value"], 0.25, places=6)
        self.assertAlmostEqual(measures.result()["score"], (2.0 - 0.5) / 2, places=6)
        # For a net without pass, the second sample does not count, because its move is a pass.
        alone = losses.losses(small_config(has_pass=False), (torch.zeros(2, 9), *outputs[1:]), Batch(2, given, mask))
        self.assertAlmostEqual(float(alone["policy"]), math.log(9), places=5)

    def test_resumed_run_uses_its_own_weight_decay(self):
        net = random_net(small_config())
        earlier, later = (Optimizer(net, "muon", 1e-3, 1e-3, decay) for decay in (0.05, 0.25))
        later.load_state_dict(earlier.state_dict())
        decays = {group["weight_decay"] for part in later.state_dict() for group in part["param_groups"]}
        self.assertEqual(decays, {0.25, 0.0})

    def test_muon_singular_values_are_near_one(self):
        torch.manual_seed(2)
        for shape in ((3, 8, 40), (2, 40, 8)):
            values = torch.linalg.svdvals(orthogonalise(1000.0 * torch.randn(shape)).float())
            self.assertTrue(bool(((values > 0.6) & (values < 1.3)).all()), values)


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.samples = os.path.join(self.folder, "train.samples")
        with open(self.samples, "wb") as file:
            file.write(header_line(16) + frame(16, 1, (9, 7)))

    def options(self, run, *more, sizes=("--blocks", "2", "--channels", "16")):
        arguments = ["--run", os.path.join(self.folder, run), "--samples", self.samples, "--compile", "off",
                     "--warmup", "5", "--log-steps", "10", *sizes, *more]
        return train.parse_options(arguments)

    def rows(self, run):
        with open(os.path.join(self.folder, run, "log.csv"), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_tiny_set_is_memorised(self):
        for name, more in enumerate((("--trunk", "bf16"), ("--trunk", "f32"), ("--optimizer", "adamw"))):
            train.run(self.options(f"run{name}", "--steps", "80", "--valid", self.samples, *more))
            rows = self.rows(f"run{name}")
            first, last = rows[0], rows[-1]
            self.assertEqual((first["step"], last["kind"], last["step"]), ("10", "valid", "80"))
            # 16 samples in 80 steps: the loss falls from about ln(65) to a fraction of it, and all winners are right.
            self.assertLess(float(rows[-2]["policy"]), 0.35 * float(first["policy"]))
            self.assertEqual(float(last["accuracy"]), 1.0)
            self.assertGreater(float(last["top1"]), 0.8)
            load_net(os.path.join(self.folder, f"run{name}", "net.safetensors"))

    def test_resumed_run_equals_uninterrupted_one(self):
        self.check_resuming("residual", ("--blocks", "2", "--channels", "16"))

    def test_resumed_nested_run_equals_uninterrupted_one(self):
        self.check_resuming("nested", NESTED)

    def check_resuming(self, name, sizes):
        """Compares an interrupted and resumed run with an uninterrupted one."""
        names = f"{name}-unbroken", f"{name}-broken"
        train.run(self.options(names[0], "--steps", "12", "--trunk", "f32", sizes=sizes))
        options = self.options(names[1], "--steps", "12", "--trunk", "f32", sizes=sizes)
        os.makedirs(options.run)
        stream = Mixture([self.samples])
        self.addCleanup(stream.close)
        trainer = train.Trainer(options, stream.headers, None)
        with train.Log(options.run) as log:
            train.train(trainer, stream, None, log, lambda: trainer.step >= 7)
        self.assertEqual(train.load_checkpoint(options.run)["step"], 7)
        with open(os.path.join(options.run, "log.csv"), "a", encoding="utf-8") as file:
            file.write("train,9,144\n")  # of a run that ended without a checkpoint
        train.run(options)
        steps = [int(row["step"]) for row in self.rows(names[1])]
        self.assertEqual(steps, sorted(steps))
        self.assertNotIn(9, steps)
        unbroken, broken = (train.load_checkpoint(os.path.join(self.folder, n)) for n in names)
        self.assertEqual((broken["step"], broken["samples"]), (12, 12 * 16))
        for kind in ("net", "average"):
            for name, tensor in unbroken[kind].items():
                self.assertTrue(torch.equal(broken[kind][name], tensor), f"{kind} {name}")
        self.assertEqual([row["step"] for row in self.rows(names[1])], ["7", "10", "12"])

    def test_nested_net_learns_and_continues_from_its_file(self):
        train.run(self.options("first", "--steps", "60", "--average", "0.9", sizes=NESTED))
        net = os.path.join(self.folder, "first", "net.safetensors")
        train.run(self.options("second", "--init", net, "--steps", "10", "--rate", "0.0001", "--adam-rate", "0.0001", sizes=()))
        before, after = self.rows("first"), self.rows("second")
        self.assertLess(float(before[-1]["policy"]), 0.6 * float(before[0]["policy"]))
        # The averaged net lags behind.
        self.assertLess(float(after[0]["policy"]), 0.8 * float(before[0]["policy"]))
        config, _ = load_net(os.path.join(self.folder, "second", "net.safetensors"))
        self.assertEqual(config.blocks, ["nested8(ordinary,attention2,ffn8)", "pooling"])
        for more, message in ((("--arch", "2*ordinary"), "other blocks than --arch"),
                              (("--activation", "silu"), "activation relu, not silu")):
            for start in (("first",), ("third", "--init", net)):
                with self.assertRaisesRegex(NetError, message):
                    train.run(self.options(*start, "--steps", "100", *more, sizes=()))

    def test_arch_errors_are_reported_by_the_parser(self):
        for more, message in ((("--arch", "conv"), "--arch: expected a block"),
                              (("--arch", "ordinary", "--blocks", "3"), "--arch cannot be combined with --blocks")):
            said = io.StringIO()
            with contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
                self.options("none", "--steps", "1", *more, sizes=())
            self.assertIn(message, said.getvalue())
        with self.assertRaisesRegex(NetError, "16 channels cannot be divided into 3 heads"):
            train.run(self.options("none", "--steps", "1", "--arch", "attention3", sizes=("--channels", "16")))

    def test_auxiliary_outputs_are_trained_and_not_exported(self):
        with self.assertRaisesRegex(train.RunError, "the samples lack the targets of --auxiliary"):
            train.run(self.options("none", "--steps", "1", "--auxiliary"))
        plain = self.samples
        self.samples = os.path.join(self.folder, "labelled.samples")
        names = [*AUXILIARY_UNITS, "no_result"]
        with open(self.samples, "wb") as file:
            file.write(header_line(16, targets=names) + frame(16, 1, (9, 7), targets=4))
        # A source without the targets does not contribute to the term.
        train.run(self.options("auxiliary", "--auxiliary", "--steps", "30", "--samples", plain))
        terms = [float(row["auxiliary"]) for row in self.rows("auxiliary")]
        self.assertLess(terms[-1], terms[0])
        saved = train.load_checkpoint(os.path.join(self.folder, "auxiliary"))
        self.assertIn("value.auxiliary.weight", saved["net"])
        net = os.path.join(self.folder, "auxiliary", "net.safetensors")
        self.assertFalse(load_net(net)[0].auxiliary)
        train.run(self.options("auxiliary", "--auxiliary", "--steps", "31"))
        with self.assertRaisesRegex(train.RunError, "made with --auxiliary"):
            train.run(self.options("auxiliary", "--steps", "32"))
        train.run(self.options("again", "--auxiliary", "--init", net, "--steps", "1", sizes=()))

    def test_store_is_read_through_the_engine(self):
        program = os.path.join(self.folder, "fake engine")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$@" >> "{self.folder}/calls"\ncat "{self.samples}"\n')
        os.chmod(program, 0o755)
        arguments = ["--run", os.path.join(self.folder, "store"), "--store", "2@a b", "--honinbo", program, "--batch", "16",
                     "--threads", "1", "--compile", "off", "--steps", "3", "--blocks", "1", "--channels", "8"]
        train.run(train.parse_options(arguments))
        with open(os.path.join(self.folder, "calls"), encoding="utf-8") as file:
            self.assertEqual(file.readline(), "samples --store a b --batch 16 --threads 1 --seed 0\n")
        with mock.patch.dict(os.environ, {"HONINBO": "engine"}):
            options = train.parse_options(["--run", "x", "--steps", "1", "--store", "s", "--samples", "3@file"])
        self.assertEqual(options.samples, ["3@file", "1.0@engine samples --store s --seed {pass}"])

    def test_fastest_trunk_is_selected(self):
        cpu, gpu = torch.device("cpu"), torch.device("cuda")
        known, unknown = mock.Mock(), mock.Mock(side_effect=WinogradError("not here"))
        for bf16, by_winograd, load, expected in ((0.5, 0.7, known, "bf16"), (0.95, 0.9, known, "f32"), (2.0, 0.4, known, "winograd"),
                                                  (2.0, 0.4, unknown, "f32"), (0.5, 0.4, unknown, "bf16")):
            seconds = {"bf16": bf16, "winograd": by_winograd, "f32": 1.0}.__getitem__
            with mock.patch.object(machine, "_convolution_seconds", seconds), mock.patch.object(machine, "load", load):
                self.assertEqual(machine.choose_trunk("auto", cpu), expected)
                self.assertEqual(machine.choose_trunk("auto", gpu), "bf16")
                self.assertEqual(machine.choose_trunk("f32", cpu), "f32")
        self.assertGreater(machine._convolution_seconds("f32"), 0.0)

    def test_classic_preset_sizes(self):
        planes = [f"plane_{i}" for i in range(23)]
        with open(self.samples, "wb") as file:
            file.write(header_line(4, planes, []) + frame(4, 1, planes=23, globals_=0))
        train.run(self.options("classic", "--preset", "classic", "--steps", "2", sizes=()))
        config, net = load_net(os.path.join(self.folder, "classic", "net.safetensors"))
        self.assertEqual((config.channels, config.blocks, config.has_pass), (10, ["ordinary", "ordinary"], False))
        self.assertEqual(net(torch.zeros(1, 23, SIDE, SIDE), torch.zeros(1, 0))[0].shape, (1, SIDE * SIDE))

    def test_initial_net_must_match_the_encoding(self):
        path = os.path.join(self.folder, "start.safetensors")
        config = small_config(name="start")
        save_net(path, config, random_net(config).state_dict(), {})
        train.run(self.options("from", "--init", path, "--steps", "1", sizes=()))
        found, _ = load_net(os.path.join(self.folder, "from", "net.safetensors"))
        self.assertEqual(found, config)
        with open(self.samples, "wb") as file:
            file.write(header_line(4, ("other", *PLANES[1:])) + frame(4, 1))
        with self.assertRaisesRegex(train.RunError, "other planes"):
            train.run(self.options("from", "--steps", "2", sizes=()))
        with open(self.samples, "wb") as file:
            file.write(header_line(4, PLANES[:3]) + frame(4, 1, planes=3))
        with self.assertRaisesRegex(train.RunError, "4 planes and 2 globals"):
            train.run(self.options("other", "--init", path, "--steps", "1", sizes=()))

    def test_sizes_must_match_the_initial_net(self):
        train.run(self.options("sizes", "--steps", "1"))
        train.run(self.options("sizes", "--steps", "2", "--pooling-every", "3", "--pool-channels", "32"))
        net = os.path.join(self.folder, "sizes", "net.safetensors")
        wrong = {
            "of 2 blocks, not 3 as in --blocks": ("--blocks", "3"),
            "of 16 channels, not 8 as in --channels": ("--channels", "8"),
            "of 64 value hidden, not 9 as in --value-hidden": ("--value-hidden", "9"),
            "other pooling blocks than --pooling-every 0": ("--pooling-every", "0"),
            "the classic preset": ("--preset", "classic"),
        }
        for words, more in wrong.items():
            with self.assertRaisesRegex(NetError, f"checkpoint.pt.*{words}"):
                train.run(self.options("sizes", "--steps", "3", *more, sizes=()))
            with self.assertRaisesRegex(NetError, f"net.safetensors.*{words}"):
                train.run(self.options("begun", "--init", net, "--steps", "3", *more, sizes=()))
        self.assertEqual(train.load_checkpoint(os.path.join(self.folder, "sizes"))["step"], 2)

    def test_zero_steps_write_the_initial_net(self):
        train.run(self.options("random", "--steps", "0"))
        config, _ = load_net(os.path.join(self.folder, "random", "net.safetensors"))
        self.assertEqual((len(config.blocks), config.channels), (2, 16))
        train.run(self.options("random", "--steps", "1"))
        self.assertEqual(train.load_checkpoint(os.path.join(self.folder, "random"))["step"], 1)

    def test_full_disk_is_one_line_error_without_partial_file(self):
        def full():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        for path in ("net.safetensors", "checkpoint.pt"):
            run = os.path.join(self.folder, path)
            train.run(self.options(path, "--steps", "0"))
            os.remove(os.path.join(run, "checkpoint.pt"))
            script = ("import sys, train; train.save_net = lambda *_: None; sys.exit(train.main())" if path == "checkpoint.pt"
                      else "import sys, train; sys.exit(train.main())")
            failed = subprocess.run([sys.executable, "-c", script, "--run", run, "--samples", self.samples, "--steps", "0",
                                     "--blocks", "2", "--channels", "16", "--compile", "off"], cwd=os.path.dirname(train.__file__), preexec_fn=full,
                                    capture_output=True, text=True, check=False)
            self.assertEqual(failed.returncode, 1)
            self.assertRegex(failed.stderr.splitlines()[-1], f"^train: .*{path} cannot be written: ")
            self.assertNotIn("Traceback", failed.stderr)
            # The older net is intact.
            self.assertEqual(sorted(os.listdir(run)), ["net.safetensors"])
            load_net(os.path.join(run, "net.safetensors"))

    def test_incomplete_log_line_is_dropped(self):
        train.run(self.options("torn", "--steps", "10"))
        with open(os.path.join(self.folder, "torn", "log.csv"), "a", encoding="utf-8") as file:
            file.write("train,20,3")
        train.run(self.options("torn", "--steps", "20"))
        self.assertEqual([(row["step"], row["samples"]) for row in self.rows("torn")], [("10", "160"), ("20", "320")])

    def test_out_of_range_options_are_named(self):
        for option, number in (("--threads", "-1"), ("--pooling-every", "-1"), ("--pool-channels", "0"),
                               ("--value-hidden", "-3"), ("--log-steps", "0"), ("--steps", "-1")):
            said = io.StringIO()
            with contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
                self.options("none", "--minutes", "1", option, number, sizes=())
            self.assertRegex(said.getvalue(), f"{option} must (be positive|not be negative)")

    def test_sigterm_saves_and_errors_are_one_line(self):
        command = self.command("stopped", self.samples, "--steps", "1000000", "--log-steps", "1")
        self.stop(command)
        self.assertGreater(train.load_checkpoint(os.path.join(self.folder, "stopped"))["step"], 0)
        command[5] = "cat /nonexistent"
        failed = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(failed.stderr.splitlines()[-1], "^train: cat /nonexistent: the command failed with status 1")
        self.assertNotIn("Traceback", failed.stderr)

    def command(self, run, samples, *more):
        """Returns the command of a run with a minimal net in a separate process."""
        return [sys.executable, train.__file__, "--run", os.path.join(self.folder, run), "--samples", samples,
                "--compile", "off", "--threads", "1", "--blocks", "1", "--channels", "8", *more]

    def stop(self, command):
        """Runs a command up to its first log entry, stops it with SIGTERM, and checks its exit status."""
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            for line in process.stderr:
                if line.startswith("kind train"):
                    process.send_signal(signal.SIGTERM)
                    break
            process.stderr.read()
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_signal_ends_wait_for_samples_and_budget_ends_pipe(self):
        stalled = f"cat {self.samples}; sleep 1000"
        self.stop(self.command("stalled", stalled, "--steps", "1000", "--log-steps", "1"))
        self.assertEqual(train.load_checkpoint(os.path.join(self.folder, "stalled"))["step"], 1)
        with subprocess.Popen(self.command("pipe", "-", "--steps", "1"), stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            with open(self.samples, "rb") as file:
                process.stdin.write(file.read())
            process.stdin.flush()
            self.assertEqual(process.wait(), 0, process.stderr.read())

    def test_stream_error_of_reader_thread_reaches_trainer(self):
        """As on a GPU: the saved state is complete and includes all earlier batches."""
        trainer, done = mock.Mock(device="cpu"), []
        trainer.options.turn = False
        trainer.save.side_effect = lambda passes: done.append((passes, threading.current_thread()))

        class Stream:
            passes = [1]

            def __iter__(self):
                yield from (1, 2)
                raise SampleError("gone")

        def read_elsewhere(given, _device):
            def read():
                try:
                    read_there.extend(given)
                except SampleError as error:
                    failed.append(error)

            read_there, failed = [], []
            thread = threading.Thread(target=read)
            thread.start()
            thread.join()
            yield from read_there
            raise failed[0]

        with mock.patch.object(train, "prefetched", read_elsewhere), self.assertRaises(SampleError):
            for batch in train.batches(trainer, Stream()):
                done.append(batch)
        self.assertEqual(done, [1, 2, ([1], threading.current_thread())])

    def test_run_is_saved_on_source_error_and_folder_is_locked(self):
        failing = f"test -e {self.folder}/flag && exit 3; touch {self.folder}/flag; cat {self.samples}"
        failed = subprocess.run(self.command("failing", failing, "--steps", "1000"), capture_output=True, text=True, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("status 3", failed.stderr.splitlines()[-1])
        self.assertGreater(train.load_checkpoint(os.path.join(self.folder, "failing"))["step"], 0)
        with folder_lock(os.path.join(self.folder, "failing")):
            second = subprocess.run(self.command("failing", self.samples, "--steps", "9"), capture_output=True, text=True, check=False)
        self.assertEqual(second.returncode, 1)
        self.assertIn("another trainer", second.stderr.splitlines()[-1])
