"""The teacher process: evaluates requests of the engine with a KataGo network (see learning.teacher_protocol).

While the device evaluates a request, a thread reads the following ones, and the previous response is written.
"""

import queue
import threading
from typing import NamedTuple

import numpy as np
import torch

from learning.compiling import compiled
from learning.katago_file import TeacherError
from learning.teacher_protocol import NUMBERS, Request, Response, read_request, write_response

# Requests read ahead.
READ_AHEAD = 2
# Positions per forward pass, which bounds the memory of the activations.
MAX_BATCH = {"cpu": 32, "cuda": 512}
# Batches of compiled networks from this size on are padded to powers of two, since each size is compiled separately.
MIN_COMPILED_BATCH = 8
# Enough for all batch sizes, with and without mask, on several grids.
COMPILED_VARIANTS = 256


class Pending(NamedTuple):
    """Outputs that the device may still be computing."""

    outputs: Response
    # Recorded after the last copy to the host; None on the CPU.
    event: torch.cuda.Event | None

    def finished(self):
        """Waits for the device and returns the response."""
        if self.event is not None:
            self.event.synchronize()
        return Response(*(output.numpy() for output in self.outputs))


class BatchEvaluator:
    """A network on its device."""

    def __init__(self, net, device, is_compiled):
        self._device, self._is_cuda, self._is_compiled = device, device.type == "cuda", is_compiled
        self._max_batch = MAX_BATCH[device.type]
        if is_compiled:
            torch._dynamo.config.cache_size_limit = COMPILED_VARIANTS
            net = compiled(net)
        self._net = net

    @torch.inference_mode()
    def start(self, request):
        """Starts the evaluation of a request."""
        n, _, height, width = request.planes.shape
        sizes = [(n, height * width + 1), (n, len(NUMBERS)), (n, height, width)]
        outputs = Response(*(torch.empty(size, pin_memory=self._is_cuda) for size in sizes))
        for start in range(0, n, self._max_batch):
            batch = slice(start, start + self._max_batch)
            results = self._evaluate(request.planes[batch], request.globals[batch])
            for output, result in zip(outputs, results):
                output[batch].copy_(result, non_blocking=True)
        event = None
        if self._is_cuda:
            event = torch.cuda.Event()
            event.record()
        return Pending(outputs, event)

    def _evaluate(self, planes, globals_):
        """Returns policy, numbers and ownership of a batch, on the device."""
        n, is_full = len(planes), bool(planes[:, 0].all())
        padding = self._padded(n) - n
        planes, globals_ = (self._on_device(pad(array, padding)) for array in (planes, globals_))
        mask = planes[:, :1].float()
        prediction = self._net(planes, globals_, None if is_full else mask)
        policy = prediction.policy
        if not is_full:
            on_board = torch.cat([mask.flatten(1), torch.ones_like(mask[:, 0, 0, :1])], 1) > 0
            policy = policy.where(on_board, 0.0)
        numbers = torch.stack([getattr(prediction, name) for name in NUMBERS], 1)
        return policy[:n], numbers[:n], prediction.ownership[:n]

    def _padded(self, n):
        """Returns the size of the batch in which `n` positions are evaluated."""
        if not self._is_compiled:
            return n
        return max(MIN_COMPILED_BATCH, 1 << (n - 1).bit_length())

    def _on_device(self, array):
        tensor = torch.from_numpy(array)
        if self._is_cuda:
            tensor = tensor.pin_memory()
        return tensor.to(self._device, non_blocking=True)


def pad(array, count):
    """Returns `array` with its last position repeated `count` more times."""
    return np.concatenate([array, array[-1:].repeat(count, 0)]) if count else array


def read_requests(stream, requests):
    """Puts all requests of a stream into a queue, followed by None or by the exception that ended the stream."""
    try:
        while (request := read_request(stream)) is not None:
            requests.put(request)
        requests.put(None)
    except (TeacherError, OSError, MemoryError) as error:
        requests.put(error)


def serve(evaluator, source, sink):
    """Evaluates the requests of `source` in order and writes the responses to `sink`, until the end of input. Raises
    TeacherError and OSError, after all complete requests have been answered."""
    requests = queue.Queue(READ_AHEAD)
    threading.Thread(target=read_requests, args=(source, requests), daemon=True).start()
    pending = None
    while True:
        try:
            # With a response pending, wait only for the device.
            request = requests.get(block=pending is None)
        except queue.Empty:
            write_response(sink, pending.finished())
            pending = None
            continue
        started = evaluator.start(request) if isinstance(request, Request) else None
        if pending is not None:
            write_response(sink, pending.finished())
        pending = started
        if isinstance(request, Exception):
            raise request
        if request is None:
            return
