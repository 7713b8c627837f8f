"""3x3 convolutions by Winograd's method for training on CPUs: builds and loads winograd.cpp and defines gradients.

Results differ from PyTorch's convolution by the rounding of bfloat16 in the Winograd domain, about 2% of their standard
deviation. A step of the default net takes less than half the time. `load` raises WinogradError on unsupported machines.
"""

import functools
import hashlib
import os
import subprocess
import tempfile

import torch
from torch.utils import cpp_extension

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCES = [os.path.join(FOLDER, name) for name in ("winograd.cpp", "winograd_tiles.h")]
# Number of channels per vector.
LANES = 16
NEEDED = "avx512_bf16"


class WinogradError(Exception):
    """Reason why the convolutions are unavailable; one line."""


@functools.cache
def load():
    """Registers the operators with PyTorch, and builds them on first use. Raises WinogradError."""
    if NEEDED not in _processor_flags():
        raise WinogradError(f"Winograd convolutions need a Linux machine whose processor has {NEEDED}")
    torch.ops.load_library(_built())
    _describe()


def fits(inputs, outputs, side):
    """Returns true if a convolution with these channels and this kernel size is supported."""
    return side == 3 and inputs % LANES == 0 and outputs % LANES == 0


def convolution(x, weight):
    """Convolves `x` [n, inputs, h, w], float32 on the CPU, with `weight` [outputs, inputs, 3, 3]."""
    return torch.ops.winograd.convolution(x, weight)


def _processor_flags():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next((line for line in file if line.startswith("flags")), "").split()
    except OSError:
        return []


def _built():
    """Returns the path of the library. Builds it unless it is cached for this source, PyTorch version and processor."""
    digest = hashlib.sha256(f"{torch.__version__} {' '.join(_processor_flags())}".encode())
    for source in SOURCES:
        with open(source, "rb") as file:
            digest.update(file.read())
    name = f"winograd-{digest.hexdigest()[:16]}.so"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(base, "honinbo")
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        try:
            os.makedirs(folder, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                partial = os.path.join(scratch, name)
                _compile(partial)
                os.replace(partial, path)
        except OSError as error:
            raise WinogradError(f"Winograd convolutions cannot be stored in {folder} ({error.strerror})") from error
    return path


def _compile(path):
    compiler = os.environ.get("CXX", "g++")
    command = [compiler, "-O3", "-march=native", "-std=c++20", "-fopenmp", "-shared", "-fPIC", SOURCES[0], "-o", path,
               f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
               *(f"-I{folder}" for folder in cpp_extension.include_paths()),
               *(f"-L{folder}" for folder in cpp_extension.library_paths()), "-ltorch_cpu", "-lc10"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise WinogradError(f"Winograd convolutions need the compiler {compiler} ({error.strerror})") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no error message"]
        raise WinogradError(f"{compiler} cannot build the Winograd convolutions ({lines[0]})")


def _describe():
    """Registers result shapes for PyTorch's compiler, and gradients."""
    operators = torch.ops.winograd

    @torch.library.register_fake("winograd::convolution")
    def _convolution(x, w):
        return _boards_like(x, w.shape[0])

    @torch.library.register_fake("winograd::input_gradient")
    def _input_gradient(dy, w):
        return _boards_like(dy, w.shape[1])

    @torch.library.register_fake("winograd::weight_gradient")
    def _weight_gradient(x, dy):
        return x.new_empty((dy.shape[1], x.shape[1], 3, 3))

    def keep(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def backward(ctx, dy):
        x, w = ctx.saved_tensors
        dx = operators.input_gradient(dy, w) if ctx.needs_input_grad[0] else None
        dw = operators.weight_gradient(x, dy) if ctx.needs_input_grad[1] else None
        return dx, dw

    torch.library.register_autograd("winograd::convolution", backward, setup_context=keep)


def _boards_like(x, channels):
    n, _, height, width = x.shape
    return x.new_empty((n, channels, height, width)).to(memory_format=torch.channels_last)
