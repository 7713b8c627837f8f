// Problems for beginners: common shapes of eyes in which the first move decides. Black plays first in all of them. The
// service proves the answers, so they are not part of the text.

/** Black and White stones of each problem on a 9x9 board, as points in SGF. */
const PROBLEMS = [
  // Three points in a row, to kill and to live.
  ["ac bc cc dc ec eb ea", "ab bb cb db da"],
  ["ab bb cb db da", "ac bc cc dc ec eb ea"],
  // Three points in the corner.
  ["da db dc cc bd ad cd", "ca cb bb bc ac"],
  // Four points in the shape of a T.
  ["ad ac bd cd dd ec fb fa", "aa ab bb bc cc dc db eb ea"],
  ["aa ab bb bc cc dc db eb ea", "ad ac bd cd dd ec fb fa"],
  // Five points.
  ["ad bd cd dd ec fb fa", "aa ab ac bc cc dc db eb ea"],
  // Stones on the second line.
  ["bb cb db eb fb gb hb", "ab ac bc cc dc ec fc gc hc ic ib"],
  ["ab ac bc cc dc ec fc gc hc ic ib", "bb cb db eb fb gb hb"],
  ["ab ac bc cc dc ec fc gc gb ga", "bb cb db eb fb"],
];

const points = (text) => text.split(" ").map((point) => `[${point}]`).join("");

/** Returns the problems as an SGF collection. */
export const starterProblems = () => PROBLEMS.map(([black, white]) => `(;GM[1]FF[4]SZ[9]AB${points(black)}AW${points(white)}PL[B])`).join("\n");
