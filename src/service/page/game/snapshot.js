// Games as plain data, so that the game of the last visit can be shown without the service, which parses SGF.

import { Game } from "/game/tree.js";

/** Fields of a node that are stored, if they differ from their defaults. */
const FIELDS = ["move", "setUp", "changes", "turn", "comment", "rest", "marks", "value", "recorded"];

const isDefault = (value) => !value || (typeof value === "object" && Object.keys(value).length === 0);

/** Returns a game as plain data. Parents come before their children. */
export function snapshot({ settings, root }) {
  const nodes = [];
  const open = [[root, null]];
  while (open.length > 0) {
    const [node, parent] = open.pop();
    const fields = Object.fromEntries(FIELDS.filter((name) => !isDefault(node[name])).map((name) => [name, node[name]]));
    nodes.push([parent, fields]);
    const index = nodes.length - 1;
    for (const child of [...node.children].reverse()) open.push([child, index]);
  }
  return { settings, nodes };
}

/** Returns the game that `snapshot` has described. */
export const restored = ({ settings, nodes }) => Game.of(settings, nodes);
