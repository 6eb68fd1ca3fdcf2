// The page: listens, shows, commands.

import { Link } from "./link.js";
import { Store } from "./store.js";
import { panels } from "./panels.js";
import { SpectrumPlot } from "./timeplot.js";
import { Structure } from "./structure.js";
import { Actuators, Events, showHolder, showLights, showStatus } from "./side.js";
import { words } from "./units.js";

const $ = id => document.getElementById(id);
const SPANS = [[5, "5 s"], [10, "10 s"], [30, "30 s"], [120, "2 min"], [0, "all"]];
const page = {
  scene: null,
  status: null,
  controls: { yours: false, holder: null, asking: null },
  store: null,
  plots: [],
  actuator: 0,
  added: [],
  events: new Events(),
  actuators: null,
  structure: null,
  trusted: false,
};

// For whoever looks with the browser's own tools.
window.tandem = page;

// --- what is shown: following, frozen or zoomed --------------------------------------------------
const view = {
  sync: "time", span: 10, frozen: null, window: null,
  zoom(from, to) { this.window = [from, to]; $("unzoom").hidden = false; redraw(); },
  reset() { this.window = null; $("unzoom").hidden = true; redraw(); },
  range(store) {
    if (this.window) return this.window;
    const to = this.frozen ?? store.time;
    if (!this.span) return [0, Math.max(to, 1)];
    return [Math.max(0, to - this.span), Math.max(to, this.span)];
  },
};
for (const [span, label] of SPANS) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.dataset.span = span;
  button.onclick = () => {
    view.span = span;
    view.window = null;
    $("unzoom").hidden = true;
    markSpan();
    redraw();
  };
  $("spans").append(button);
}
const markSpan = () => {
  for (const b of $("spans").children)
    b.setAttribute("aria-pressed", String(Number(b.dataset.span) === view.span));
};
markSpan();
$("unzoom").onclick = () => view.reset();
function freeze() {
  view.frozen = view.frozen === null && page.store ? page.store.time : null;
  $("freeze").setAttribute("aria-pressed", String(view.frozen !== null));
  document.body.dataset.frozen = view.frozen !== null;
  redraw();
}
$("freeze").onclick = freeze;

// --- theme ---------------------------------------------------------------------------------------
const themes = ["auto", "light", "dark"];
let theme = localStorage.getItem("tandem-theme") || "auto";
function wear(name) {
  theme = themes.includes(name) ? name : "auto";
  localStorage.setItem("tandem-theme", theme);
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  $("theme").textContent = "Theme: " + theme;
  for (const plot of page.plots) plot.build();
  redraw();
}
$("theme").onclick = () => wear(themes[(themes.indexOf(theme) + 1) % 3]);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => wear(theme));

// --- the scene -----------------------------------------------------------------------------------
function setScene(scene) {
  page.scene = scene;
  document.title = scene.name + " · Tandem";
  $("name").textContent = scene.name;
  $("subtitle").textContent = scene.subtitle;
  page.actuator = Math.min(page.actuator, Math.max(0, scene.actuators.length - 1));
  $("actuator-label").hidden = scene.actuators.length < 2;
  $("actuator").innerHTML = scene.actuators
    .map((_, i) => `<option value="${i}">${i + 1}</option>`)
    .join("");
  $("actuator").value = page.actuator;
  $("add").length = 1;
  for (const c of scene.channels) $("add").add(new Option(words(c.name), c.name));
  page.actuators = new Actuators(scene);
  page.structure = new Structure(scene);
  makePlots();
}
function makePlots() {
  const { scene } = page;
  $("plots").innerHTML = "";
  page.plots = panels(scene, page.actuator, view, $("plots"), page.added, name => {
    page.added = page.added.filter(n => n !== name);
    makePlots();
  });
  const wanted = new Set();
  for (const plot of page.plots) for (const c of plot.channels) wanted.add(c);
  for (const name of page.structure.channels || []) wanted.add(name);
  for (const i of scene.indicators) wanted.add(i.channel);
  scene.actuators.forEach((a, i) => {
    for (const name of ["target", "command", "measured_displacement", "measured_force", "error"])
      wanted.add(`${name}/${i + 1}`);
    for (const limit of a.limits) for (const c of limit.channels) wanted.add(c);
  });
  const names = scene.channels.map(c => c.name);
  const subscribed = names.filter(name => wanted.has(name));
  page.store = new Store(subscribed);
  link.subscribe(subscribed.map(name => names.indexOf(name)));
}
$("actuator").onchange = e => { page.actuator = Number(e.target.value); makePlots(); };
$("add").onchange = e => {
  const name = e.target.value;
  e.target.value = "";
  if (name && !page.added.includes(name)) { page.added.push(name); makePlots(); }
};

