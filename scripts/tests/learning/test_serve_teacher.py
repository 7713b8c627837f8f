"""Tests of the teacher process: its protocol, its errors, its options."""

import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy as np
import torch

import serve_teacher
from learning import teacher_server
from learning.katago_file import TeacherError
from learning.katago_net import read_katago
from learning.katago_readout import Prediction
from learning.teacher_protocol import MAX_POSITIONS, NUMBERS, Request, Response, greeting, read_request, write_response
from learning.teacher_server import BatchEvaluator, pad, serve
from tests.loop import synthetic_katago

torch.set_num_threads(1)

CPU = torch.device("cpu")
TIMEOUT = 300


def request(n, height, width, boards=None, seed=1):
    """Returns random inputs of `n` positions with the board sizes `boards`, by default the size of the grid."""
    random = np.random.default_rng(seed)
    planes = random.integers(0, 2, (n, 22, height, width), "i1")
    planes[:, 0] = 0
    for position, (rows, columns) in zip(planes, boards or [(height, width)] * n):
        position[0, :rows, :columns] = 1
        position *= position[0]
    return Request(planes, random.normal(size=(n, 19)).astype("<f4"))


def encoded(given):
    """Returns the bytes of a request."""
    n, _, height, width = given.planes.shape
    return struct.pack("<III", n, height, width) + given.planes.tobytes() + given.globals.tobytes()


def decoded(stream, given):
    """Reads the next response of a stream, to a given request."""
    n, _, height, width = given.planes.shape
    shapes = [(n, height * width + 1), (n, 9), (n, height, width)]
    arrays = []
    for shape in shapes:
        data = stream.read(4 * int(np.prod(shape)))
        arrays.append(np.frombuffer(data, "<f4").reshape(shape))
    return Response(*arrays)


class TeacherProcessTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "net.bin.gz")
        synthetic_katago.nesting(self.path, 4)

    def run_process(self, data, *options):
        """Runs the process on an input; returns its exit status, output and error lines."""
        command = [sys.executable, serve_teacher.__file__, *options]
        done = subprocess.run(command, input=data, capture_output=True, timeout=TIMEOUT, check=False)
        return done.returncode, io.BytesIO(done.stdout), done.stderr.decode().splitlines()

    def assert_answers(self, response, given):
        """Asserts that a response equals the network's output."""
        board = given.planes[:, :1] > 0
        mask = torch.from_numpy(board.astype("f4"))
        expected = read_katago(self.path)(torch.from_numpy(given.planes), torch.from_numpy(given.globals), mask)
        on_board = np.concatenate([board.reshape(len(board), -1), np.ones((len(board), 1), bool)], 1)
        np.testing.assert_allclose(response.policy, np.where(on_board, expected.policy, 0.0), rtol=1e-4, atol=1e-4)
        self.assertTrue((response.policy[~on_board] == 0.0).all())
        for index, name in enumerate(NUMBERS):
            np.testing.assert_allclose(response.numbers[:, index], getattr(expected, name), rtol=1e-4, atol=1e-4, err_msg=name)
        np.testing.assert_allclose(response.ownership, expected.ownership, rtol=1e-4, atol=1e-4)
        self.assertTrue((response.ownership[~board[:, 0]] == 0.0).all())

    def test_requests_are_answered_until_the_end_of_input(self):
        requests = [request(3, 9, 9), request(2, 13, 11, [(13, 11), (7, 5)])]
        status, output, errors = self.run_process(b"".join(map(encoded, requests)), self.path, "--threads", "1")
        self.assertEqual((status, errors), (0, []))
        self.assertEqual(output.readline(), b'{"format":"honinbo-teacher","version":1,"planes":22,"globals":19,'
                                            b'"name":"net.bin.gz"}\n')
        for given in requests:
            self.assert_answers(decoded(output, given), given)
        self.assertEqual(output.read(), b"")

    def test_requests_are_answered_one_by_one(self):
        command = [sys.executable, serve_teacher.__file__, self.path, "--device", "cpu", "--threads", "1"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            self.assertEqual(json.loads(process.stdout.readline())["format"], "honinbo-teacher")
            for given in (request(1, 5, 5), request(2, 7, 7)):
                process.stdin.write(encoded(given))
                process.stdin.flush()
                self.assert_answers(decoded(process.stdout, given), given)
            process.stdin.close()
            self.assertEqual(process.wait(TIMEOUT), 0)

    def test_broken_request_is_an_error_after_the_last_answer(self):
        given = request(2, 5, 5)
        status, output, errors = self.run_process(encoded(given) + encoded(given)[:-1], self.path, "--threads", "1")
        self.assertEqual((status, errors), (1, ["serve_teacher: incomplete request: 151 of 152 bytes of its globals"]))
        output.readline()
        self.assert_answers(decoded(output, given), given)
        self.assertEqual(output.read(), b"")

    def test_unusable_network_or_option_is_an_error(self):
        for arguments, message in (([self.path + "x"], "not a readable net file"),
                                   ([self.path, "--threads", "-1"], "--threads must be at least 0"),
                                   ([self.path, "--precision", "f8"], "invalid choice")):
            status, output, errors = self.run_process(b"", *arguments)
            self.assertEqual((status, output.read(), len(errors)), (1, b"", 1))
            self.assertRegex(errors[0], f"^serve_teacher: .*{message}")

    def test_export_can_be_served(self):
        exported = self.path + ".safetensors"
        self.assertEqual(self.run_process(b"", self.path, "--export", exported)[::2], (0, []))
        self.path = exported
        given = request(1, 9, 9)
        status, output, _ = self.run_process(encoded(given), exported)
        self.assertEqual((status, json.loads(output.readline())["name"]), (0, "net.bin.gz.safetensors"))
        self.assert_answers(decoded(output, given), given)

    def evaluate(self, evaluator, *requests):
        """Returns the responses of `serve` in this process."""
        sink = io.BytesIO()
        serve(evaluator, io.BytesIO(b"".join(map(encoded, requests))), sink)
        sink.seek(0)
        responses = [decoded(sink, given) for given in requests]
        self.assertEqual(sink.read(), b"")
        return responses

    def test_large_requests_are_split_and_padded(self):
        evaluator = BatchEvaluator(read_katago(self.path), CPU, False)
        evaluator._max_batch, evaluator._padded = 4, lambda n: n + 3
        given = request(10, 7, 7, [(7, 7)] * 5 + [(5, 6)] * 5)
        (response,) = self.evaluate(evaluator, given)
        self.assert_answers(response, given)

    def test_compiled_batches_have_few_sizes(self):
        evaluator = BatchEvaluator(read_katago(self.path), CPU, False)
        self.assertEqual(evaluator._padded(5), 5)
        evaluator._is_compiled = True
        self.assertEqual([evaluator._padded(n) for n in (1, 8, 9, 64, 65, 300)], [8, 8, 16, 64, 128, 512])
        np.testing.assert_array_equal(pad(np.array([[1], [2]]), 2), [[1], [2], [2], [2]])

    def test_compiled_networks_are_called_with_the_same_inputs(self):
        with unittest.mock.patch.object(teacher_server, "compiled", side_effect=lambda net: net):
            evaluator = BatchEvaluator(read_katago(self.path), CPU, True)
        given = request(3, 7, 7)
        self.assert_answers(self.evaluate(evaluator, given)[0], given)

    def test_compiled_networks_predict_the_same(self):
        synthetic_katago.attending(self.path, 1, False)
        evaluator = BatchEvaluator(read_katago(self.path), CPU, True)
        given = request(8, 7, 7, [(7, 7)] * 5 + [(5, 6)] * 3)
        self.assert_answers(self.evaluate(evaluator, given)[0], given)

    def test_invalid_requests_are_errors(self):
        fine = request(2, 5, 5)
        no_board, bad_board, not_finite = (Request(fine.planes.copy(), fine.globals.copy()) for _ in range(3))
        no_board.planes[1, 0] = 0
        bad_board.planes[0, 0, 0, 0] = 2
        not_finite.globals[1, 2] = np.nan
        cases = [(b"\1\0\0", "incomplete request: 3 of 12 bytes of its header"),
                 (struct.pack("<III", 0, 9, 9), f"1 to {MAX_POSITIONS} positions, not 0"),
                 (struct.pack("<III", MAX_POSITIONS + 1, 9, 9), "positions, not"),
                 (struct.pack("<III", 1, 9, 20), "sides of the grid must be 1 to 19, not 9x20"),
                 (struct.pack("<III", 1, 0, 9), "not 0x9"), (encoded(fine)[:100], "88 of 1100 bytes of its planes"),
                 (encoded(no_board), "no point on board"), (encoded(bad_board), "plane 0 must be 1 on board"),
                 (encoded(not_finite), "globals must be finite")]
        for data, message in cases:
            with self.assertRaisesRegex(TeacherError, message):
                read_request(io.BytesIO(data))
        self.assertIsNone(read_request(io.BytesIO(b"")))

    def test_missing_errors_are_nan_and_other_numbers_finite(self):
        synthetic_katago.convolving(self.path, 1)
        net = read_katago(self.path)
        given = request(2, 7, 7)
        (response,) = self.evaluate(BatchEvaluator(net, CPU, False), given)
        self.assertEqual(np.isnan(response.numbers).sum(0).tolist(), [0] * 6 + [2] * 3)
        for field in Response._fields:
            array = getattr(response, field).copy()
            array.flat[0] = np.inf
            with self.assertRaisesRegex(TeacherError, "produced NaN or infinity"):
                write_response(io.BytesIO(), response._replace(**{field: array}))

    def test_numbers_match_the_prediction(self):
        self.assertEqual(Prediction._fields[1:-1], NUMBERS)
        self.assertTrue(greeting("a b").endswith(b'"name":"a b"}\n'))


if __name__ == "__main__":
    unittest.main()
