"""Files that are there whole or not at all, and logs whose last line is whole."""

import os


def put(path, write):
    """Has `write` write a file beside `path`, and gives it that name once it is whole and on the disk. The older file
    outlives a full disk and a crash, and nothing is left beside it where `write` fails, which is an OSError whatever
    the library that writes calls it."""
    partial = f"{path}.part"
    try:
        write(partial)
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException as error:
        if os.path.exists(partial):
            os.remove(partial)
        if isinstance(error, Exception) and not isinstance(error, OSError):
            raise OSError(f"{path} cannot be written: {error}") from error
        raise


def drop_torn_line(path):
    """Takes from the end of a file what a full disk or a crash left of a line."""
    if os.path.exists(path):
        with open(path, "rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)
