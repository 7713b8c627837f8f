"""Files that are there whole or not at all."""

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
