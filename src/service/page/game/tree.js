// Game tree with a current node. The tree knows no rules; `game/positions.js` computes the positions.

import { LETTERS } from "/game/geometry.js";

/** Returns the opposite colour. */
export const other = (color) => (color === "black" ? "white" : "black");
/** Returns the letter of a colour in SGF and in requests. */
export const letter = (color) => (color === "black" ? "B" : "W");
const named = { B: "black", W: "white" };

/** Node of the game tree: a move or set-up stones, with cached data about the resulting position. */
class Node {
  constructor(parent, fields = {}) {
    this.parent = parent;
    this.children = [];
    this.move = null; // [colour, vertex]
    this.setUp = null; // matrix of all stones after a set-up
    this.changes = null; // set-up stones of a file, [vertex, value], until `setUp` has been computed from them
    this.turn = null; // side to move, if set explicitly
    this.comment = "";
    this.position = null; // position as the service describes it, once known
    this.played = null; // state by which the position was computed (see `game/positions.js`)
    this.value = null; // {winrate, lead} from Black's perspective
    this.analysis = null; // deepest analysis result
    this.reviewed = null; // position of a review: {winrate, scoreLead, visits, moves}, from Black's perspective
    this.review = null; // the move in a review (see `game/review.js`)
    this.policy = null; // matrix of the network's move probabilities
    this.recorded = false; // true for nodes read from a file, which may contain illegal moves
    this.rest = ""; // other SGF properties of the file, verbatim
    this.marks = {}; // markup as the service describes it: lists of vertices, labels and pairs of vertices by kind
    this.chosen = 0; // index of the child visited last
    this.tried = false; // true for an attempt at a problem, which is not part of the game and leaves it again
    this.undone = false; // true for an undone move, which another move replaces
    Object.assign(this, fields);
  }

  /** The result of the analysis if it is deeper than the review of the position, otherwise null. */
  get deepest() {
    return this.analysis && this.analysis.visits > (this.reviewed?.visits ?? 0) ? this.analysis : null;
  }
}

export class Game {
  /**
   * Creates a game without moves. `settings`: `size` [columns, rows], `komi`, `rules`, `handicap`, `points` (vertices
   * of the handicap stones), player names `black` and `white`, `date`, `result`, `playing` (false for game records),
   * `info`: other game information, by the names of the service.
   */
  constructor(settings) {
    this.settings = { black: "Black", white: "White", date: "", result: "", handicap: 0, points: [], info: {}, ...settings };
    this.revision = 0; // increased by changes of the tree's structure
    this.gobanId = null; // id of the game in the service's store
    this.collection = null; // the file with several games that it was read from (see `game/collection.js`)
    this.solving = false; // true if the user was solving it as a problem when the page was left
    this.saved = null; // SGF text that is stored elsewhere, in a file or by the service, without values
    this.root = new Node(null);
    if (this.settings.points.length > 0) {
      this.root.setUp = this.matrix(this.settings.points.map((vertex) => [vertex, 1]));
      this.root.turn = "white";
    }
    this.here = this.root;
  }

  /** Builds a game from the service's response to `readGoban`. */
  static read(told) {
    const game = new Game({
      size: told.size, komi: told.komi, rules: told.rules, handicap: told.handicap, result: told.result, date: told.date,
      black: told.black, white: told.white, named: told.named, info: told.info ?? {},
    });
    const nodes = [];
    for (const fields of told.nodes) {
      const parent = fields.parent === null ? null : nodes[fields.parent];
      const node = new Node(parent, { comment: fields.comment ?? "", turn: fields.turn ?? null, rest: fields.rest ?? "", marks: fields.marks ?? {}, recorded: true });
      if (fields.move) node.move = [named[fields.move[0]], fields.move[1]];
      if (fields.black || fields.white || fields.empty) {
        node.changes = [["black", 1], ["white", -1], ["empty", 0]]
          .flatMap(([name, value]) => (fields[name] ?? []).map((vertex) => [vertex, value]));
      }
      if (fields.winrate !== undefined) node.value = { winrate: fields.winrate, lead: fields.scoreLead ?? 0 };
      parent?.children.push(node);
      nodes.push(node);
    }
    game.root = game.here = nodes[0];
    if (game.root.changes) game.root.turn = told.color;
    return game;
  }

