// Go board drawn as SVG: grid, stones, marks, and a keyboard cursor. One unit is the distance between two lines.

const NAMESPACE = "http://www.w3.org/2000/svg";

/** Creates an SVG element. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Creates a stone. `more` is appended to its list of classes. */
function stone(color, [cx, cy], more = "") {
  return element("circle", { cx, cy, r: 0.47, class: `stone ${color}${more}`, fill: `url(#${color}-stone)` });
}

/** Creates the gradient of a stone, lit from the upper left. The style sheet defines its colours. */
function shade(color) {
  const stop = (offset, part) => element("stop", { offset, class: `shade ${color} ${part}` });
  return element("radialGradient", { id: `${color}-stone`, cx: 0.35, cy: 0.3, r: 0.75 }, stop(0, "lit"), stop(1, "dim"));
}

const LETTERS = "ABCDEFGHJKLMNOPQRST";
/** Wood around the outer lines. */
const MARGIN = 1.1;
/** Distance of the coordinates from the outer lines. */
const OUTSIDE = 0.76;
/** Minimum number of lines of a side with a star point in its middle. */
const LONG = 15;

/** Returns the coordinates of the star points along one axis: near the edges, and in the middle. */
function stars(side) {
  if (side < 7) return { edges: [], middle: [] };
  const edge = side < 13 ? 2 : 3;
  return { edges: [edge, side - 1 - edge], middle: side % 2 === 1 && side > 8 ? [(side - 1) / 2] : [] };
}

/**
 * Returns the star points of a board, [column, row]: in the corners, in the centre, and on sides of `LONG` or more
 * lines.
 */
function starPoints(width, height) {
  const [across, down] = [stars(width), stars(height)];
  const cross = (columns, rows) => columns.flatMap((column) => rows.map((row) => [column, row]));
  return [
    ...cross(across.edges, down.edges),
    ...cross(across.middle, down.middle),
    ...(width < LONG ? [] : cross(across.middle, down.edges)),
    ...(height < LONG ? [] : cross(across.edges, down.middle)),
  ];
}

export class Board {
  /**
   * Creates a board in `parent`. Calls `play(column, row)` when a point is chosen, `hover(place)` when the pointer or
   * cursor moves to a point ([column, row]) or leaves the board (null), and `visit(column, row)` when the keyboard
   * cursor moves.
   */
  constructor(parent, { play, hover, visit }) {
    this.parent = parent;
    this.play = play;
    this.hover = hover;
    this.visit = visit;
    this.cursor = null;
    this.aim = null; // point under the mouse
    this.size = [0, 0];
  }

  /**
   * Shows a position. `view` has the `matrix` of stones (1 black, -1 white, 0 empty), a `label` for screen readers, and
   * optionally:
   * - `last`: last move, [column, row]
   * - `turn`: colour of the stone shown under the mouse
   * - `dead`: dead stones, a set of "column,row"
   * - `owners`: matrix from 1 (Black's) to -1 (White's)
   * - `hints`: analysed moves, [{at, lines, best, share}]; `share` is relative to the visits of the best move
   * - `line`: a variation, [{at, color}]
   */
  show(view) {
    this.view = view;
    const [width, height] = [view.matrix[0].length, view.matrix.length];
    if (width !== this.size[0] || height !== this.size[1]) this.#lay(width, height);
    this.svg.setAttribute("aria-label", view.label);
    this.marks.replaceChildren(...this.#stones(), ...this.#owners(), ...this.#last(), ...this.#hints(), ...this.#line());
    this.#point();
  }

  #lay(width, height) {
    this.size = [width, height];
    this.cursor = null;
    this.aim = null;
    const [right, bottom] = [width - 1 + 2 * MARGIN, height - 1 + 2 * MARGIN];
    this.svg = element("svg", {
      viewBox: `${-MARGIN} ${-MARGIN} ${right} ${bottom}`, tabindex: 0, role: "application",
      "aria-roledescription": "Go board", "aria-describedby": "said",
    });
    this.svg.append(element("defs", {}, ...["black", "white"].map(shade)));
    this.svg.append(element("rect", { x: -MARGIN, y: -MARGIN, width: right, height: bottom, class: "wood" }));
    let path = "";
    for (let row = 0; row < height; row += 1) path += `M0 ${row}H${width - 1}`;
    for (let column = 0; column < width; column += 1) path += `M${column} 0V${height - 1}`;
    this.svg.append(element("path", { d: path, class: "grid" }));
    for (const [cx, cy] of starPoints(width, height)) this.svg.append(element("circle", { cx, cy, r: 0.11, class: "star" }));
    // The lines of small boards are farther apart, so that smaller text has the same size on the screen.
    const size = 0.2 + 0.01 * Math.max(width, height);
    const label = (x, y, text) => this.svg.append(element("text", {
      x, y, class: "label", "font-size": size, "aria-hidden": "true",
    }, text));
    for (let column = 0; column < width; column += 1) {
      for (const row of [-OUTSIDE, height - 1 + OUTSIDE]) label(column, row, LETTERS[column]);
    }
    for (let row = 0; row < height; row += 1) {
      for (const column of [-OUTSIDE, width - 1 + OUTSIDE]) label(column, row, String(height - row));
    }
    this.marks = element("g");
    this.pointer = element("g");
    this.svg.append(this.marks, this.pointer);
    this.parent.replaceChildren(this.svg);
    // The style sheet limits the height of the board by this ratio.
    this.parent.style.setProperty("--ratio", right / bottom);
    this.#listen();
  }

