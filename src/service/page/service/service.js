// The connection of the page to the service.

import { sayError } from "/core/message.js";
import { changed } from "/core/store.js";
import { Service } from "/service/socket.js";

let askToken = null;
/** True while the service is connected; true before the first attempt. */
let connected = true;
const listeners = [];

export const service = new Service((now) => {
  const restored = now && !connected;
  connected = now;
  changed("connection");
  if (restored) for (const listener of listeners) listener();
}, (wrong) => askToken(wrong));

service.keepAlive();

/** True unless the connection has been lost. */
export const isConnected = () => connected;
/** Calls `listener` whenever the lost connection has been restored. */
export const onReconnected = (listener) => listeners.push(listener);
/** Sets the function that asks the user for the access token; `wrong`: the previous one was rejected. */
export function setAskToken(ask) {
  askToken = ask;
}

/**
 * Runs `work` and returns its result. Errors reported by the service are shown to the user, except cancellations, and
 * undefined is returned; any other error is rethrown.
 */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!error.code) throw error;
    if (error.code !== "cancelled") sayError(error);
    return undefined;
  }
}
