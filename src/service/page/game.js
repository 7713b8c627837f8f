// A game as a tree of positions. The service knows the rules; this knows where in the tree one is.

/** The other colour. */
export const other = (color) => (color === "black" ? "white" : "black");
/** A colour as game files and GTP have it. */
export const letter = (color) => (color === "black" ? "B" : "W");
const named = { B: "black", W: "white" };

/** A node: a move or stones set up, with what is known of the position after it. */
class Node {
  constructor(parent, fields = {}) {
    this.parent = parent;
    this.children = [];
    this.move = null; // [colour, vertex]
    this.setUp = null; // a matrix: the stones as they were set up here
    this.changes = null; // the same as a file has it, [vertex, value], until the position before is known
    this.turn = null; // whose turn was set
    this.comment = "";
    this.stand = null; // what the service says of the position
    this.value = null; // {winrate, lead}, Black's
    this.analysis = null; // what an analysis of the position has told last
    this.recorded = false; // whether a file has it, in which moves may stand that the rules forbid
    this.rest = ""; // what else a file has here, as it stands there
    this.chosen = 0; // which child was looked at last
    Object.assign(this, fields);
  }
}

export class Game {
  /** An empty game. `settings`: size [columns, rows], komi, rules, handicap, points (of handicap stones), names. */
  constructor(settings) {
    this.settings = { black: "Black", white: "White", date: "", result: "", handicap: 0, points: [], ...settings };
    this.root = new Node(null);
    if (this.settings.points.length > 0) {
      this.root.setUp = this.matrix(this.settings.points.map((vertex) => [vertex, 1]));
      this.root.turn = "white";
    }
    this.here = this.root;
  }

  /** A game that the service has read from a file. */
  static read(told) {
    const game = new Game({
      size: told.size, komi: told.komi, rules: told.rules, handicap: told.handicap, result: told.result, date: told.date,
      black: told.black || "Black", white: told.white || "White", named: told.named,
    });
    const nodes = [];
    for (const fields of told.nodes) {
      const parent = fields.parent === null ? null : nodes[fields.parent];
      const node = new Node(parent, { comment: fields.comment ?? "", turn: fields.turn ?? null, rest: fields.rest ?? "", recorded: true });
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

  /** Whether it is being played here and has a result. */
  get over() { return Boolean(this.settings.playing && this.settings.result); }

  /** Column and row, from 0 at the upper left, of a vertex. */
  place(vertex) {
    const column = "ABCDEFGHJKLMNOPQRST".indexOf(vertex[0].toUpperCase());
    return [column, this.height - Number(vertex.slice(1))];
  }

  vertex(column, row) {
    return "ABCDEFGHJKLMNOPQRST"[column] + (this.height - row);
  }

  /** A matrix with these stones, [vertex, value], on an empty board or on `base`. */
  matrix(stones, base = null) {
    const rows = base ? base.map((row) => [...row])
      : Array.from({ length: this.height }, () => Array(this.width).fill(0));
    for (const [vertex, value] of stones) {
      const [column, row] = this.place(vertex);
      rows[row][column] = value;
    }
    return rows;
  }

  /** The nodes from the root to one. */
  path(node = this.here) {
    const path = [];
    for (let at = node; at; at = at.parent) path.unshift(at);
    return path;
  }

  /** The main way on from the root through what was looked at last. */
  line() {
    const line = this.path();
    for (let at = this.here; at.children.length > 0;) {
      at = at.children[Math.min(at.chosen, at.children.length - 1)];
      line.push(at);
    }
    return line;
  }

  /** The fields by which the service knows the position after a node. */
  position(node = this.here) {
    const path = this.path(node);
    const start = path.findLastIndex((one) => one.setUp);
    const { size, komi, rules, handicap } = this.settings;
    const moves = path.slice(start + 1).filter((one) => one.move).map(({ move: [color, vertex] }) => [letter(color), vertex]);
    const fields = { komi, rules, moves };
    if (start >= 0) fields.board = path[start].setUp;
    else fields.size = size;
    // What was taken before stones were set up still counts.
    const taken = path[start - 1]?.stand?.prisoners;
    if (taken) fields.prisoners = taken;
    const turn = path.findLast((one) => one.turn || one.move);
    // A turn that a file tells beside a move is no other than the move's.
    if (turn) fields.color = turn.move ? other(turn.move[0]) : turn.turn;
    if (handicap > 1) fields.handicap = handicap;
    if (node.recorded) fields.recorded = true;
    return fields;
  }

  /** Whose turn it is after a node. */
  turn(node) {
    return this.position(node).color ?? (this.settings.handicap > 1 ? "white" : "black");
  }

  /** Goes to a node. */
  go(node) {
    this.here = node;
    for (let at = node; at.parent; at = at.parent) at.parent.chosen = at.parent.children.indexOf(at);
  }

  /** The node after a move from here, made if need be; not gone to. */
  after(color, vertex) {
    const known = this.here.children.find(({ move }) => move && move[0] === color && move[1] === vertex);
    return known ?? new Node(this.here, { move: [color, vertex] });
  }

  /** Puts a node made by `after` into the tree and goes there. In a game being played, what was played last is the game. */
  take(node) {
    const { parent } = node;
    const others = parent.children.filter((one) => one !== node);
    if (this.settings.playing) parent.children = [node, ...others];
    else if (others.length === parent.children.length) parent.children.push(node);
    this.go(node);
  }

  /** Stones set up after the position here, or in place of an empty root. */
  set(matrix, turn) {
    const fresh = this.here === this.root && this.root.children.length === 0 && !this.root.move;
    const node = fresh ? this.root : new Node(this.here);
    Object.assign(node, { setUp: matrix, turn, stand: null, value: null, analysis: null });
    if (!fresh) this.take(node);
    return node;
  }

  /** Removes the position here with all after it; the root stays. */
  remove() {
    const { parent } = this.here;
    if (!parent) return;
    parent.children.splice(parent.children.indexOf(this.here), 1);
    parent.chosen = 0;
    this.go(parent);
  }

  /** How many moves were made to get here. */
  get number() {
    return this.path().filter((node) => node.move).length;
  }
}
