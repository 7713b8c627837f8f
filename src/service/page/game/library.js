// The user's games in the service's store. Games that have been finished are stored without being asked.

import { say } from "/core/message.js";
import { on } from "/core/store.js";
import { saveSoon } from "/game/autosave.js";
import { textField } from "/game/file.js";
import { withoutValues, write } from "/game/sgf.js";
import { state } from "/game/state.js";
import { attempt, isConnected, onReconnected, service } from "/service/service.js";

/** Latest request to store a game; the next one waits for it, so that a game is not stored twice. */
let storing = Promise.resolve();

/** Stores a game, or replaces its stored text. Resolves to the service's response. */
export function store(game) {
  const work = storing.then(() => request(game));
  storing = work.catch(() => {});
  return work;
}

async function request(game) {
  const text = write(game);
  const field = await textField(text);
  const response = await service.ask("saveGoban", { ...field, ...(game.gobanId === null ? {} : { gobanId: game.gobanId }) })
    .catch((error) => {
      // The stored game has been deleted.
      if (game.gobanId === null || error.code !== "notFound") throw error;
      return service.ask("saveGoban", field);
    });
  game.gobanId = response.gobanId;
  game.saved = withoutValues(text);
  saveSoon();
  return response;
}

/** Saves the game at the user's request. Resolves to its id, or to undefined if that failed. */
export const keep = () => attempt(async () => {
  const { gobanId, new: fresh, updated } = await store(state.game);
  say(fresh ? "said.saved" : updated ? "said.updated" : "said.savedAlready");
  return gobanId;
});

/** Stores the game if it has been finished and its stored text differs. */
function storeFinished() {
  const { game } = state;
  if (isConnected() && game.over && game.root.children.length > 0 && withoutValues(write(game)) !== game.saved) attempt(() => store(game));
}

on(["result"], storeFinished);
onReconnected(storeFinished);
