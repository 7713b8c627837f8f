#!/usr/bin/env python3
"""Packs the games in a copy of the public repository `yenw/computer-go-dataset` into training archives.

    scripts/pack.py --source DIR --out DIR [--games N] [--valid N] [--shards N] [--seed N] \
        [--months 2009-03 2010-09..2011-06]

The source is a working copy of the repository; missing and damaged files are reported and skipped. Selects games of
TYGEM, Tom and programs that ended normally, without handicap, and that every engine can replay; of games with the same
opening only one. Needs only Python's standard library.

The archives have the format of `src/learn/archive.rs` and do not depend on the number of jobs. Each is complete as soon
as it has its final name.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import lzma
import os
import random
import struct
import sys
from pathlib import Path

from files import write_atomically
from records import board, dataset
from records.dataset import TOM, TYGEM

MAGIC = b"GOKIFU1\n"
HEADER = struct.Struct("<BbBBBBHBBBBBBH")
MIN_MOVES = 60
# The archive reader rejects longer games.
MAX_MOVES = 4_000
# A move takes two bytes, so bytes at even and odd positions have different statistics.
LZMA = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 3, "lp": 1, "pb": 1, "dict_size": 64 << 20}]
# Each process takes about 700 MiB for its dictionary.
MAX_COMPRESSORS = 4

Game = collections.namedtuple("Game", "source date opening data")
SERVERS = (TYGEM, TOM)


def rejection_reason(record):
    """Returns why a record is rejected, or None."""
    moves = record.moves
    if len(moves) < MIN_MOVES:
        return "fewer than 60 moves"
    if len(moves) > MAX_MOVES:
        return "more than 4000 moves"
    if board.PASS in moves[:MIN_MOVES]:
        return "pass in the first 60"
    return board.illegality(moves)


def encode(record):
    """Returns a game's bytes in an archive."""
    year = int(record.date[:4] or 0) - 2000
    month = int(record.date[4:6] or 0)
    flags = record.programs[0] | record.programs[1] << 1 | record.komi_assumed << 2
    head = HEADER.pack(board.SIDE, record.komi, 0, record.winner, record.manner, record.source, record.margin, *record.ranks,
                       flags, year if 0 < year < 256 else 0, month if 0 < month < 13 else 0, 0, len(record.moves))
    return head + struct.pack(f"<{len(record.moves)}H", *record.moves)


def read_valid_games(part):
    """Returns the valid games of a part, the number of rejected records by reason, and errors in files."""
    records, notes = part.read()
    games, counts = [], collections.Counter({"records": len(records)})
    for record in records:
        reason = record if isinstance(record, str) else rejection_reason(record)
        if reason is not None:
            counts[reason] += 1
            continue
        opening = struct.pack(f"<{MIN_MOVES}H", *board.least_image(record.moves[:MIN_MOVES]))
        games.append(Game(record.source, record.date, hashlib.blake2b(opening, digest_size=16).digest(), encode(record)))
    return games, counts, notes


def column(source):
    """Returns the table column of a source."""
    return {TYGEM: "TYGEM", TOM: "Tom"}.get(source, "programs")


def gather_games(parts, jobs):
    """Returns the valid games of all parts, and the counts by column."""
    games, table = [], collections.defaultdict(collections.Counter)
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for part, (found, counts, notes) in zip(parts, pool.map(read_valid_games, parts)):
            for note in notes:
                print_error(note)
            table[column(part.source)].update(counts)
            games += found
    return games, table


def result_of(data):
    """Returns winner, manner and margin from a game's bytes; the source lies between them."""
    return data[3:5] + data[6:8]


def choose(games, limit, table):
    """Selects at most `limit` games: programs before servers, newest day first. Of games with the same opening under
    any symmetry, only the first is selected."""
    programs = [game for game in games if game.source not in SERVERS]
    # Games of the same day remain in the order of the indexes.
    served = sorted((game for game in games if game.source in SERVERS), key=lambda game: game.date, reverse=True)
    openings, chosen = {}, []
    for game in programs + served:
        counts = table[column(game.source)]
        first = openings.setdefault(game.opening, game.data)
        if first is not game.data:
            counts[f"duplicate, {'same' if result_of(first) == result_of(game.data) else 'other'} result"] += 1
        elif len(chosen) == limit:
            counts["more than asked for"] += 1
        else:
            counts["kept"] += 1
            chosen.append(game.data)
    return chosen


