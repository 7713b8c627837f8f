// Entry point of the page: binds buttons and keys to actions, then loads the game of the last visit.

import { begin, games, goOn, read, resume, untimed } from "/begin.js";
import { analyse, answer, chosen, go, halt, move, play, resign, score } from "/course.js";
import { askNew, download, prepareNew } from "/dialogs.js";
import { fileField, textField } from "/file.js";
import { write } from "/sgf.js";
import { draw, prepare, show } from "/show.js";
import { attempt, capital, isOwn, keep, leave, say, service, state } from "/state.js";

const byId = (id) => document.getElementById(id);

const actions = {
  first: () => go(state.game.root),
  back: () => state.game.here.parent && go(state.game.here.parent),
  forward: () => {
    const line = state.game.line();
    const next = line[line.indexOf(state.game.here) + 1];
    return next && go(next);
  },
  last: () => go(state.game.line().at(-1)),
  undo: async () => {
    const { game } = state;
    // Before the first move, undo can still take back a resignation or a loss on time.
    let to = game.here.parent ?? game.here;
    // Against the engine, undo goes back to the user's turn.
    const { black, white } = state.humans;
    while (to.parent && black !== white && !state.humans[game.turn(to)]) to = to.parent;
    if (game.settings.playing) game.settings.result = "";
    // After a loss on time the game continues without clocks.
    if (state.clocks?.flagged) untimed();
    state.lostTurns = { black: 0, white: 0 };
    await go(to);
    if (!to.stand) return;
    say("Move undone.");
    if (isOwn(to.stand.color)) state.clocks?.turn(to.stand.color);
    else await answer();
  },
  pass: () => state.mayPass && play(state.game.here.stand.color, "pass"),
  resign: () => state.resigner && resign(state.resigner),
  move: () => move(),
  score: () => {
    if (state.busy) return;
    if (state.mode !== "score") return score();
    state.mode = "play";
    say("");
    analyse();
    return show();
  },
  analyse: () => {
    state.analysing = !state.analysing;
    say(state.analysing ? "Analysing." : "Analysis ended.");
    analyse();
    draw();
  },
  edit: () => {
    if (state.busy || !state.game.here.stand) return;
    if (state.mode === "edit") return actions["edit-cancel"]();
    state.mode = "edit";
    state.edited = state.game.here.stand.board.map((row) => [...row]);
    byId("edit-turn").value = state.game.here.stand.color;
    analyse();
    say("Choose points to place stones, then Done.");
    return draw();
  },
  "edit-done": async () => {
    // The button stays visible until the service has accepted the position.
    if (state.mode !== "edit") return;
    const { game, edited } = state;
    const turn = byId("edit-turn").value;
    const { komi, rules } = game.settings;
    const making = new AbortController();
    state.busy = making;
    const fits = await attempt(() => service.ask("position", { board: edited, color: turn, komi, rules }));
    // The user may have left this position in the meantime.
    if (state.busy !== making) return;
    state.busy = null;
    if (!fits) {
      draw();
      return;
    }
    const node = game.set(edited, turn);
    say(`Position set up. ${capital(turn)} to play.`);
    await go(node);
    if (node !== state.game.here || game.over || !isOwn(turn)) return;
    if (state.clocks && state.clocks.running !== turn) state.clocks.turn(turn);
  },
  "edit-cancel": () => {
    halt();
    state.mode = "play";
    say("");
    analyse();
    return show();
  },
  remove: () => {
    state.game.remove();
    return go(state.game.here);
  },
  new: async () => {
    const wanted = await askNew();
    if (wanted) await attempt(() => begin(wanted));
  },
  open: () => byId("file").click(),
  "save-file": () => download("game.sgf", write(state.game)),
  keep: () => attempt(async () => {
    const { gobanId, new: fresh } = await service.ask("saveGoban", await textField(write(state.game)));
    say(fresh ? `Saved as game ${gobanId}.` : `This game is already saved as game ${gobanId}.`);
  }),
  games: () => games.open(),
};

const KEYS = {
  Home: "first", End: "last", ArrowLeft: "back", ArrowRight: "forward", u: "undo", p: "pass", g: "move", s: "score", a: "analyse",
  e: "edit", Delete: "remove", n: "new", o: "open",
};

for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", () => action());
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || document.querySelector("dialog[open]");
  if (typing || event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
  event.preventDefault();
  const button = byId(KEYS[event.key]);
  if (!button.disabled) button.click();
});
// A comment belongs to the position that was shown when editing started, even if the engine moves in the meantime.
byId("comment").addEventListener("focus", () => {
  state.commented = state.game.here;
});
byId("comment").addEventListener("input", ({ target }) => {
  (state.commented ?? state.game.here).comment = target.value;
  keep();
});
byId("comment").addEventListener("blur", ({ target }) => {
  state.commented = null;
  target.value = state.game.here.comment;
});
byId("file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  await attempt(async () => {
    const { game, others, warnings } = await read(await fileField(file));
    await go(game.root);
    if (!game.here.stand) return;
    const [warning] = warnings;
    const more = warnings.length > 1 ? ` (and ${warnings.length - 1} more)` : "";
    const noted = warning ? ` Note: ${warning.message}${more}.` : "";
    say(`${file.name} opened${others > 0 ? `: the first of ${others + 1} games` : ""}.${noted}`);
  });
  target.value = "";
});

addEventListener("pagehide", leave);

prepare({ go, play, chosen });
byId("new").disabled = true;
await attempt(async () => {
  prepareNew(await service.ask("version"), async (size) => (await attempt(() => service.ask("handicap", { size })))?.most ?? 0);
  byId("new").disabled = false;
});
await attempt(resume);
await show();
await attempt(goOn);
