// Go board drawn as SVG, with a keyboard cursor and input that aims before it plays on touch screens.
//
// The page has a board of its own instead of a component such as Sabaki's Shudan, OGS's goban, WGo, besogo or glift. None
// of them has names and keys for screen readers; they need a build step, a framework or canvas pictures; and the board
// has to show what an engine knows, in layers, updating only what has changed. The interface follows Shudan's: a map or
// list for each layer in one view (see `board/view.js`), colours only in the style sheet.

import { svg } from "/core/dom.js";
import { focusOn, hasKeyboardFocus } from "/core/input.js";
import { columnName, rowName, starPoints } from "/game/geometry.js";
import { Layers } from "/board/layers.js";
import { arrowHead } from "/board/marks.js";
import { stoneGradients } from "/board/stones.js";

/** Wood around the outer lines, with and without coordinates. */
const margin = (coordinates, lines) => (coordinates === "none" ? 0.7 : 0.85 + 0.016 * lines);
/** Distance of the coordinates from the outer lines. */
const outside = (lines) => 0.55 + 0.0132 * lines;
/** Layers that follow the pointer and the cursor. */
const POINTER_LAYERS = ["aim", "cursor"];
/** Points smaller than this, in CSS pixels, need a second tap. */
const SMALL = 30;

export class Board {
  /**
   * Creates a board in `parent`. Handlers: `play(column, row)` when a point is chosen; `hover(place)` when the pointer or
   * the cursor moves to a point ([column, row]) or leaves the board (null); `visit(column, row)` when the keyboard cursor
   * moves; `aimed(place)` when a tap has aimed at a point that a second tap would play, or null; `drawing(from, to)`
   * while a line is dragged from a point to another, `drawing(null)` when this has been cancelled, and `drawn(from, to)`
   * at its end.
   */
  constructor(parent, handlers) {
    this.parent = parent;
    this.handlers = handlers;
    this.cursor = null;
    this.aim = null; // point under the mouse or aimed at by a finger
    this.touched = false; // true if a finger has aimed
    this.layout = "";
  }

  /** Shows a view; `board/view.js` documents its fields. */
  show(view) {
    const [width, height] = [view.matrix[0].length, view.matrix.length];
    const layout = `${width} ${height} ${view.coordinates}`;
    if (layout !== this.layout) {
      this.layout = layout;
      this.#lay(width, height, view.coordinates);
    }
    // A finger aims only in the position that it has touched, and only while it can play or look at a move.
    const canAim = view.turn || view.discs?.length > 0;
    if (this.touched && this.view && (view.matrix !== this.view.matrix || !canAim)) this.#aimAt(null);
    this.view = view;
    this.svg.classList.toggle("aiming", this.touched || Boolean(view.draws));
    this.svg.setAttribute("aria-label", view.label);
    this.svg.setAttribute("aria-roledescription", view.role);
    this.layers.show(this.#whole());
  }

  /** Moves the focus to the board, with a cursor if the user works by keyboard. */
  focus() {
    focusOn(this.svg);
  }

  /** Plays the point that a finger has aimed at. */
  confirm() {
    const { aim } = this;
    if (!aim || !this.touched) return;
    this.#aimAt(null);
    this.handlers.play(...aim);
  }

  #whole() {
    const { aim, cursor, touched, size: [width, height] } = this;
    return { ...this.view, aim, cursor, touched, width, height };
  }