def pack(games):
    """Returns the archive of these games, uncompressed and compressed."""
    data = MAGIC + struct.pack("<II", len(games), HEADER.size) + b"".join(games)
    packed = lzma.compress(data, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, filters=LZMA)
    if lzma.decompress(packed) != data:
        raise ValueError("an archive does not unpack to what was packed")
    return packed, hashlib.sha256(data).hexdigest()


def write(path, data):
    """Writes a file atomically."""
    write_atomically(path, lambda partial: Path(partial).write_bytes(data))


def moves_of(games):
    """Returns the number of moves of these games."""
    return sum((len(data) - HEADER.size) // 2 for data in games)


def write_archives(out, games, valid, shards, jobs):
    """Writes the archives: the first `valid` games to one, the others in equal parts to the rest."""
    train = games[valid:]
    bounds = [len(train) * number // shards for number in range(shards + 1)]
    archives = {f"train-{number:02}": train[start:stop] for number, (start, stop) in enumerate(zip(bounds, bounds[1:]))}
    if valid:
        archives["valid-00"] = games[:valid]
    os.makedirs(out, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor(min(jobs, MAX_COMPRESSORS)) as pool:
        for name, (packed, check) in zip(archives, pool.map(pack, archives.values())):
            write(os.path.join(out, name + ".kifu.xz"), packed)
            print(f"{name}.kifu.xz: {len(archives[name])} games, {moves_of(archives[name])} moves, {len(packed)} bytes; "
                  f"sha256 unpacked {check}", flush=True)


def print_table(table):
    """Prints the number of rejected records by reason and column."""
    columns = [name for name in ("TYGEM", "Tom", "programs") if name in table]
    reasons = sorted(set().union(*table.values()) - {"records", "kept"})
    print("\n| | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    for reason in ["records", *reasons, "kept"]:
        print(f"| {reason} | " + " | ".join(str(table[name][reason]) for name in columns) + " |")


def print_error(text):
    """Prints one line to standard error."""
    print(f"pack: {text}", file=sys.stderr, flush=True)


def at_least(least):
    """Returns a parser of integers from `least`."""
    def parse(text):
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"must be an integer from {least}, not {text}")
        return number
    parse.__name__ = "integer"
    return parse


def month_range(text):
    """Parses a range of months."""
    try:
        return dataset.month_range(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from error


def arguments(given):
    """Parses the command line."""
    parser = argparse.ArgumentParser(description="Packs the games of yenw/computer-go-dataset into training archives.")
    parser.add_argument("--source", required=True, help="working copy of the repository")
    parser.add_argument("--out", required=True, help="folder for the archives")
    parser.add_argument("--games", type=at_least(1), default=608_000, help="maximum number of games (default: %(default)s)")
    parser.add_argument("--valid", type=at_least(0), default=2_000, help="games of these for valid-00, for validation (default: %(default)s)")
    parser.add_argument("--shards", type=at_least(1), default=12, help="number of training archives (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the games' order (default: %(default)s)")
    parser.add_argument("--months", type=month_range, nargs="+", default=[dataset.TYGEM_MONTHS], metavar="MONTH",
                        help="months of TYGEM, as 2016-06 or 2005-11..2010-07 (default: all)")
    parser.add_argument("--jobs", type=at_least(1), default=max(1, (os.cpu_count() or 1) - 1),
                        help="number of processes (default: %(default)s)")
    return parser.parse_args(given)


def main(given=None):
    args = arguments(given)
    if not os.path.isdir(args.source):
        sys.exit(f"pack: {args.source} is not a folder")
    if any(Path(args.out).glob("*.kifu.xz")):
        # An older validation set could end up among the new training games.
        sys.exit(f"pack: {args.out} already contains archives")
    months = sorted(set().union(*args.months))
    parts, lacking = dataset.parts(args.source, months)
    for path in lacking:
        print_error(f"{path} is missing")
    games, table = gather_games(parts, args.jobs)
    games = choose(games, args.games, table)
    if len(games) <= args.valid:
        sys.exit(f"pack: {args.source} has {len(games)} usable games; --valid {args.valid} needs more")
    random.Random(args.seed).shuffle(games)
    try:
        write_archives(args.out, games, args.valid, args.shards, args.jobs)
    except OSError as error:
        sys.exit(f"pack: {error}")
    print(f"{len(games)} games, {moves_of(games)} moves")
    print_table(table)


if __name__ == "__main__":
    main()
