// The connection: greets with a proof of the token, signs commands, comes back by itself.

import { sign } from "./sha256.js";

const KEPT = "tandem-token";

function readToken() {
  const found = /[#&]token=([\w-]+)/.exec(location.hash);
  if (found) {
    // Not left in the address bar, where it would be photographed with the screen.
    history.replaceState(null, "", location.pathname);
    sessionStorage.setItem(KEPT, found[1]);
    return found[1];
  }
  return sessionStorage.getItem(KEPT) || "";
}

const randomId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), b => b.toString(16).padStart(2, "0")).join(
    "",
  );

function readClient() {
  let id = sessionStorage.getItem("tandem-client");
  if (!id) {
    id = randomId();
    sessionStorage.setItem("tandem-client", id);
  }
  return id;
}

function browserName(id) {
  const agent = navigator.userAgent;
  const kind = /Firefox/.test(agent)
    ? "Firefox"
    : /Edg/.test(agent)
      ? "Edge"
      : /Chrom/.test(agent)
        ? "Chrome"
        : /Safari/.test(agent)
          ? "Safari"
          : "Browser";
  const system = /Windows/.test(agent)
    ? "Windows"
    : /Mac OS/.test(agent)
      ? "macOS"
      : /Android/.test(agent)
        ? "Android"
        : /Linux/.test(agent)
          ? "Linux"
          : "";
  return `${kind}${system ? " on " + system : ""} (${id.slice(0, 4)})`;
}

export class Link {
  // `on` has: state(word, text), message(object), frame(buffer).
  constructor(on) {
    this.on = on;
    this.token = readToken();
    this.client = readClient();
    // A duplicated tab has the same client, but is another page.
    this.page = randomId();
    this.name = browserName(this.client);
    this.number = 0;
    this.waiting = new Map();
    this.ended = false;
    this.connect();
    // Not before the greeting.
    setInterval(() => { if (this.nonce) this.send({ type: "alive" }); }, 1000);
    // A connection that brings nothing is lost, whatever the network says.
    setInterval(() => {
      if (this.open && performance.now() - this.heard > 3000) this.lose("no sign of life for 3 s");
    }, 500);
  }
  connect() {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.nonce = null;
    this.heard = performance.now();
    socket.onopen = () => { this.open = true; this.heard = performance.now(); };
    socket.onmessage = event => {
      if (socket !== this.socket) return;
      this.heard = performance.now();
      if (typeof event.data === "string") this.hear(JSON.parse(event.data));
      else this.on.frame(event.data);
    };
    socket.onclose = event => { if (socket === this.socket) this.lose(event.reason); };
    socket.onerror = () => {};
  }
  lose(reason) {
    this.open = false;
    const old = this.socket;
    this.socket = null;
    if (old) {
      old.onclose = null;
      old.close();
    }
    for (const answer of this.waiting.values())
      answer({ ok: false, text: "the connection was lost before an answer came" });
    this.waiting.clear();
    if (this.refused) { this.on.state("refused", this.refused); return; }
    this.on.state(this.ended ? "ended" : "lost", reason);
    setTimeout(() => this.connect(), this.ended ? 3000 : 700);
  }
  hear(message) {
    if (message.type === "challenge") {
      this.nonce = message.nonce;
      this.number = 0;
      const proof = this.token ? sign(this.token, this.nonce, "hello|" + this.client) : "";
      this.send({ type: "hello", client: this.client, page: this.page, name: this.name, proof });
    } else if (message.type === "refused") {
      this.refused = message.text;
      if (message.text === "wrong token") sessionStorage.removeItem(KEPT);
    } else if (message.type === "answer") {
      const answer = this.waiting.get(message.n);
      this.waiting.delete(message.n);
      if (answer) answer(message);
    } else {
      if (message.type === "welcome") {
        this.trusted = message.trusted;
        this.ended = false;
        this.on.state("open", "");
      }
      this.on.message(message);
    }
  }
  send(message) {
    if (this.open && this.socket && this.socket.readyState === 1) {
      this.socket.send(JSON.stringify(message));
      return true;
    }
    return false;
  }
  signed(message, word) {
    if (!this.trusted)
      return Promise.resolve({
        ok: false,
        text: "this page only watches: open the address with its token to command",
      });
    const n = ++this.number;
    const mac = sign(this.token, this.nonce, n + "|" + word);
    return new Promise(resolve => {
      if (this.send({ ...message, n, mac })) this.waiting.set(n, resolve);
      else resolve({ ok: false, text: "not connected: the command was NOT sent" });
    });
  }
  act(action) { return this.signed({ type: "act", action }, action); }
  wish(wish) { return this.signed({ type: "controls", wish }, "controls-" + wish); }
  subscribe(channels) { this.send({ type: "subscribe", channels }); }
}
