"""Reader of the game records in a copy of the public repository `yenw/computer-go-dataset`.

Reads every record of a part (a month or a folder) in a fixed order, as a `Record` or as the reason for its rejection.
Missing and damaged files are reported and skipped.

Server records consist of two files: an index with a line per game (number, date, names, result, length), and a file per
month with the moves by game number. Program records are SGF files, in a folder per program or tournament.
"""

import os
import re
import zipfile
import zlib
from dataclasses import dataclass

from records.board import PASS, POINTS, SIDE

TYGEM, TOM = 0, 1
# Folders in which all players are programs.
ALL = None
# Source id, folder, names of the program. The order of the table is the order of the search for duplicates.
FOLDERS = (
    (10, "AlphaGo Zero", ALL),
    (11, "AlphaGo 2.0", ("AlphaGo",)),
    (12, "AlphaGo", ("AlphaGo",)),
    (13, "master", ("Master", "Magist")),
    (14, "FineArt", ("绝艺",)),
    (15, "fuheyuqi", ("符合预期",)),
    (16, "Li Long", ("骊龙",)),
    (17, "Xing Tian", ("刑天",)),
    (18, "Tian Xia Wu Gou", ("天下无狗20",)),
    (19, "Sweeper", ("扫地僧2016", "野狐扫地僧")),
    (20, "Tiger", ("虎虎有生气",)),
    (21, "BensonDarr", ("BensonDarr",)),
    (22, "Shi Kong Qi Dian", ("时空奇点",)),
    (23, "Jin Mao Ce Shi", ("金毛测试",)),
    (24, "DeepZenGo", ("DeepZenGo", "deepzengo")),
    (25, "Zen19L", ALL),
    (26, "CGI Fox Go Server", ("CGI",)),
    (27, "Dancer", ("Dancer", "舞者")),
    (28, "dolbaram9", ("돌바람",)),
    (29, "HanDol", ("HanDol", "Handol")),
    (30, "The 1st World AI Go Open 2017", ALL),
    (31, "Berry Genomics Cup 2018 World AI Weiqi Competition", ALL),
    (32, "2018 Tencent World AI WEIQI Competition", ALL),
    (33, "The 2nd World AI Go Open 2018", ALL),
    (34, "Berry Genomics Cup 2019 World AI Weiqi Competition", ALL),
    (35, "2019 China Securities Cup World AI WEIQI Open", ALL),
    (36, "The 11th Computer Go UEC Cup", ALL),
    (37, "2020 World GO AI Championship", ALL),
    (40, "DeepZenGo/TYGEM", ("DeepZen(P)",)),
    (41, "DeepZen(B)", ("DeepZen(B)",)),
    (42, "CGI", ("CGI(P)",)),
    (43, "CGI(B)", ("CGI(B)",)),
    (44, "DolBaram", ("돌바람(P)",)),
    (45, "Dancer(P)", ("舞者(P)",)),
    (46, "Leela", ("Leela(P)",)),
    (47, "Leela(B)", ("Leela(B)",)),
    (48, "CNC", ("cnculture(P)",)),
    (49, "cnculture(B)", ("cnculture(B)",)),
)
PROGRAMS = {source: names for source, _, names in FOLDERS}
# Folders from this id have the format of server records, with an index.
FIRST_INDEXED = 40

BLACK, WHITE = 1, 2
BY_POINTS, BY_RESIGNATION, UNKNOWN_MANNER = 0, 1, 3
NO_RANK, NINE_DAN, PROFESSIONAL, PROGRAM = 0, 9, 20, 30

# Tolerance, since the lengths in the index are sometimes off by a few moves.
LENGTH_SLACK = 3
KOMI_6_5, KOMI_7_5 = 13, 15
# Units of komi on the servers: points, hundredths of points, or hundredths of stones (two points each).
KOMIS = {5.5: 11, 6.0: 12, 6.5: KOMI_6_5, 7.0: 14, 7.5: KOMI_7_5, 8.0: 16,
         550.0: 11, 650.0: KOMI_6_5, 750.0: KOMI_7_5, 375.0: KOMI_7_5}


class Rejected(Exception):
    """Rejected record; the text is the reason, as in the table."""


class Unreadable(Exception):
    """Unreadable file; the text is the error with the path."""


@dataclass
class Record:
    """A game as recorded in the repository. `komi` and `margin` are in half points."""

    source: int
    date: str  # only digits: year, then month and day if known
    komi: int
    komi_assumed: bool
    winner: int
    manner: int
    margin: int
    ranks: tuple
    programs: tuple
    moves: list


