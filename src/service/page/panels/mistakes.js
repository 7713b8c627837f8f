// Panel of the mistakes of a reviewed game: a list with filters.

import { byId, make, write } from "/core/dom.js";
import { set, settings } from "/core/settings.js";
import { lossText } from "/board/candidates.js";
import { moment, showMoment } from "/game/review.js";
import { FILTERS, mistakes } from "/game/review_data.js";
import { state } from "/game/state.js";
import { icon, addIcon } from "/core/icons.js";
import { addPanel } from "/panels/panel.js";
import { t } from "/texts/texts.js";

/** Time after which the list scrolls to the current move, in milliseconds. */
const SETTLED = 150;

addIcon("turning", "M12 3l2.6 5.6 6 .8-4.4 4.2 1.1 6-5.3-3-5.3 3 1.1-6L3.4 9.4l6-.8z");

let root;
let list;
let count;
const selects = {};
let drawn = "";
let nodes = [];
let marked = null; // button of the move that is shown
let timer = null;

function filter(name) {
  const id = `mistakes.${name}`;
  const control = make("select", { id: `mistakes-${name}`, label: id }, ...FILTERS[name].map((value) => make("option", { value, text: `${id}.${value}` })));
  control.addEventListener("change", () => set(id, control.value));
  selects[name] = control;
  return control;
}

function item({ review: { number, color, vertex, lost, loss, grade, turning, better } }, index) {
  const unseen = (text) => make("span", { class: "unseen" }, text);
  const button = make("button", { type: "button", class: "mistake-row" },
    make("span", { class: `dot-stone ${color}`, "aria-hidden": "true" }), unseen(`${t(`color.${color}`)} `),
    make("span", { class: "mistake-move" }, t("mistakes.move", { number, vertex })),
    unseen(` ${t(turning ? "moment.turning" : `grade.${grade}`)} `), ...(turning ? [icon("turning")] : []),
    make("span", { class: "mistake-better" }, better ? t("mistakes.better", { vertex: better[0] }) : ""),
    make("span", { class: `loss-badge loss-${loss}` }, lossText(lost)));
  button.addEventListener("click", async () => {
    await showMoment(nodes[index]);
    byId("board").scrollIntoView({ block: "nearest" });
  });
  return make("li", {}, button);
}

/** Scrolls the list, but not the page, to the current move. */
function scroll() {
  const item = marked?.parentNode;
  if (!item?.isConnected) return;
  const { offsetTop, offsetHeight } = item;
  if (offsetTop < list.scrollTop || offsetTop + offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = offsetTop - list.clientHeight / 3;
}

addPanel({
  id: "mistakes-panel", tab: "review", order: 30, label: "mistakes.label", topics: ["review", "game", "position", "tree", "settings"],
  build(panel) {
    root = panel;
    count = make("h2", {});
    list = make("ol", { id: "mistakes" });
    root.append(count, make("div", { class: "row filters-row" }, ...Object.keys(FILTERS).map(filter)), list);
  },
  update() {
    const { game } = state;
    root.hidden = !game.review;
    if (root.hidden) return;
    for (const [name, control] of Object.entries(selects)) control.value = settings[`mistakes.${name}`];
    nodes = mistakes(game);
    write(count, t("mistakes.count", { n: nodes.length }));
    const signature = [t("mistakes.label"), settings.coordinates, ...nodes.map(({ review: { number, lost, turning } }) => `${number} ${lost} ${turning}`)].join(";");
    if (signature !== drawn) {
      drawn = signature;
      list.replaceChildren(...nodes.map(item));
    }
    const current = nodes.indexOf(moment());
    const entry = list.children[current]?.firstChild ?? null;
    if (entry === marked && entry?.hasAttribute("aria-current")) return;
    marked?.removeAttribute("aria-current");
    marked = entry;
    marked?.setAttribute("aria-current", "true");
    // Reading the layout takes time, so the list does not follow quick moves through the game.
    clearTimeout(timer);
    timer = setTimeout(scroll, SETTLED);
  },
});
