// The live connection: requests with their answers, one WebSocket that is opened again when it has gone.

import { recall, remember } from "/storage.js";

/** The longest message that the service takes, in bytes. */
const LONGEST = 1 << 20;

/** What the service said went wrong. */
export class Refusal extends Error {
  constructor({ code, message, field }) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

export class Service {
  #socket = null;
  #waiting = new Map();
  #count = 0;
  #entering = null;
  #token = recall("session", "token") ?? undefined;

  /** `tell` hears whether the service is connected; `askToken` gives the token when one is needed. */
  constructor(tell, askToken) {
    this.tell = tell;
    this.askToken = askToken;
  }

  /** The answer to a request; `heard` is told what comes before the last one, `signal` may end it. */
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

  /** Asks for the token, once for all that need it. */
  #enter() {
    this.#entering ??= this.askToken(this.#token !== undefined).then((token) => {
      this.#token = token;
      remember("session", "token", token);
      this.#entering = null;
    });
    return this.#entering;
  }

  /** A stream: its answers go to `heard`. Gives back a function that ends it. */
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
    // It may have been cancelled meanwhile.
    if (!this.#waiting.has(id)) return;
    const text = JSON.stringify({ id, token: this.#token, ...request });
    if (new Blob([text]).size > LONGEST) {
      this.#waiting.delete(id);
      throw new Refusal({ code: "message", message: `This is too long: the service takes ${LONGEST} bytes at a time.` });
    }
    socket.send(text);
  }

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

  #lost(error) {
    this.tell(false);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const entry of waiting) entry.failed(error);
  }
}