  get width() { return this.settings.size[0]; }
  get height() { return this.settings.size[1]; }

  /** True if the game is being played on this page and has a result. */
  get over() { return Boolean(this.settings.playing && this.settings.result); }

  /** Returns [column, row] of a vertex, both counted from 0 at the upper left. */
  place(vertex) {
    const column = LETTERS.indexOf(vertex[0].toUpperCase());
    return [column, this.height - Number(vertex.slice(1))];
  }

  vertex(column, row) {
    return LETTERS[column] + (this.height - row);
  }

  /** Returns a matrix with the given stones, [vertex, value], placed on `base` or on an empty board. */
  matrix(stones, base = null) {
    const rows = base ? base.map((row) => [...row])
      : Array.from({ length: this.height }, () => Array(this.width).fill(0));
    for (const [vertex, value] of stones) {
      const [column, row] = this.place(vertex);
      rows[row][column] = value;
    }
    return rows;
  }

  /** Returns the nodes from the root to `node`. */
  path(node = this.here) {
    const path = [];
    for (let at = node; at; at = at.parent) path.push(at);
    return path.reverse();
  }

  /** The indices of the children on the way from the root to the current node, up to an attempt at a problem. */
  get way() {
    const path = this.path();
    const tried = path.findIndex((node) => node.tried);
    return path.slice(1, tried < 0 ? undefined : tried).map((node) => node.parent.children.indexOf(node));
  }

  /** Returns the line from the root through the current node to a leaf, following the children visited last. */
  line() {
    const line = this.path();
    for (let at = this.next(); at; at = this.next(at)) line.push(at);
    return line;
  }

  /** Returns the node after `node` in the line, or undefined. */
  next(node = this.here) {
    return node.children[Math.min(node.chosen, node.children.length - 1)];
  }

  /** Makes the main line the one that `line` follows after `node`, which is part of it. */
  followMainLine(node) {
    for (let at = node; at; [at] = at.children) at.chosen = 0;
  }

  /** Returns the nodes on the way to the current node that are not the first child. */
  sideSteps() {
    return this.path().filter(({ parent }, index, path) => parent && parent.children[0] !== path[index]);
  }

  /** Returns the request fields that describe the position after `node` to the service. */
  request(node = this.here) {
    const path = this.path(node);
    const start = path.findLastIndex((one) => one.setUp);
    const { size, komi, rules, handicap } = this.settings;
    const moves = path.slice(start + 1).filter((one) => one.move).map(({ move: [color, vertex] }) => [letter(color), vertex]);
    const fields = { komi, rules, moves };
    if (start >= 0) fields.board = path[start].setUp;
    else fields.size = size;
    // Stones captured before the set-up still count.
    const taken = path[start - 1]?.position?.prisoners;
    if (taken) fields.prisoners = taken;
    const turn = path.findLast((one) => one.turn || one.move);
    // If a file sets the side to move in a node with a move, the move takes precedence.
    if (turn) fields.color = turn.move ? other(turn.move[0]) : turn.turn;
    if (handicap > 1) fields.handicap = handicap;
    if (node.recorded) fields.recorded = true;
    return fields;
  }

  /** Returns the side to move after `node`. */
  turn(node) {
    return this.request(node).color ?? (this.settings.handicap > 1 ? "white" : "black");
  }

  /** Makes `node` the current node, and its line the one that `line` follows. */
  go(node) {
    this.here = node;
    for (let at = node; at.parent; at = at.parent) {
      at.parent.chosen = at.parent.children.indexOf(at);
      at.undone = false;
    }
  }

  /**
   * Goes back from the last move of a game being played to `node`. The moves after it are removed once another move
   * replaces them, unless they have comments, marks or variations.
   */
  takeBack(node) {
    const path = this.path();
    const [first, ...others] = path.slice(path.indexOf(node) + 1);
    const plain = ({ children, comment, marks }) => children.length <= 1 && !comment && Object.keys(marks).length === 0;
    // After several undone moves, the last ones follow the current node.
    const isLast = this.here.children.every(({ undone }) => undone);
    const forgotten = this.settings.playing && first && isLast && [first, ...others].every(plain);
    this.go(node);
    if (forgotten) first.undone = true;
  }

