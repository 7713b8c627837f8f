"""Atomic writing of files, and exclusive locks on folders."""

import contextlib
import fcntl
import os


def write_atomically(path, write):
    """Lets `write` write a temporary file next to `path`, and renames it when it is complete and on disk. A full disk
    or a crash leaves the older file intact. If `write` fails, removes the temporary file and raises OSError, whatever
    the exception of the writing library."""
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
    """Returns the permissions for a replaced file: from the older file, or the default for new files."""
    if os.path.exists(path):
        return os.stat(path).st_mode & 0o777
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask


@contextlib.contextmanager
def folder_lock(folder):
    """Context that locks a folder; its value is false if another process holds the lock."""
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
