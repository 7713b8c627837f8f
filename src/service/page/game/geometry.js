// Geometry of boards: star points, names of lines and points. Columns and rows count from 0 at the upper left; one unit
// is the distance between two lines.

export const LETTERS = "ABCDEFGHJKLMNOPQRST";
const KANJI = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二", "十三", "十四", "十五", "十六", "十七", "十八", "十九"];
/** Minimum number of lines of a side with a star point in its middle. */
const LONG = 15;

/** Returns the coordinates of the star points along one axis: near the edges, and in the middle. */
function stars(side) {
  if (side < 7) return { edges: [], middle: [] };
  const edge = side < 13 ? 2 : 3;
  return { edges: [edge, side - 1 - edge], middle: side % 2 === 1 && side > 8 ? [(side - 1) / 2] : [] };
}

/** Returns the star points of a board: in the corners, in the centre, and on sides of `LONG` or more lines. */
export function starPoints(width, height) {
  const [across, down] = [stars(width), stars(height)];
  const cross = (columns, rows) => columns.flatMap((column) => rows.map((row) => [column, row]));
  return [
    ...cross(across.edges, down.edges),
    ...cross(across.middle, down.middle),
    ...(width < LONG ? [] : cross(across.middle, down.edges)),
    ...(height < LONG ? [] : cross(across.edges, down.middle)),
  ];
}

/** Returns the name of a column; `style` is "letters" (A to T without I) or "kanji" (numbers from the left). */
export const columnName = (column, style) => (style === "kanji" ? String(column + 1) : LETTERS[column]);

/** Returns a row's name; `style` is "letters" (numbers from the bottom) or "kanji" (Chinese numbers, from the top). */
export const rowName = (row, height, style) => (style === "kanji" ? KANJI[row] : String(height - row));

/** Returns the name of a vertex such as "Q16" in a style, on a board with `height` rows. */
export function pointName(vertex, height, style) {
  if (style !== "kanji") return vertex;
  const row = height - Number(vertex.slice(1));
  return `${LETTERS.indexOf(vertex[0]) + 1}-${KANJI[row] ?? row + 1}`;
}
