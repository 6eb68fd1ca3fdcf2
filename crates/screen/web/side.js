// Everything that is no plot: state, buttons, progress, lights, bars, events.

import { bytes, clock, figure, shown, words } from "./units.js";

const $ = id => document.getElementById(id);
const put = (element, text) => { if (element.textContent !== text) element.textContent = text; };

function pairs(element, list) {
  const rows = list.filter(row => row[1] !== null && row[1] !== undefined);
  if (element.children.length !== 2 * rows.length)
    element.innerHTML = rows.map(() => "<dt></dt><dd></dd>").join("");
  rows.forEach(([label, text, tone], i) => {
    put(element.children[2 * i], label);
    put(element.children[2 * i + 1], text);
    element.children[2 * i + 1].dataset.tone = tone || "";
  });
}

export function showStatus(status, scene, controls, trusted) {
  const state = $("state");
  state.dataset.tone = status.tone;
  put($("state-name"), status.state);
  put($("state-meaning"), status.meaning);
  document.body.dataset.state = status.state;
  const open = document.body.dataset.link === "open";
  for (const button of document.querySelectorAll("#actions button")) {
    const allowed = open && status.allowed.includes(button.dataset.action) && controls.yours;
    button.disabled = !allowed;
    const natural = status.state === "Error" ? ["centering"] : ["start", "next", "resume"];
    button.classList.toggle("next", allowed && natural.includes(button.dataset.action));
    button.title = !open
      ? "Not connected"
      : !trusted
        ? "This page only watches: open the address with its token"
        : !controls.yours
          ? "Another browser holds the controls"
          : allowed
            ? ""
            : `Not allowed in the state ${status.state}`;
  }
  const stop = $("emergency-stop");
  stop.disabled = !trusted || !status.allowed.includes("emergency-stop");
  stop.title = trusted
    ? "Hydraulics off at once; no confirmation"
    : "This page only watches: use the red button in the laboratory";

  const share = scene.end_s > 0 ? Math.min(1, status.time_s / scene.end_s) : 0;
  $("progress").firstElementChild.style.width = `${100 * share}%`;
  pairs($("progress-facts"), [
    ["Step", `${status.step} of ${scene.steps}`],
    ["Structural time", `${status.time_s.toFixed(2)} of ${scene.end_s.toFixed(2)} s`],
    ["Wall time", clock(status.wall_s)],
    ["Left", status.outcome ? null : clock(status.left_s)],
    ["Time scale λ", figure(scene.time_scale).replace(/\.?0+$/, "")],
    ["Executor", scene.executor],
  ]);
  const t = status.timing;
  const long = us =>
    us >= 1e6
      ? `${figure(us * 1e-6)} s`
      : us >= 1e4
        ? `${figure(us * 1e-3)} ms`
        : `${figure(us)} µs`;
  $("timing-card").hidden = !t;
  if (t)
    pairs($("timing"), [
      // Only the real-time executor has deadlines; a paced rehearsal has ticks that came late.
      scene.executor === "real time"
        ? ["Missed deadlines", `${t.missed} of ${t.ticks}`, t.missed ? "bad" : "good"]
        : ["Late ticks", `${t.missed} of ${t.ticks}`, t.missed ? "caution" : "good"],
      ["Jitter, median", long(t.jitter_us[0])],
      ["Jitter, 99 %", long(t.jitter_us[1]), t.jitter_us[1] > t.period_us ? "caution" : ""],
      ["Jitter, largest", long(t.jitter_us[2])],
      ["Period", long(t.period_us)],
    ]);
  const r = status.recorder;
  $("recorder-card").hidden = !r;
  if (r) pairs($("recorder"), [
    ["Rows", String(r.rows)], ["Data", bytes(r.bytes)],
    ["Lost", String(r.lost), r.lost ? "bad" : "good"],
    ["Lost on screen", status.lost_rows ? String(status.lost_rows) : null, "caution"],
  ]);
  const l = status.link;
  $("link-card").hidden = !l;
  if (l) pairs($("link"), [["Peer", l.peer], ["State", l.text, l.tone]]);
}

export function showLights(status, scene, store) {
  const lights = status.lights.map(l => [l.label, l.text, l.tone]);
  for (const i of scene.indicators) {
    if (!store.has(i.channel)) continue;
    const x = store.last(i.channel) * i.factor,
      size = Math.abs(x);
    const tone = Number.isNaN(x)
      ? "neutral"
      : i.bad !== null && size >= i.bad
        ? "bad"
        : i.caution !== null && size >= i.caution
          ? "caution"
          : i.bad === null && i.caution === null
            ? "neutral"
            : "good";
    lights.push([i.label, `${figure(x, Math.max(1, size))} ${i.unit}`, tone]);
  }
  const list = $("lights");
  if (list.children.length !== lights.length)
    list.innerHTML = lights.map(() => "<li><i></i><span></span><b></b></li>").join("");
  lights.forEach(([label, text, tone], n) => {
    const row = list.children[n];
    row.dataset.tone = tone;
    put(row.children[1], label);
    put(row.children[2], text);
  });
}

