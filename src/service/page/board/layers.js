// Layers of the board. A layer turns a part of the view into SVG elements. The board draws the layers in their order and
// replaces only elements that have changed.

import { svg } from "/core/dom.js";

const declared = [];

/**
 * Declares a layer: `name` (its group has the class `layer-<name>`), `order`, and `items(view)`, which returns a list of
 * elements to show as [key, signature, make]: `key` identifies the element, and `make()` creates it if there was none
 * with this key and this signature before. The fields of the view are documented in `board/view.js`. Orders of the
 * existing layers: paint 100, shadows 200, stones 300, numbers 400, last 410, owners 420, branches 450,
 * markers 500, heat 550, discs 600, lines 650, variation 700, aim 800, cursor 900.
 */
export function addLayer(layer) {
  declared.push(layer);
  declared.sort((one, two) => one.order - two.order);
}

/** All layers of one board, drawn into `parent`. */
export class Layers {
  constructor(parent) {
    this.drawn = declared.map((layer) => {
      const group = svg("g", { class: `layer layer-${layer.name}` });
      parent.append(group);
      return { layer, group, elements: new Map() };
    });
  }

  /** Shows a view; `names` limits the update to some layers. */
  show(view, names = null) {
    for (const entry of this.drawn) {
      if (!names || names.includes(entry.layer.name)) update(entry, view);
    }
  }
}

function update({ layer, group, elements }, view) {
  const unused = new Set(elements.keys());
  for (const [key, signature, make] of layer.items(view)) {
    unused.delete(key);
    const before = elements.get(key);
    if (before?.signature === signature) continue;
    const element = make();
    if (before) before.element.replaceWith(element);
    else group.append(element);
    elements.set(key, { element, signature });
  }
  for (const key of unused) {
    elements.get(key).element.remove();
    elements.delete(key);
  }
}