def _codes():
    points = {chr(97 + at % SIDE) + chr(97 + at // SIDE): at for at in range(POINTS)}
    points.update({"": PASS, "tt": PASS})
    return {f"{colour}[{name}]": (turn, at) for turn, colour in enumerate("BW") for name, at in points.items()}


# Colour and point of a move by its text.
CODES = _codes()


def alternating(turns):
    """Returns the points of moves (colour, point). The colours must alternate, starting with Black."""
    if any(colour != number & 1 for number, (colour, _) in enumerate(turns)):
        raise Rejected("colours do not alternate")
    return [point for _, point in turns]


def parse_moves(text):
    """Parses the moves of `;B[pd];W[dd]`…"""
    head, *turns = text.rstrip("\r\n ").split(";")
    if head or not turns:
        raise Rejected("damaged record")
    try:
        return alternating([CODES[turn] for turn in turns])
    except KeyError as error:
        raise Rejected("damaged record") from error


def parse_result(text):
    """Parses winner, manner and margin of `B+R`, `W+12.5`, `B`."""
    text = text.strip()
    match = re.fullmatch(r"([BW])(?:\+(R|Resign|\d+(?:\.\d+)?)?)?", text)
    if not match:
        raise Rejected("no winner" if re.match(r"$|0$|\?|D", text, re.IGNORECASE) else "lost on time or otherwise")
    winner, how = BLACK if match[1] == "B" else WHITE, match[2]
    if how is None:
        return winner, UNKNOWN_MANNER, 0
    if how.startswith("R"):
        return winner, BY_RESIGNATION, 0
    margin = 2 * float(how)
    # A margin of less than a quarter of a point is not the result of counting.
    if not 0.5 <= margin < 1 << 16:
        raise Rejected("lost on time or otherwise")
    # Quarters come from counting in stones, not in points.
    return (winner, BY_POINTS, int(margin)) if margin.is_integer() else (winner, UNKNOWN_MANNER, 0)


def parse_komi(text, japanese):
    """Parses a komi and returns whether it had to be assumed; `None` means that the record has none."""
    try:
        value = float(text or 0)
    except ValueError:
        value = 0.0
    if value == 0.0:
        # The server that records 0 uses 6.5. Records without komi are of matches under area rules.
        return (KOMI_7_5 if text is None and not japanese else KOMI_6_5), True
    if value not in KOMIS:
        raise Rejected("other komi")
    return KOMIS[value], False


def parse_rank(text):
    """Returns the code of a rank; a P marks a professional."""
    if "p" in text.lower():
        return PROFESSIONAL
    match = re.match(r"([1-9])\s*(?:d|段)", text, re.IGNORECASE)
    return int(match[1]) if match else NO_RANK


def digits(text):
    """Returns the digits of the year, month and day at the start of a date."""
    match = re.match(r"C?((?:\d+[-./]?)*)", text)
    return re.sub(r"\D", "", match[1])[:8]


def server_record(source, fields, text):
    """Parses a server record with 11 index fields (TYGEM, two names per player) or 8 (Tom, with komi)."""
    if len(fields) < (8 if source == TOM else 11):
        raise Rejected("damaged record")
    if source == TOM:
        _, date, white, black, komi, result, length = fields[:7]
        names = ((black,), (white,))
        komi, assumed = parse_komi(komi, True)
    else:
        _, date, white, white_latin, _, black, black_latin, _, result, length = fields[:10]
        names = ((black, black_latin), (white, white_latin))
        komi, assumed = KOMI_6_5, False
    moves = parse_moves(text)
    if not length.isdecimal():
        raise Rejected("damaged record")
    if abs(len(moves) - int(length)) > LENGTH_SLACK:
        raise Rejected("length not as in the index")
    winner, manner, margin = parse_result(result)
    programs = tuple(name[0] in PROGRAMS.get(source, ()) for name in names)
    ranks = tuple(PROGRAM if program else PROFESSIONAL if any("(P)" in part for part in name) else NINE_DAN
                  for name, program in zip(names, programs))
    return Record(source, digits(date), komi, assumed, winner, manner, margin, ranks, programs, moves)


PROPERTY = re.compile(r"([()])|;|([A-Za-z]+)((?:\s*\[(?:[^\]\\]|\\.)*\])+)", re.DOTALL)
VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)


def parse_sgf(text):
    """Returns the root properties of an SGF file, the moves of its main line, and whether stones were set up."""
    root, turns, set_up = {}, [], False
    for bracket, name, values in PROPERTY.findall(text):
        if bracket == ")":
            # The main line is the first variation at every branch, so it ends with the first branch that ends.
            return root, turns, set_up
        if name in ("B", "W"):
            try:
                turns += [CODES[name + value] for value in re.findall(r"\[[^\]]*\]", values)]
            except KeyError as error:
                raise Rejected("damaged record") from error
        elif name in ("AB", "AW"):
            set_up = True
        elif name and name not in root:
            root[name] = VALUE.search(values)[1]
    raise Rejected("damaged record")


def sgf_record(source, text):
    """Parses the record of an SGF file."""
    root, turns, set_up = parse_sgf(text)
    if set_up:
        raise Rejected("stones set up")
    if re.fullmatch(r"[1-9]\d?", root.get("HA", "").strip()):
        raise Rejected("handicap")
    if root.get("SZ", "19") != "19":
        raise Rejected("other board size")
    moves = alternating(turns)
    winner, manner, margin = parse_result(root.get("RE", ""))
    komi, assumed = parse_komi(root.get("KM"), root.get("RU", "").startswith("Japan"))
    known = PROGRAMS[source]
    programs = tuple(known is ALL or root.get(player) in known for player in ("PB", "PW"))
    ranks = tuple(PROGRAM if program else parse_rank(root.get(rank, "")) for rank, program in zip(("BR", "WR"), programs))
    return Record(source, digits(root.get("DT", "")), komi, assumed, winner, manner, margin, ranks, programs, moves)


def attempt(parse, *arguments):
    """Returns the record, or the reason for its rejection."""
    try:
        return parse(*arguments)
    except Rejected as reason:
        return str(reason)


def month_lines(data, month):
    """Returns the fields of a month's index lines (`2009-03`). Lines without a date belong to no month."""
    date = re.escape(month.replace("-", ".")).encode()
    lines = re.findall(rb"^[^\t\n]*\tC?" + date + rb"\.[^\n]*", data, re.MULTILINE)
    return [line.decode("utf-8", "replace").split("\t") for line in lines]


def moves_by_number(data):
    """Returns the move texts in the file of a month."""
    lines = (line.split("\t", 1) for line in data.decode("utf-8", "replace").split("\n"))
    return dict(line for line in lines if len(line) == 2)


def read_bytes(path):
    """Returns the bytes of a file, or of the members of a zip archive."""
    try:
        if not path.endswith(".zip"):
            with open(path, "rb") as file:
                return file.read()
        with zipfile.ZipFile(path) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())
    except (OSError, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise Unreadable(f"{path} cannot be read: {error}") from error


@dataclass(frozen=True)
class Part:
    """A part of the repository that is read as a unit: a month with its index, or a folder of SGF files."""

    source: int
    path: str
    index: str = ""
    month: str = ""

    def read(self):
        """Returns records and reasons in order, and the errors in files."""
        if self.index:
            return self._month()
        found, notes = [], []
        for path in sorted(game_files(self.path)):
            try:
                text = read_bytes(path).decode("utf-8", "replace")
            except Unreadable as error:
                notes.append(str(error))
                continue
            found.append(attempt(sgf_record, self.source, text))
        return found, notes

    def _month(self):
        try:
            index = month_lines(read_bytes(self.index), self.month)
            moves = moves_by_number(read_bytes(self.path))
        except Unreadable as error:
            return [], [str(error)]
        return [attempt(server_record, self.source, fields, moves.get(fields[0], "")) for fields in index], []


def game_files(folder):
    """Returns the paths of the SGF files in a folder and its subfolders."""
    for place, _, names in os.walk(folder):
        yield from (os.path.join(place, name) for name in names if name.lower().endswith(".sgf"))


def month_range(text):
    """Parses months such as `2016-06` or `2005-11..2010-07`."""
    first, _, last = text.partition("..")
    ends = [re.fullmatch(r"(\d{4})-(0[1-9]|1[0-2])", end) for end in (first, last or first)]
    if not all(ends):
        raise ValueError(f"expected a month as 2016-06 or months as 2005-11..2010-07, found {text}")
    first, last = (int(end[1]) * 12 + int(end[2]) - 1 for end in ends)
    return [f"{number // 12:04}-{number % 12 + 1:02}" for number in range(first, last + 1)]


TYGEM_MONTHS = month_range("2005-11..2016-12")
TOM_MONTHS = month_range("2003-09..2011-12")


def parts(root, months):
    """Returns the parts of a copy of the repository with these months of TYGEM, and the missing files."""
    found = [Part(TYGEM, f"{root}/TYGEM/Kifu/{month}.zip", f"{root}/TYGEM/index/Kifu{month[:4]}.zip", month) for month in months]
    found += [Part(TOM, f"{root}/Tom/kifu/{month}", f"{root}/Tom/Kifu.index", month) for month in TOM_MONTHS]
    for source, name, _ in FOLDERS:
        folder = f"{root}/AI/{name}"
        if source < FIRST_INDEXED:
            found.append(Part(source, folder))
        elif os.path.isdir(f"{folder}/kifu"):
            found += [Part(source, f"{folder}/kifu/{month}", f"{folder}/kifu.index", month)
                      for month in sorted(os.listdir(f"{folder}/kifu"))]
        else:
            found.append(Part(source, f"{folder}/kifu"))
    lacking = {path: None for part in found for path in (part.path, part.index) if path and not os.path.exists(path)}
    return [part for part in found if not {part.path, part.index} & lacking.keys()], list(lacking)