  #listen() {
    const at = (event) => {
      const matrix = this.svg.getScreenCTM();
      const where = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      const [column, row] = [Math.round(where.x), Math.round(where.y)];
      const [width, height] = this.size;
      return column >= 0 && row >= 0 && column < width && row < height ? [column, row] : null;
    };
    this.svg.addEventListener("click", (event) => {
      const place = at(event);
      if (place) this.play(...place);
    });
    const aim = (place) => {
      this.aim = place;
      this.#point();
      this.hover(place);
    };
    this.svg.addEventListener("pointermove", (event) => event.pointerType === "mouse" && aim(at(event)));
    this.svg.addEventListener("pointerleave", () => aim(null));
    this.svg.addEventListener("keydown", (event) => this.#key(event));
    this.svg.addEventListener("blur", () => this.#show(null));
  }

  #key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step && !event.altKey && !event.ctrlKey && !event.metaKey) {
      const [width, height] = this.size;
      const [column, row] = this.cursor ?? [Math.floor(width / 2) - step[0], Math.floor(height / 2) - step[1]];
      this.#show([Math.min(Math.max(column + step[0], 0), width - 1), Math.min(Math.max(row + step[1], 0), height - 1)]);
      this.hover(this.cursor);
      this.visit(...this.cursor);
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      this.play(...this.cursor);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #show(cursor) {
    this.cursor = cursor;
    this.#point();
  }

  #point() {
    const marks = [];
    const { turn, line, matrix } = this.view;
    if (this.aim && turn && !line && matrix[this.aim[1]][this.aim[0]] === 0) {
      const [cx, cy] = this.aim;
      marks.push(element("circle", { cx, cy, r: 0.47, class: "aim", fill: `url(#${turn}-stone)` }));
    }
    if (this.cursor) {
      const [x, y] = this.cursor;
      for (const part of ["cursor-edge", "cursor"]) {
        marks.push(element("rect", { x: x - 0.45, y: y - 0.45, width: 0.9, height: 0.9, class: part }));
      }
    }
    this.pointer.replaceChildren(...marks);
  }

  #cells(matrix, make) {
    return matrix.flatMap((cells, row) => cells.map((value, column) => make(value, column, row))).filter(Boolean);
  }

  #stones() {
    const dead = this.view.dead ?? new Set();
    return this.#cells(this.view.matrix, (value, column, row) => (
      value && stone(value > 0 ? "black" : "white", [column, row], dead.has(`${column},${row}`) ? " dead" : "")
    ));
  }

  #owners() {
    if (!this.view.owners) return [];
    return this.#cells(this.view.owners, (value, column, row) => {
      const side = 0.36 * Math.abs(value);
      return side > 0.04 && element("rect", {
        x: column - side / 2, y: row - side / 2, width: side, height: side, class: `owner ${value > 0 ? "black" : "white"}`,
      });
    });
  }

  #last() {
    if (!this.view.last) return [];
    const [cx, cy] = this.view.last;
    return [element("circle", { cx, cy, r: 0.25, class: "last" })];
  }

  #hints() {
    return (this.view.hints ?? []).flatMap(({ at: [x, y], lines, best, share }) => [
      element("circle", { cx: x, cy: y, r: 0.46, class: `hint${best ? " best" : ""}`, opacity: 0.85 + 0.15 * share }),
      ...lines.map((text, index) => element("text", {
        x, y: y + 0.02 + (index - (lines.length - 1) / 2) * 0.32 + 0.1, class: "hint-text",
      }, text)),
    ]);
  }

  #line() {
    return (this.view.line ?? []).flatMap(({ at: [x, y], color }, index) => [
      stone(color, [x, y], " ghost"),
      element("text", { x, y, class: `number on-${color}` }, String(index + 1)),
    ]);
  }
}