  #lay(width, height, coordinates) {
    this.size = [width, height];
    this.cursor = null;
    this.aim = null;
    if (this.touched) this.handlers.aimed(null);
    this.touched = false;
    const lines = Math.max(width, height);
    const edge = margin(coordinates, lines);
    const [right, bottom] = [width - 1 + 2 * edge, height - 1 + 2 * edge];
    const focused = this.svg && this.svg === document.activeElement;
    this.svg = svg("svg", {
      viewBox: `${-edge} ${-edge} ${right} ${bottom}`, tabindex: 0, role: "application", "aria-describedby": "said",
    });
    this.svg.append(svg("defs", {}, ...stoneGradients(), arrowHead(), grain()));
    const sheet = { x: -edge, y: -edge, width: right, height: bottom };
    this.svg.append(svg("rect", { ...sheet, class: "wood" }), svg("rect", { ...sheet, class: "grain", fill: "url(#grain)" }));
    let path = "";
    for (let row = 0; row < height; row += 1) path += `M0 ${row}H${width - 1}`;
    for (let column = 0; column < width; column += 1) path += `M${column} 0V${height - 1}`;
    this.svg.append(svg("path", { d: path, class: "grid" }));
    this.svg.append(svg("path", { d: `M0 0H${width - 1}V${height - 1}H0Z`, class: "grid border" }));
    for (const [cx, cy] of starPoints(width, height)) this.svg.append(svg("circle", { cx, cy, r: 0.045 + 0.003 * lines, class: "star" }));
    if (coordinates !== "none") this.#coordinates(width, height, coordinates);
    this.layers = new Layers(this.svg);
    this.parent.replaceChildren(this.svg);
    if (focused) this.svg.focus();
    // The style sheet limits the height of the board by this ratio.
    document.documentElement.style.setProperty("--ratio", right / bottom);
    this.#listen();
  }

  #coordinates(width, height, style) {
    // The lines of small boards are farther apart, so that smaller text has the same size on the screen.
    const lines = Math.max(width, height);
    const size = 0.165 + 0.0115 * lines;
    const label = (x, y, text) => this.svg.append(svg("text", { x, y, class: "label", "font-size": size, "aria-hidden": "true" }, text));
    for (let column = 0; column < width; column += 1) {
      for (const row of [-outside(lines), height - 1 + outside(lines)]) label(column, row, columnName(column, style));
    }
    for (let row = 0; row < height; row += 1) {
      for (const column of [-outside(lines), width - 1 + outside(lines)]) label(column, row, rowName(row, height, style));
    }
  }

  /** Draws lines by dragging, while the view has `draws`. */
  #listenToLines() {
    let [from, to] = [null, null];
    let dragged = false; // true until the click at the end of a line
    const isLine = () => from && String(from) !== String(to);
    const cancel = () => {
      if (isLine()) this.handlers.drawing(null);
      from = null;
    };
    this.svg.addEventListener("pointerdown", (event) => {
      dragged = false;
      from = to = this.view.draws && event.button === 0 && event.isPrimary ? this.#at(event) : null;
    });
    this.svg.addEventListener("pointermove", (event) => {
      const place = from && this.#at(event);
      if (!place || String(place) === String(to)) return;
      to = place;
      this.handlers.drawing(from, to);
    });
    this.svg.addEventListener("pointerup", () => {
      dragged = Boolean(isLine());
      if (dragged) this.handlers.drawn(from, to);
      from = null;
    });
    for (const name of ["pointercancel", "pointerleave"]) this.svg.addEventListener(name, cancel);
    this.svg.addEventListener("click", (event) => {
      if (dragged) event.stopImmediatePropagation();
      dragged = false;
    });
  }

  #listen() {
    const { svg: drawn } = this;
    this.#listenToLines();
    // Some browsers do not report the kind of pointer with clicks.
    let pointer = "mouse";
    drawn.addEventListener("pointerdown", (event) => {
      pointer = event.pointerType;
      if (this.cursor) this.#moveCursor(null);
    });
    drawn.addEventListener("click", (event) => {
      const place = this.#at(event);
      if (!place) return;
      if (pointer !== "mouse" && this.#aimsFirst()) this.#tap(place);
      else this.handlers.play(...place);
    });
    drawn.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse") this.#point(this.#at(event));
      else if (this.touched) this.#drag(this.#at(event));
    });
    drawn.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.#point(null));
    drawn.addEventListener("keydown", (event) => this.#key(event));
    drawn.addEventListener("blur", () => this.#moveCursor(null));
  }

  /** Returns the point at the position of an event, or null. */
  #at(event) {
    const where = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const [column, row] = [Math.round(where.x), Math.round(where.y)];
    const [width, height] = this.size;
    return column >= 0 && row >= 0 && column < width && row < height ? [column, row] : null;
  }

  /** True if the first tap only aims; it shows the variation of a candidate move. */
  #aimsFirst() {
    const { confirm, turn, discs } = this.view;
    if (discs?.length > 0) return true;
    if (!turn || confirm === "never") return false;
    return confirm === "always" || Math.abs(this.svg.getScreenCTM().a) < SMALL;
  }

  #tap(place) {
    if (this.touched && String(place) === String(this.aim)) this.confirm();
    else this.#aimAt(place);
  }

  /** Aims at a point with a finger, or at none. */
  #aimAt(place) {
    this.aim = place && this.view.matrix[place[1]][place[0]] === 0 ? place : null;
    this.touched = Boolean(this.aim);
    this.svg.classList.toggle("aiming", this.touched || Boolean(this.view.draws));
    this.#refresh();
    this.handlers.aimed(this.aim);
    this.handlers.hover(this.aim);
  }

  /** Follows a finger that aims. */
  #drag(place) {
    if (place && String(place) !== String(this.aim) && this.view.matrix[place[1]][place[0]] === 0) this.#aimAt(place);
  }

  /** Follows the mouse. */
  #point(place) {
    if (this.touched || String(place) === String(this.aim)) return;
    this.aim = place;
    this.#refresh();
    this.handlers.hover(place);
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // After mouse use, the arrow keys step through the game, as everywhere on the page.
    const step = hasKeyboardFocus() && { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) {
      const [width, height] = this.size;
      const [column, row] = this.cursor ?? [Math.floor(width / 2) - step[0], Math.floor(height / 2) - step[1]];
      this.#moveCursor([Math.min(Math.max(column + step[0], 0), width - 1), Math.min(Math.max(row + step[1], 0), height - 1)]);
      this.handlers.hover(this.cursor);
      this.handlers.visit(...this.cursor);
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      this.handlers.play(...this.cursor);
    } else if (event.key === "Escape" && this.touched) {
      this.#aimAt(null);
    } else if (event.key === "Escape" && this.cursor) {
      this.svg.blur();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #moveCursor(cursor) {
    this.cursor = cursor;
    this.#refresh();
  }

  #refresh() {
    if (this.view) this.layers.show(this.#whole(), POINTER_LAYERS);
  }
}

/** Fine lines of the wood, as a repeated gradient with irregular bands. */
function grain() {
  const bands = "0a 7b 9a 21c 24a 31b 37a 45b 47c 49a 63c 66b 69a 83b 86a 93c 100a".split(" ");
  return svg("linearGradient", { id: "grain", gradientUnits: "userSpaceOnUse", x1: 0, y1: 0, x2: 3.1, y2: 0.14, spreadMethod: "repeat" },
    ...bands.map((band) => svg("stop", { offset: `${band.slice(0, -1)}%`, class: `fiber ${band.at(-1)}` })));
}
