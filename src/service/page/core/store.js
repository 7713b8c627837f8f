// Change notifications. Modules that change shared data report topics; modules that show the data listen to topics.
//
// Topics: "game" (another game is open), "position" (another node is current, or its position is known), "tree" (nodes,
// comments or markup), "analysis" (results of the running analysis, values of nodes), "mode" (see `game/state.js`; busy,
// thinking), "result", "clock", "settings", "language", "connection", "message", "comment", "moved" (a move has been
// played), "aim" (a tap has aimed at a point), "hover" (another variation is shown), "info" (game information),
// "collection" (a file with several games has been opened), "lost" (games kept in the browser), "library" (games stored by
// the service), "review" (progress and results of reviews), "guess" and "problem" (exercises).

const listeners = [];
let pending = new Set();
let scheduled = false;

/** Calls `listener(topics)` after changes of at least one of `topics`, at most once per frame. */
export function on(topics, listener) {
  listeners.push({ topics, listener });
}

/** Reports that the data of `topics` has changed. Listeners are called before the next frame is painted. */
export function changed(...topics) {
  for (const topic of topics) pending.add(topic);
  if (scheduled) return;
  scheduled = true;
  // Hidden tabs have no frames.
  if (document.hidden) setTimeout(notify);
  else requestAnimationFrame(notify);
}

/** Calls the listeners of all reported changes immediately. */
export function notify() {
  const topics = pending;
  pending = new Set();
  scheduled = false;
  if (topics.size === 0) return;
  for (const { topics: wanted, listener } of listeners) {
    if (wanted.some((topic) => topics.has(topic))) listener(topics);
  }
}

// Frames that were requested before the tab was hidden may never come.
document.addEventListener("visibilitychange", () => setTimeout(notify));
