// Graph of a game: Black's win rate as a solid line, Black's lead as a dashed line.

import { element } from "/board.js";

const [WIDTH, HEIGHT] = [320, 120];
/** Lead, in points, at the edge of the graph; larger leads are clamped. */
const FAR = 30;

export class Graph {
  /** Calls `go(index)` with the index of the position that the user clicks. */
  constructor(svg, go) {
    this.svg = svg;
    this.count = 1;
    svg.addEventListener("click", (event) => {
      const { left, width } = svg.getBoundingClientRect();
      go(Math.round(((event.clientX - left) / width) * (this.count - 1)));
    });
  }

  /** Draws the values of the positions, {winrate, lead} or null, and marks the current position, `now`. */
  show(values, now) {
    this.count = Math.max(values.length, 2);
    const x = (index) => (index / (this.count - 1)) * WIDTH;
    const path = (height) => {
      let pen = "M";
      return values.map((value, index) => {
        if (!value) return "";
        const step = `${pen}${x(index).toFixed(1)} ${height(value).toFixed(1)}`;
        pen = "L";
        return step;
      }).join("");
    };
    const clamped = (lead) => Math.min(Math.max(lead / FAR, -1), 1);
    this.svg.replaceChildren(
      element("path", { d: `M0 ${HEIGHT / 2}H${WIDTH}`, class: "axis" }),
      element("path", { d: path(({ lead }) => (1 - clamped(lead)) * HEIGHT / 2), class: "lead" }),
      element("path", { d: path(({ winrate }) => (1 - winrate) * HEIGHT), class: "curve" }),
      element("path", { d: `M${x(now)} 0V${HEIGHT}`, class: "now" }),
    );
    const value = values[now];
    this.svg.setAttribute("aria-label", value
      ? `Win rate by move. In this position, Black's win rate is ${(100 * value.winrate).toFixed(0)} percent.`
      : "Win rate by move. This position has not been analysed.");
  }
}
