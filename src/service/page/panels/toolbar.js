// Toolbars: a button for each action with a slot.

import { actionNamed, actionsOf, run } from "/core/actions.js";
import { bind, byId, make, makeButton } from "/core/dom.js";
import { on } from "/core/store.js";
import { hasText, t } from "/texts/texts.js";
import { icon } from "/core/icons.js";

const SLOTS = ["menu", "corner", "navigation", "play", "study"];
const drawn = [];

/** Creates a button, with the id `id`, of the action named `name`. */
export function actionButton(name, id = name) {
  const action = actionNamed(name);
  const word = make("span", { class: "word", text: `action.${name}` });
  const button = makeButton({ id, class: "tool" }, () => run(name), ...(action.icon ? [icon(action.icon)] : []), word);
  drawn.push({ action, button, word });
  return button;
}

/** Shows which actions are possible and which switches are on. Buttons that stay the same are not touched. */
function update(topics) {
  for (const entry of drawn) {
    const { action, button } = entry;
    const disabled = !action.enabled();
    if (button.disabled !== disabled) button.disabled = disabled;
    if (action.pressed) {
      const pressed = String(action.pressed());
      if (button.getAttribute("aria-pressed") !== pressed) button.setAttribute("aria-pressed", pressed);
    }
    if (action.visible) button.hidden = !action.visible();
    const key = action.name?.() ?? `action.${action.id}`;
    if (key !== entry.key || topics.has("language")) label(entry, key);
  }
}

/** Sets the text and the tooltip of a button to those of a text key. */
function label(entry, key) {
  const { action, button, word } = entry;
  entry.key = key;
  bind(word, "text", key);
  const title = `${key}.title`;
  const text = hasText(title) ? t(title) : t(key);
  const [shortcut] = [...action.keys, ...action.listed];
  button.title = shortcut ? `${text} (${shortcut})` : text;
}

/** Fills the toolbars. */
export function mountToolbars() {
  for (const slot of SLOTS) {
    const bar = byId(`slot-${slot}`);
    for (const action of actionsOf(slot)) bar.append(actionButton(action.id));
  }
  on(["hover", "review", "position", "game", "mode", "result", "tree", "analysis", "settings", "language", "connection"], update);
  update(new Set());
}
