// Panel of the game tree. Only the nodes in the visible part are drawn, so that large trees scroll smoothly.

import { make, svg } from "/core/dom.js";
import { on } from "/core/store.js";
import { layout } from "/game/layout.js";
import { GRADES } from "/game/loss.js";
import { hasMarks } from "/game/marks.js";
import { seek } from "/game/navigation.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { t } from "/texts/texts.js";

/** Distances of columns and rows, margin around the tree, and radius of nodes, in CSS pixels. */
const [WIDTH, HEIGHT, MARGIN, RADIUS] = [30, 30, 20, 11];
/** Time after which the element is scrolled to the part that is drawn, in milliseconds. */
const REST = 120;
/** Height of a scroll bar with the borders. */
const BAR = 18;

let scroller;
let space;
let drawing;
/** Part of the tree that is drawn. Measuring the element instead would force a layout of the page at every step. */
const view = { left: 0, top: 0, width: 0, height: 0 };
/** Size of the whole drawing. */
let size = [0, 0];
let shown = null; // node that was brought into view last
let scrolling = null; // timer after which the element is scrolled to `view`

const x = (column) => MARGIN + column * WIDTH;
const y = (row) => MARGIN + row * HEIGHT;

/** Class of the dot for the grade of a node's move, or "" if the move is good or has not been reviewed. */
function gradeOf(node) {
  const grade = node.review?.grade ?? GRADES[0];
  return grade === GRADES[0] ? "" : grade;
}

/** Returns the path of the connection of a node to its parent. */
function connection([column, row], [, parentRow]) {
  const [fromX, toX, toY] = [x(column - 1), x(column), y(row)];
  if (row === parentRow) return `M${fromX} ${toY}H${toX}`;
  return `M${fromX} ${y(parentRow)}V${toY - HEIGHT / 2}L${fromX + HEIGHT / 2} ${toY}H${toX}`;
}

/** Draws a node with its number and the signs of comments, marks and mistakes. */
function drawNode(node, [column, row], number) {
  const [cx, cy] = [x(column), y(row)];
  const parts = [];
  if (node.move) {
    parts.push(svg("circle", { cx, cy, r: RADIUS, class: `node ${node.move[0]}` }));
    const text = node.move[1] === "pass" ? "–" : String(number);
    parts.push(svg("text", { x: cx, y: cy, class: `node-text ${node.move[0]}`, "font-size": text.length > 3 ? 7 : text.length > 2 ? 8.5 : 10 }, text));
  } else {
    const side = RADIUS * 0.75;
    parts.push(svg("rect", { x: cx - side, y: cy - side, width: 2 * side, height: 2 * side, rx: 3, class: "node set-up" }));
  }
  const grade = gradeOf(node);
  if (grade) parts.push(svg("path", { d: `M${cx + 5} ${cy - 11}h9l-4.5 8z`, class: `node-grade ${grade}` }));
  if (node.comment) parts.push(svg("rect", { x: cx + 5, y: cy + 5, width: 8, height: 6, rx: 1.5, class: "node-comment" }));
  if (hasMarks(node)) parts.push(svg("circle", { cx: cx - 9, cy: cy + 8, r: 3, class: "node-marks" }));
  return parts;
}

/** Returns the number of moves up to a node; `numbers` contains those that are known. */
function numberOf(node, numbers) {
  const open = [];
  let at = node;
  while (at && !numbers.has(at)) {
    open.push(at);
    at = at.parent;
  }
  let number = at ? numbers.get(at) : 0;
  for (const next of open.reverse()) {
    if (next.move) number += 1;
    numbers.set(next, number);
  }
  return number;
}

/** What is drawn: the layout, the numbers of its nodes as far as they are known, and the drawn nodes with their state. */
const drawn = { tree: null, numbers: new Map(), key: "" };

/** Returns the nodes that are visible or whose connection is, with their places. */
function visible(tree) {
  const { left, top, width, height } = view;
  const columns = [Math.max(Math.floor((left - MARGIN) / WIDTH) - 1, 0), Math.ceil((left + width) / WIDTH) + 1];
  const [first, last] = [Math.floor((top - MARGIN) / HEIGHT) - 1, Math.ceil((top + height) / HEIGHT) + 1];
  return tree.columns.slice(...columns).flat().flatMap((node) => {
    const [place, parent] = [tree.places.get(node), tree.places.get(node.parent)];
    if (place[1] < first || (parent ?? place)[1] > last) return [];
    return [{ node, place, parent, isInside: place[1] <= last }];
  });
}

