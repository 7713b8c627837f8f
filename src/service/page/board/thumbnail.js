// Small pictures of positions, for lists of games.

import { svg } from "/core/dom.js";

/** Returns a small picture of a matrix of stones; of an empty board of `size` if there is none. */
export function thumbnail(matrix, size = [19, 19]) {
  const [width, height] = matrix ? [matrix[0].length, matrix.length] : size;
  let grid = "";
  for (let row = 0; row < height; row += 1) grid += `M0 ${row}H${width - 1}`;
  for (let column = 0; column < width; column += 1) grid += `M${column} 0V${height - 1}`;
  // Circles as two paths: a picture of a game has only a few elements.
  const paths = { black: "", white: "" };
  (matrix ?? []).forEach((row, y) => row.forEach((value, x) => {
    if (value !== 0) paths[value > 0 ? "black" : "white"] += `M${x - 0.48} ${y}a.48 .48 0 1 0 .96 0a.48 .48 0 1 0 -.96 0`;
  }));
  return svg("svg", { class: "thumbnail", viewBox: `-0.8 -0.8 ${width + 0.6} ${height + 0.6}`, "aria-hidden": "true" },
    svg("rect", { x: -0.8, y: -0.8, width: width + 0.6, height: height + 0.6, class: "wood" }), svg("path", { d: grid, class: "thumbnail-grid" }),
    svg("path", { d: paths.black, class: "thumbnail-black" }), svg("path", { d: paths.white, class: "thumbnail-white" }));
}