export class Actuators {
  constructor(scene) {
    this.scene = scene;
    this.box = $("actuators");
    this.box.innerHTML = "";
    this.rows = scene.actuators.map((a, i) => {
      const card = document.createElement("section");
      card.className = "card actuator";
      card.innerHTML = `<h2></h2><dl class="pairs wide"></dl><div class="limits"></div>`;
      card.querySelector("h2").textContent = a.label || `Actuator ${i + 1}`;
      const limits = a.limits.map(limit => {
        const row = document.createElement("div");
        row.className = "limit";
        row.innerHTML = `<span></span><div class="bar"><i></i><u></u></div><b></b>`;
        row.children[0].textContent = words(limit.name);
        card.querySelector(".limits").append(row);
        return [limit, row];
      });
      this.box.append(card);
      return [card, limits];
    });
  }
  draw(store) {
    this.rows.forEach(([card, limits], i) => {
      const { unit, force_unit } = this.scene.actuators[i],
        n = i + 1;
      const [mm, f] = shown(unit),
        [kN, g] = shown(force_unit);
      const row = (label, name, factor, u) => [
        label,
        `${figure(store.last(`${name}/${n}`) * factor, store.peak(`${name}/${n}`) * factor)} ${u}`,
      ];
      pairs(card.querySelector("dl"), [
        row("Target", "target", f, mm),
        row("Command", "command", f, mm),
        row("Measured", "measured_displacement", f, mm),
        row("Error", "error", f, mm),
        row("Force", "measured_force", g, kN),
      ]);
      for (const [limit, element] of limits) {
        let now = NaN,
          peak = 0;
        for (const name of limit.channels) {
          const x = store.reach(name);
          if (!(now >= x) && !Number.isNaN(x)) now = x;
          peak = Math.max(peak, store.peak(name) || 0);
        }
        const known = !Number.isNaN(now),
          share = known ? now / limit.bound : 0,
          most = peak / limit.bound;
        element.dataset.tone = !known
          ? "neutral"
          : share >= 1
            ? "bad"
            : share >= 0.8
              ? "caution"
              : "good";
        element.querySelector("i").style.width = `${Math.min(100, 100 * share)}%`;
        element.querySelector("u").style.left = `${Math.min(100, 100 * most)}%`;
        const [u, factor] = shown(
          this.scene.channels.find(c => c.name === limit.channels[0])?.unit || "1",
        );
        put(
          element.children[2],
          known ? `${Math.max(0, 100 * (1 - share)).toFixed(0)} % left` : "–",
        );
        const [current, bound, largest] = [now, limit.bound, peak].map(x => figure(x * factor));
        const sofar = `largest so far ${largest} ${u}`;
        element.title = `${words(limit.name)}: ${current} of ${bound} ${u}; ${sofar}`;
      }
    });
  }
}

export class Events {
  constructor() { this.list = $("events"); this.seen = 0; }
  clear() { this.list.innerHTML = ""; }
  add(events) {
    for (const event of events) {
      const row = document.createElement("li");
      row.dataset.tone = event.tone;
      row.innerHTML = `<time></time><span></span>`;
      row.children[0].textContent = event.time_s.toFixed(2) + " s";
      row.children[1].textContent = event.text;
      row.title = event.code;
      this.list.prepend(row);
    }
    while (this.list.children.length > 300) this.list.lastElementChild.remove();
  }
}

export function showHolder(controls, trusted, wish) {
  const box = $("holder");
  box.innerHTML = "";
  const say = text => {
    const span = document.createElement("span");
    span.textContent = text;
    box.append(span);
  };
  const button = (text, word, id) => {
    const b = document.createElement("button");
    b.type = "button";
    b.id = id;
    b.textContent = text;
    b.onclick = () => wish(word);
    box.append(b);
  };
  box.dataset.yours = controls.yours;
  box.dataset.asking = Boolean(controls.yours && controls.asking);
  if (!trusted) {
    say(
      controls.holder
        ? `${controls.holder} holds the controls. You watch.`
        : "You watch: no token, no controls.",
    );
    return;
  }
  if (controls.yours && controls.asking) {
    say(`${controls.asking} asks for the controls.`);
    button("Hand over", "grant", "controls-grant");
    button("Keep", "keep", "controls-keep");
  } else if (controls.yours) {
    say("You hold the controls.");
    button("Let go", "release", "controls-release");
  } else if (!controls.holder) {
    say("Nobody holds the controls.");
    button("Take controls", "take", "controls-take");
  } else {
    say(`${controls.holder} holds the controls${controls.away ? " and is away" : ""}.`);
    if (controls.you_ask) say("Asked; waiting for an answer.");
    else button("Ask for controls", "take", "controls-take");
  }
}
