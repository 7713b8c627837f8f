// Connection to the service: matches requests and responses over one WebSocket, which is reopened when it has closed.

import { recall, remember } from "/core/storage.js";

/** Maximum size of a request, in bytes. */
const LONGEST = 1 << 20;

/** Delays between attempts to reconnect, in milliseconds; the last one is repeated. */
const DELAYS = [300, 1000, 2000, 5000, 10000];
/** Interval of messages that keep an unused connection open, in milliseconds. */
const SILENCE = 240000;

/** Error reported by the service, or of the connection. `kind` and `params` select a text (see `texts/errors.js`). */
export class ServiceError extends Error {
  constructor({ code, message, field, kind, params }) {
    super(message);
    Object.assign(this, { code, field, kind, params });
  }
}

export class Service {
  #socket = null;
  #waiting = new Map(); // callbacks of open requests, by id
  #count = 0;
  #entering = null; // promise of the open token dialog
  #token = recall("session", "token") ?? undefined;
  #attempts = 0; // attempts to reconnect since the connection was lost
  #timer = null; // timer of the next attempt

  /** Calls `tell(connected)` when the connection changes, and `askToken(wrong)` when the service requires a token. */
  constructor(tell, askToken) {
    this.tell = tell;
    this.askToken = askToken;
  }

  /**
   * Sends a request and resolves to its final response. Calls `heard` with each partial response. Aborting `signal`
   * cancels the request. Requests for which the service requires a token are sent again once the user has entered it.
   */
  async ask(operator, fields = {}, { heard, signal } = {}) {
    for (;;) {
      const token = this.#token;
      try {
        return await this.#once(operator, fields, heard, signal);
      } catch (error) {
        if (error.code !== "token") throw error;
        // In the meantime, the user may have entered another token for another request.
        if (token === this.#token) await this.#enter();
      }
    }
  }

  /** Requests the token from the user, once for all waiting requests. */
  #enter() {
    this.#entering ??= this.askToken(this.#token !== undefined).then((token) => {
      this.#token = token;
      remember("session", "token", token);
      this.#entering = null;
    });
    return this.#entering;
  }

  /** Starts a request with a stream of responses, all passed to `heard`. Returns a function that cancels it. */
  stream(operator, fields, heard, failed) {
    const id = ++this.#count;
    const entry = { heard, done: heard, failed };
    this.#send(id, { ...fields, operator, stream: true }, entry).catch(failed);
    return () => this.#cancel(id);
  }

  #cancel(id) {
    if (!this.#waiting.delete(id) || this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ operator: "cancel", cancelId: id }));
  }

  #once(operator, fields, heard = () => {}, signal = undefined) {
    return new Promise((done, failed) => {
      const id = ++this.#count;
      signal?.addEventListener("abort", () => {
        this.#cancel(id);
        failed(new ServiceError({ code: "cancelled", message: "" }));
      });
      this.#send(id, { ...fields, operator }, { heard, done, failed }).catch(failed);
    });
  }

  async #send(id, request, entry) {
    this.#waiting.set(id, entry);
    const socket = await this.#connected();
    // The request may have been cancelled in the meantime.
    if (!this.#waiting.has(id)) return;
    const text = JSON.stringify({ id, token: this.#token, ...request });
    // A character has up to three bytes.
    if (3 * text.length > LONGEST && new Blob([text]).size > LONGEST) {
      this.#waiting.delete(id);
      throw new ServiceError({ code: "message", kind: "requestTooLong", params: { limit: LONGEST }, message: "" });
    }
    socket.send(text);
  }

  /** Resolves to the open socket; opens one if necessary. */
  #connected() {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return this.#socket.ready;
    const address = location.href.replace(/^http/, "ws").replace(/[^/]*$/, "socket");
    const socket = new WebSocket(address);
    this.#socket = socket;
    let kind = "unreachable";
    socket.ready = new Promise((done, failed) => {
      socket.addEventListener("open", () => {
        kind = "connectionLost";
        this.#attempts = 0;
        this.tell(true);
        done(socket);
      });
      socket.addEventListener("close", () => {
        const error = new ServiceError({ code: "closing", kind, message: "" });
        failed(error);
        if (this.#socket === socket) this.#lost(error);
      });
    });
    socket.addEventListener("message", (event) => this.#take(JSON.parse(event.data)));
    return socket.ready;
  }

  /** Passes a message to the callbacks of its request. */
  #take(answer) {
    const { id, error, ...fields } = answer;
    const entry = this.#waiting.get(id);
    if (!entry) return;
    if (!error && fields.done === false) {
      entry.heard(fields);
      return;
    }
    this.#waiting.delete(id);
    if (error) entry.failed(new ServiceError(error));
    else entry.done(fields);
  }

  /** Rejects all open requests and reconnects. */
  #lost(error) {
    this.tell(false);
    this.#reconnect();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const entry of waiting) entry.failed(error);
  }

  /** Connects again after a delay that grows with each attempt; hidden pages wait until they are visible. */
  #reconnect() {
    if (this.#timer) return;
    const delay = DELAYS[Math.min(this.#attempts, DELAYS.length - 1)];
    this.#attempts += 1;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (document.hidden) document.addEventListener("visibilitychange", () => this.#ping(), { once: true });
      else this.#ping();
    }, delay);
  }

  /** Sends a request without effect: the service closes connections that stay silent. */
  #ping() {
    this.ask("ping").catch(() => {});
  }

  /** Keeps the connection open while the page is visible. */
  keepAlive() {
    setInterval(() => {
      if (!document.hidden && this.#socket?.readyState === WebSocket.OPEN) this.#ping();
    }, SILENCE);
  }
}
