// Layout of the game tree: a column for each depth and a row for each line, so that branches do not cross.

/**
 * Returns the places of all nodes: `columns`, a list of nodes by row for each depth; `places`, a map from nodes to
 * [column, row]; `rows`, the number of rows.
 */
function layoutOf(game) {
  const columns = [];
  const places = new Map();
  const free = []; // first free row by column
  let rows = 0;
  const open = [[game.root, 0, -1]];
  while (open.length > 0) {
    const [start, column, parentRow] = open.pop();
    const chain = [];
    for (let node = start; node; [node] = node.children) chain.push(node);
    // The connection to the parent occupies the column before the first node.
    const first = Math.max(column - 1, 0);
    let row = parentRow + 1;
    for (let at = first; at < column + chain.length; at += 1) row = Math.max(row, free[at] ?? 0);
    for (let at = first; at < column + chain.length; at += 1) free[at] = row + 1;
    rows = Math.max(rows, row + 1);
    chain.forEach((node, index) => {
      const at = column + index;
      places.set(node, [at, row]);
      (columns[at] ??= []).push(node);
      // The deepest branches are placed first, so that no line crosses another one.
      for (let other = node.children.length - 1; other > 0; other -= 1) open.push([node.children[other], at + 1, row]);
    });
  }
  return { columns, places, rows };
}

let known = null;

/** True if the latest layout has all nodes at the current one and after it. */
const isComplete = ({ here }) => [here, ...here.children].every((node) => known.places.has(node));

/** Returns the layout of a game, computed again only when its tree has changed. */
export function layout(game) {
  if (known?.game !== game || known.revision !== game.revision || !isComplete(game)) {
    known = { game, revision: game.revision, ...layoutOf(game) };
  }
  return known;
}
