// Connection to the service: matches requests and responses over one WebSocket, which is reopened when it has closed.

import { recall, remember } from "/storage.js";

/** Maximum size of a request, in bytes. */
const LONGEST = 1 << 20;

/** Error reported by the service. */
export class Refusal extends Error {
  constructor({ code, message, field }) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

export class Service {
  #socket = null;
  #waiting = new Map(); // callbacks of open requests, by id
  #count = 0;
  #entering = null; // promise of the open token dialog
  #token = recall("session", "token") ?? undefined;

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
      try {
        return await this.#once(operator, fields, heard, signal);
      } catch (error) {
        if (error.code !== "token") throw error;
        await this.#enter();
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
        failed(new Refusal({ code: "cancelled", message: "" }));
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
    if (new Blob([text]).size > LONGEST) {
      this.#waiting.delete(id);
      throw new Refusal({ code: "message", message: `This request is too long: the service accepts at most ${LONGEST} bytes.` });
    }
    socket.send(text);
  }

  /** Resolves to the open socket; opens one if necessary. */
  #connected() {
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return this.#socket.ready;
    const address = location.href.replace(/^http/, "ws").replace(/[^/]*$/, "socket");
    const socket = new WebSocket(address);
    this.#socket = socket;
    let told = "The service cannot be reached.";
    socket.ready = new Promise((done, failed) => {
      socket.addEventListener("open", () => {
        told = "The connection to the service has been lost.";
        this.tell(true);
        done(socket);
      });
      socket.addEventListener("close", () => {
        const error = new Refusal({ code: "closing", message: told });
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
    if (error) entry.failed(new Refusal(error));
    else entry.done(fields);
  }

  /** Rejects all open requests. */
  #lost(error) {
    this.tell(false);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const entry of waiting) entry.failed(error);
  }
}
