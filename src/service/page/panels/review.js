// Panel of the review of the current game: its start, its progress, and how deep it is.

import { make, makeButton, write } from "/core/dom.js";
import { set, settings } from "/core/settings.js";
import { DEPTHS, reviewProgress, stopReview } from "/game/review.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { actionButton } from "/panels/toolbar.js";
import { number, t } from "/texts/texts.js";

let root;
let text;
let bar;
let start;
let stop;
let depth;

function statusText(progress, review) {
  if (progress) return progress.of ? t("review.progress", { number: progress.positions, of: progress.of }) : t("review.starting");
  if (!review) return t("review.none");
  const visits = Math.min(...review.positions.map(({ visits: one }) => one));
  const parts = [t("review.done", { visits: number(visits) })];
  // With few visits, two reviews of a game name partly different moves.
  if (visits < DEPTHS[1]) parts.push(t("review.rough"));
  if (review.stopped) parts.push(t("review.partial", { number: (review.moves.at(-1)?.number ?? 0) + 1 }));
  return parts.join(t("sentence.between"));
}

addPanel({
  id: "review-panel", tab: "review", order: 10, label: "tab.review", topics: ["review", "game", "tree", "settings"],
  build(panel) {
    root = panel;
    text = make("p", { id: "review-status" });
    bar = make("progress", { id: "review-progress", label: "review.progressLabel" });
    start = actionButton("review", "review-start");
    start.classList.add("compact");
    stop = makeButton({ id: "review-stop", text: "review.stop" }, () => stopReview(state.game.gobanId));
    depth = make("select", { id: "review-depth", label: "review.depth" }, ...DEPTHS.map((visits) => make("option", { value: visits, text: `review.depth.${visits}` })));
    depth.addEventListener("change", () => set("reviewVisits", Number(depth.value)));
    root.append(text, bar, make("div", { class: "row" }, start, depth, stop));
  },
  update() {
    const { game } = state;
    const progress = reviewProgress(game.gobanId);
    write(text, statusText(progress, game.review));
    bar.hidden = stop.hidden = !progress;
    start.hidden = depth.hidden = Boolean(progress);
    start.classList.toggle("main", !game.review);
    root.classList.toggle("finished", Boolean(game.review) && !progress);
    depth.value = settings.reviewVisits;
    if (!progress) return;
    if (progress.of) {
      bar.max = progress.of;
      bar.value = progress.positions;
    } else bar.removeAttribute("value");
  },
});
