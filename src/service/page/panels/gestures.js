// Moving through the game by mouse wheel and swipes over the board, and by holding a button.

import { run } from "/core/actions.js";
import { byId } from "/core/dom.js";
import { addSetting, settings } from "/core/settings.js";

addSetting({ id: "wheel", group: "input", kind: "switch", value: true });

/** Distance of a notch of a mouse wheel, in pixels; smaller movements of touchpads are added up to it. */
const NOTCH = 50;
/** Pixels of a line, for wheels that count lines. */
const LINE = 33;
/** Minimum distance of a swipe in pixels, and its maximum duration in milliseconds. */
const SWIPE = { distance: 45, time: 700 };
/** Time until a held button repeats, and the time between repetitions, in milliseconds. */
const HOLD = { delay: 400, interval: 70 };
/** Buttons that repeat while they are held. */
const REPEATED = ["back", "forward"];

function watchWheel(board) {
  let sum = 0;
  board.addEventListener("wheel", (event) => {
    if (!settings.wheel || event.ctrlKey || event.metaKey || event.deltaY === 0) return;
    event.preventDefault();
    const distance = event.deltaMode === 0 ? event.deltaY : event.deltaY * LINE;
    if (sum * distance < 0) sum = 0;
    sum += distance;
    if (Math.abs(sum) < NOTCH) return;
    run(sum < 0 ? "back" : "forward");
    sum = 0;
  }, { passive: false });
}

function watchSwipes(board) {
  let start = null;
  board.addEventListener("pointerdown", ({ pointerType, isPrimary, pointerId, clientX, clientY, timeStamp }) => {
    // While a finger aims, it moves the stone.
    const isAiming = Boolean(board.querySelector(".aiming"));
    start = pointerType === "touch" && isPrimary && !isAiming ? { pointerId, clientX, clientY, timeStamp } : null;
  });
  board.addEventListener("pointerup", ({ pointerId, clientX, clientY, timeStamp }) => {
    if (start?.pointerId !== pointerId) return;
    const [across, down] = [clientX - start.clientX, clientY - start.clientY];
    const quick = timeStamp - start.timeStamp < SWIPE.time;
    start = null;
    if (quick && Math.abs(across) >= SWIPE.distance && Math.abs(across) > 2 * Math.abs(down)) run(across < 0 ? "forward" : "back");
  });
  board.addEventListener("pointercancel", () => {
    start = null;
  });
}

function watchHolding(bar) {
  let held = null;
  let repeated = false;
  const release = () => {
    clearTimeout(held);
    held = null;
  };
  async function repeat(button) {
    repeated = true;
    await run(button.id);
    if (held !== null && !button.disabled) held = setTimeout(repeat, HOLD.interval, button);
  }
  bar.addEventListener("pointerdown", ({ target, button: which }) => {
    const button = target.closest("button");
    repeated = false;
    if (which === 0 && REPEATED.includes(button?.id)) held = setTimeout(repeat, HOLD.delay, button);
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) bar.addEventListener(name, release);
  addEventListener("blur", release);
  // The click at the end of holding is not another step.
  bar.addEventListener("click", (event) => {
    if (repeated) event.stopPropagation();
    repeated = false;
  }, { capture: true });
  bar.addEventListener("contextmenu", (event) => held !== null && event.preventDefault());
}

watchWheel(byId("board"));
watchSwipes(byId("board"));
watchHolding(byId("slot-navigation"));
