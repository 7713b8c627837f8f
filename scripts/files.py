"""Files that are there whole or not at all, and folders that one program works in at a time."""

import contextlib
import fcntl
import os


def put(path, write):
    """Has `write` write a file beside `path`, and gives it that name once it is whole and on the disk. The older file
    outlives a full disk and a crash, and nothing is left beside it where `write` fails, which is an OSError whatever
    the library that writes calls it."""
    partial = f"{path}.part"
    try:
        write(partial)
        os.chmod(partial, mode_of(path))
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException as error:
        if os.path.exists(partial):
            os.remove(partial)
        if isinstance(error, Exception) and not isinstance(error, OSError):
            raise OSError(f"{path} cannot be written: {error}") from error
        raise


def mode_of(path):
    """Who may read and write what replaces a file: who may do so with that one, or with any new file."""
    if os.path.exists(path):
        return os.stat(path).st_mode & 0o777
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def held(folder):
    """A context that keeps a folder for whoever asks first; says whether that is so."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        first = True
    except BlockingIOError:
        first = False
    try:
        yield first
    finally:
        os.close(descriptor)