  /** Returns the child of the current node with this move, or a new node that is not yet part of the tree. */
  after(color, vertex) {
    return this.branch(this.here, [[color, vertex]]);
  }

  /**
   * Adds a node returned by `after` to the tree and makes it current. In a game being played, the latest move becomes
   * the main line and replaces undone moves.
   */
  take(node) {
    const { parent } = node;
    const others = parent.children.filter((one) => one !== node && !(one.undone && this.settings.playing));
    if (this.settings.playing) parent.children = [node, ...others];
    else if (others.length === parent.children.length) parent.children.push(node);
    this.revision += 1;
    this.go(node);
  }

  /** Returns functions that take `node` with its subtree out of the tree and put it back at its place. */
  detach(node) {
    const { parent } = node;
    let index = parent.children.indexOf(node);
    return {
      out: () => {
        index = parent.children.indexOf(node);
        parent.children.splice(index, 1);
        parent.chosen = 0;
        this.revision += 1;
      },
      back: () => {
        parent.children.splice(Math.min(index, parent.children.length), 0, node);
        this.revision += 1;
      },
    };
  }

  /** True if `node` belongs to the tree. */
  contains(node) {
    let at = node;
    while (at.parent?.children.includes(at)) at = at.parent;
    return at === this.root;
  }

  /** Returns the nearest node on the way from `node` to the root, starting with itself, that has alternatives. */
  fork(node = this.here) {
    let at = node;
    while (at && !(at.parent?.children.length > 1)) at = at.parent;
    return at;
  }

  /** Puts the children of some nodes into another order, given as pairs of a node and its children. */
  reorder(orders) {
    for (const [node, children] of orders) {
      const chosen = node.children[node.chosen];
      node.children = children;
      node.chosen = Math.max(children.indexOf(chosen), 0);
    }
    this.revision += 1;
  }

  /**
   * Returns the node after `moves`, [colour, vertex], played from `node`. Missing nodes are created; they are not part of
   * the tree until `attach` adds them.
   */
  branch(node, moves) {
    return moves.reduce((at, [color, vertex]) => {
      const known = at.children.find(({ move }) => move && move[0] === color && move[1] === vertex);
      return known ?? new Node(at, { move: [color, vertex] });
    }, node);
  }

  /**
   * Adds a node of `branch` with all nodes before it to the tree, behind other variations. The current node stays the
   * same. Returns a function that removes them again, or null if the tree has contained them already.
   */
  attach(node) {
    let first = null;
    for (let at = node; at.parent && !at.parent.children.includes(at); at = at.parent) {
      at.parent.children.push(at);
      first = at;
    }
    if (first) this.revision += 1;
    return first && (() => {
      const { parent } = first;
      this.revision += 1;
      if (this.path().includes(first)) this.go(parent);
      parent.children = parent.children.filter((one) => one !== first);
      parent.chosen = Math.min(parent.chosen, Math.max(parent.children.length - 1, 0));
    });
  }

  /**
   * Adds a set-up of the whole board after the current node, or replaces an empty root. Returns its node, and functions
   * that remove the set-up and restore it.
   */
  set(matrix, turn) {
    const fields = { setUp: matrix, turn, position: null, value: null, analysis: null };
    if (this.here === this.root && this.root.children.length === 0 && !this.root.move) return this.#replaceRoot(fields);
    const node = new Node(this.here, fields);
    this.take(node);
    return { node, ...this.detach(node) };
  }

  #replaceRoot(fields) {
    const { root: node, root: { setUp, turn, changes } } = this;
    const assign = (values) => () => {
      Object.assign(node, values);
      this.revision += 1;
    };
    const back = assign({ ...fields, changes: null });
    back();
    return { node, out: assign({ ...fields, setUp, turn, changes }), back };
  }

  /** Number of moves from the root to the current node. */
  get number() {
    return this.numberOf(this.here);
  }

  /** Returns the number of moves from the root to `node`. */
  numberOf(node) {
    return this.path(node).filter(({ move }) => move).length;
  }
}