// --- messages ------------------------------------------------------------------------------------
let noticeTimer = 0;
function notice(text) {
  const box = $("notice");
  box.textContent = text;
  box.hidden = !text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => { box.hidden = true; }, 6000);
}
function banner(text, tone = "bad") {
  const box = $("banner");
  box.textContent = text;
  box.dataset.tone = tone;
  box.hidden = !text;
}
const link = new Link({
  state(word, text) {
    document.body.dataset.link = word;
    $("wire").textContent =
      word === "open"
        ? "connected"
        : word === "refused"
          ? "refused"
          : word === "ended"
            ? "ended"
            : "connection lost";
    if (word === "open") banner("");
    else if (word === "refused")
      banner(`Refused: ${text}. Open the address that the program printed, with its token.`);
    else if (word === "ended")
      banner("The program has ended. What is shown is its last word.", "neutral");
    else if (page.scene && page.scene.executor.startsWith("replay"))
      banner(
        "Connection lost: the replay has ended or the program is gone. Trying again …",
        "neutral",
      );
    else
      banner(
        "Connection lost. Nothing here is current, and no button reaches the test: " +
          "use the emergency stop of the laboratory. Trying again …",
      );
    redraw();
  },
  message(message) {
    switch (message.type) {
      case "welcome": page.trusted = message.trusted; page.events.clear(); break;
      case "scene": setScene(message); break;
      case "status": page.status = message; if (message.outcome) link.ended = true; break;
      case "events": page.events.add(message.list); break;
      case "controls": page.controls = message; showHolder(message, page.trusted, wish); break;
      case "reset": if (page.store) page.store.clear(); break;
    }
    redraw();
  },
  frame(buffer) {
    if (!page.store) return;
    if (new DataView(buffer).getUint8(0) === 3) {
      for (const plot of page.plots) if (plot instanceof SpectrumPlot) plot.take(buffer);
    } else page.store.take(buffer);
    redraw();
  },
});

page.link = link;

// --- commands ------------------------------------------------------------------------------------
async function act(action) {
  const answer = await link.act(action);
  if (!answer.ok) notice(`${action}: ${answer.text}`);
}
async function wish(word) {
  const answer = await link.wish(word);
  if (!answer.ok) notice(answer.text);
}
for (const button of document.querySelectorAll("[data-action]"))
  button.addEventListener("click", () => act(button.dataset.action));
addEventListener(
  "keydown",
  event => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.code === "Space") {
      event.preventDefault();
      act("pause");
    } else if (event.code === "Escape") {
      event.preventDefault();
      act("stop");
    } else if (event.code === "KeyF" && event.target.tagName !== "SELECT") freeze();
  },
  true,
);
// Space must hold, whatever button has the focus: it is not also a click on it.
addEventListener("keyup", event => { if (event.code === "Space") event.preventDefault(); }, true);

// --- drawing -------------------------------------------------------------------------------------
let asked = false, last = 0;
const STEP = 1000 / 30;
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(function frame(now) {
    if (now - last < STEP - 4) { requestAnimationFrame(frame); return; }
    asked = false;
    last = now;
    draw();
  });
}
function draw() {
  const { scene, store, status } = page;
  if (!scene || !store) return;
  if (status) {
    showStatus(status, scene, page.controls, page.trusted);
    showLights(status, scene, store);
  }
  page.actuators.draw(store);
  page.structure.draw(store);
  const [from, to] = view.range(store);
  for (const plot of page.plots) if (plot.visible !== false) plot.draw(store, from, to);
  document.body.dataset.time = store.time;
  document.body.dataset.frames = Number(document.body.dataset.frames || 0) + 1;
}
// Plots out of sight are not drawn.
const sight = new IntersectionObserver(entries => {
  for (const entry of entries) {
    const plot = page.plots.find(p => p.element === entry.target);
    if (plot) { plot.visible = entry.isIntersecting; redraw(); }
  }
});
new MutationObserver(() => {
  sight.disconnect();
  for (const plot of page.plots) sight.observe(plot.element);
  size.disconnect();
  for (const plot of page.plots) size.observe(plot.chart);
}).observe($("plots"), { childList: true });
const size = new ResizeObserver(() => {
  for (const plot of page.plots) plot.resize();
  redraw();
});
wear(theme);