function draw() {
  const { game } = state;
  const tree = layout(game);
  if (drawn.tree !== tree) Object.assign(drawn, { tree, numbers: new Map(), key: "" });
  const shownNodes = visible(tree);
  const line = new Set(game.line());
  const paths = { all: "", current: "" };
  for (const { node, place, parent } of shownNodes) {
    if (parent) paths[line.has(node) ? "current" : "all"] += connection(place, parent);
  }
  const [column, row] = tree.places.get(game.here) ?? [0, 0];
  const [all, current, nodes, ring] = drawing.children;
  all.setAttribute("d", paths.all);
  current.setAttribute("d", paths.current);
  ring.setAttribute("cx", x(column));
  ring.setAttribute("cy", y(row));
  const { left, top, width, height } = view;
  drawing.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  const inside = shownNodes.filter(({ isInside }) => isInside);
  const key = `${left} ${top} ${width} ${height} ${inside.map(({ node }) => `${gradeOf(node)}${node.comment ? "c" : ""}${hasMarks(node) ? "m" : ""}`)}`;
  if (key === drawn.key) return;
  drawn.key = key;
  nodes.replaceChildren(...inside.flatMap(({ node, place }) => drawNode(node, place, numberOf(node, drawn.numbers))));
}

/** Brings the current node into view if it has changed. */
function follow() {
  const { game } = state;
  if (shown === game.here) return;
  shown = game.here;
  const [column, row] = layout(game).places.get(game.here) ?? [0, 0];
  const { left, top, width, height } = view;
  const within = (value, limit) => Math.max(Math.min(value, limit), 0);
  if (x(column) < left + 2 * WIDTH || x(column) > left + width - 3 * WIDTH) view.left = within(x(column) - width / 2, size[0] - width);
  if (y(row) < top + HEIGHT || y(row) > top + height - HEIGHT) view.top = within(y(row) - height / 2, size[1] - height);
  scrolling ??= setTimeout(scroll, REST);
}

/** Scrolls the element to the part that is drawn. */
function scroll() {
  scrolling = null;
  scroller.scrollTo({ left: view.left, top: view.top, behavior: "instant" });
}

/** Draws the part to which the user has scrolled. */
function scrolled() {
  const { scrollLeft: left, scrollTop: top } = scroller;
  if (scrolling !== null || (Math.abs(view.left - left) < 1 && Math.abs(view.top - top) < 1)) return;
  Object.assign(view, { left, top });
  draw();
}

/** Goes to the node at the position of a click. */
function choose({ clientX, clientY }) {
  const { left, top } = scroller.getBoundingClientRect();
  const { columns, places } = layout(state.game);
  const column = Math.round((clientX - left + view.left - MARGIN) / WIDTH);
  const row = Math.round((clientY - top + view.top - MARGIN) / HEIGHT);
  const node = columns[column]?.find((one) => places.get(one)[1] === row);
  if (node) seek(node);
}

/** Describes the current node for screen readers. */
function label() {
  const { game, game: { here } } = state;
  const params = { number: game.number, n: here.children.length };
  const text = here.move ? t("tree.move", { ...params, color: here.move[0], vertex: here.move[1] }) : t("tree.node", params);
  return `${t("tree.label")}. ${text}`;
}

/** Adapts the size of the drawing to the tree. */
function resize() {
  const { columns, rows } = layout(state.game);
  const [width, height] = [2 * MARGIN + (columns.length - 1) * WIDTH, 2 * MARGIN + (rows - 1) * HEIGHT];
  if (width === size[0] && height === size[1]) return;
  size = [width, height];
  space.style.width = `${width}px`;
  space.style.height = `${height}px`;
  // The style sheet limits the height.
  scroller.style.height = `${height + BAR}px`;
}

function update() {
  resize();
  if (view.width === 0) return;
  follow();
  draw();
  scroller.setAttribute("aria-label", label());
}

/** Adapts the drawing to the size of its element. */
function measure() {
  const { clientWidth: width, clientHeight: height } = scroller;
  Object.assign(view, { width, height });
  drawing.setAttribute("width", width);
  drawing.setAttribute("height", height);
  shown = null;
  if (width > 0) update();
}

addPanel({
  id: "tree-panel", tab: "tree", order: 10, topics: ["position", "tree", "game"],
  build(root) {
    drawing = svg("svg", { id: "tree", "aria-hidden": "true" }, svg("path", { class: "edge" }), svg("path", { class: "edge current" }),
      svg("g"), svg("circle", { r: RADIUS + 3, class: "node-here" }));
    space = make("div", { class: "tree-space" });
    scroller = make("div", { id: "tree-view", tabindex: 0, role: "group" }, space, drawing);
    root.append(scroller);
    scroller.addEventListener("scroll", scrolled);
    scroller.addEventListener("click", choose);
    new ResizeObserver(measure).observe(scroller);
    on(["game"], () => {
      shown = null;
    });
  },
  update,
});
