// How the user operates the page: whether the focused element was reached by keyboard, and protection against clicks on
// controls that have just moved under the pointer.

/** Time and distance within which a click belongs to a double click, in milliseconds and CSS pixels. */
const [DOUBLE, NEAR] = [500, 12];
/** Elements that react to clicks. */
const CONTROLS = "button, a, label, summary, tr, input, select, textarea, #board svg, #graph, #tree-view";

let pointing = false; // true if the latest input came from a pointer
let pressing = false; // true from the press of a pointer until its click
let byKeyboard = false;
let latest = null; // latest click: {control, list, time, x, y}

/** True if the focused element was reached by keyboard and has not been used with a pointer since. */
export const hasKeyboardFocus = () => byKeyboard;

/** Moves the focus to an element, which is reached by keyboard if the latest input was a key. */
export function focusOn(element) {
  element.focus();
  // It may have had the focus already.
  byKeyboard = !pointing;
}

document.addEventListener("pointerdown", () => {
  pointing = true;
  pressing = true;
  byKeyboard = false;
}, { capture: true });
document.addEventListener("keydown", () => {
  pointing = false;
  pressing = false;
}, { capture: true });
document.addEventListener("focusin", () => {
  byKeyboard = !pressing;
}, { capture: true });

// After a choice with the pointer, the arrow keys step through the game again instead of changing the choice.
document.addEventListener("change", ({ target }) => {
  if (pointing && target.tagName === "SELECT" && !target.closest("dialog")) target.blur();
});

const controlOf = (target) => target.closest?.(CONTROLS) ?? null;
/** Lists with buttons that are replaced when one of them is pressed, so that pressing them quickly is no double click. */
const listOf = (control) => control?.closest("#variations, #mistakes, #moment-line") ?? null;

/** True if a click is the second one of a double click that has begun on another control. */
function isStray({ timeStamp: time, clientX: x, clientY: y }, control) {
  if (!latest || time - latest.time > DOUBLE || Math.hypot(x - latest.x, y - latest.y) > NEAR) return false;
  return control !== latest.control && !(latest.list && latest.list === listOf(control));
}

document.addEventListener("click", (event) => {
  pressing = false;
  // Clicks by keyboard and by scripts have no pointer.
  if (!event.isTrusted || event.detail === 0) return;
  const control = controlOf(event.target);
  if (isStray(event, control)) {
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  latest = { control, list: listOf(control), time: event.timeStamp, x: event.clientX, y: event.clientY };
}, { capture: true });
