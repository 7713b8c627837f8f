// Icons of the buttons: paths in a square of 24 units, drawn with strokes.

import { svg } from "/core/dom.js";

const PATHS = {
  new: "M12 5v14M5 12h14",
  open: "M3 7a1 1 0 0 1 1-1h5l2 2h8a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  save: "M6 4h12v16l-6-4-6 4z",
  games: "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18z",
  first: "M6 5v14M18 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  forward: "M8 5l9 7-9 7z",
  "previous-mistake": "M12 6l-8 6 8 6zM18 5v9M18 18.5v.5",
  "next-mistake": "M12 6l8 6-8 6zM6 5v9M6 18.5v.5",
  last: "M18 5v14M6 5l9 7-9 7z",
  "main-line": "M4 18h16M8 14l-4 4 4 4M20 18V9a4 4 0 0 0-4-4H9",
  pause: "M8 5v14M16 5v14",
  pass: "M5 12h14M13 6l6 6-6 6",
  undo: "M9 6L4 11l5 5M4 11h10a6 6 0 0 1 0 12h-2",
  resign: "M6 21V4M6 4h12l-3 4 3 4H6",
  engine: "M7 8h10v9H7zM12 8V4M9.5 12h.1M14.5 12h.1M4 11v3M20 11v3",
  score: "M12 4v16M5 8h14M5 8l-2.5 6h5zM19 8l-2.5 6h5zM8 20h8",
  analyse: "M4 19h16M6 16l4-5 3 3 5-8",
  edit: "M5 19l1-4L16 5l3 3L9 18z",
  remove: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  review: "M5 4h14v16H5zM8 9h8M8 13h8M8 17h5",
  rematch: "M5 12a7 7 0 0 1 12-5l2 2M19 4v5h-5M19 12a7 7 0 0 1-12 5l-2-2M5 20v-5h5",
  sound: "M4 9v6h4l5 4V5L8 9zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  check: "M5 13l4 4L19 7",
  promote: "M12 20V5M6 11l6-6 6 6M5 3h14",
  up: "M12 19V6M6 12l6-6 6 6",
  down: "M12 5v13M6 12l6 6 6-6",
  copy: "M8 8h11v12H8zM5 16V4h11",
  paste: "M8 5H5v15h14V5h-3M9 3h6v4H9z",
  share: "M9 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM21 6a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM21 18a3 3 0 1 1-6 0 3 3 0 0 1 6 0zM8.6 10.6l6.8-3.3M8.6 13.4l6.8 3.3",
  info: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 11v6M12 7.5v.5",
  close: "M6 6l12 12M18 6L6 18",
};

/** Returns the icon with this name. */
export const icon = (name) => svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: PATHS[name] ?? "" }));

/** Adds an icon: its path, drawn with strokes in a square of 24 units. */
export function addIcon(name, path) {
  PATHS[name] = path;
}
