// Makes the static plots live: gestures, linked axes, the values under the pointer; and the theme.

const root = document.documentElement;
root.classList.add("js");

const theme = document.getElementById("theme");
const themes = ["auto", "light", "dark"];
let chosen = "auto";
try {
  chosen = localStorage.getItem("report-theme") || "auto";
} catch {
  /* storage is closed to local files */
}
function wear(name) {
  chosen = themes.includes(name) ? name : "auto";
  if (chosen === "auto") delete root.dataset.theme; else root.dataset.theme = chosen;
  theme.textContent = "Theme: " + chosen;
  try { localStorage.setItem("report-theme", chosen); } catch { /* as above */ }
}
wear(chosen);
theme.addEventListener("click", () => wear(themes[(themes.indexOf(chosen) + 1) % 3]));

// --- a chart -------------------------------------------------------------------------------------
const charts = [];
class Chart {
  constructor(plot) {
    this.plot = plot;
    this.figure = document.getElementById("plot-" + plot.id);
    this.box = this.figure.querySelector(".chart");
    this.svg = this.box.querySelector("svg");
    this.hidden = new Set();
    this.panels = plot.panels.map(
      (spec, i) => new Panel(this, spec, this.svg.querySelector(`[data-panel="${i}"]`)),
    );
    this.pointers = new Map();
    this.svg.classList.add("live");
    this.svg.tabIndex = 0;
    const on = (name, act, options) => this.svg.addEventListener(name, act, options);
    on("wheel", e => this.wheel(e), { passive: false });
    on("pointerdown", e => this.press(e));
    on("mousedown", e => {
      e.preventDefault();
      this.svg.focus({ preventScroll: true, focusVisible: false });
    }); // a drag selects no text
    on("pointermove", e => this.move(e));
    on("pointerup", e => this.release(e));
    on("pointercancel", e => this.release(e));
    on("pointerleave", () => hush());
    on("dblclick", () => this.reset());
    on("keydown", e => this.key(e));
    this.figure
      .querySelectorAll(".legend button")
      .forEach(button => button.addEventListener("click", () => this.toggle(button)));
  }
  // The event's place in units of the drawing, and the panel it is over (axes included).
  where(e) {
    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const panel = this.panels.find(
      q => p.x > q.l - 48 && p.x < q.l + q.w + 6 && p.y > q.t - 8 && p.y < q.t + q.h + 40,
    );
    const over = panel && (p.x < panel.l ? "y" : p.y > panel.t + panel.h ? "x" : "both");
    return { x: p.x, y: p.y, panel, over };
  }
  // Which axes a gesture acts on.
  axes(over, shift) {
    if (over !== "both") return [over];
    return this.plot.rising && !this.plot.equal ? [shift ? "y" : "x"] : ["x", "y"];
  }
  ready() { if (!this.unpacked) { unpack(this.plot); this.unpacked = true; } }
  wheel(e) {
    const at = this.where(e);
    // A wheel that scrolls the page past a plot goes on scrolling it: only a pointer that has come
    // to the plot zooms.
    if (!at.panel || !(e.ctrlKey || settled === this.svg)) return;
    const turn = e.deltaY || e.deltaX,
      factor = Math.exp(
        clamp(turn * (e.deltaMode ? 16 : 1), -240, 240) * (e.ctrlKey ? 0.008 : 0.0018),
      );
    if (factor > 1 && !at.panel.moved) return;
    e.preventDefault();
    this.scale(at.panel, this.axes(at.over, e.shiftKey), at.x, at.y, factor);
  }
  scale(panel, axes, x, y, factor) {
    this.ready();
    const vx = panel.atX(x), vy = panel.atY(y);
    for (const axis of axes) {
      panel.zoom(axis, axis === "x" ? vx : vy, factor);
      if (axis === "y") panel.free = true;
    }
    this.changed(panel);
  }
  press(e) {
    const at = this.where(e);
    if (!at.panel || e.button > 0) return;
    this.svg.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, at);
    const { panel } = at;
    this.grip = {
      panel,
      at,
      x: [...panel.x],
      y: [...panel.y],
      axes: this.axes(at.over, false),
      box: e.shiftKey && at.over === "both",
    };
    if (at.over === "both" && panel.free) this.grip.axes = ["x", "y"];
    hush();
  }
  move(e) {
    if (e.pointerType === "mouse" && (e.screenX !== lastX || e.screenY !== lastY)) {
      settled = this.svg;
      lastX = e.screenX;
      lastY = e.screenY;
    }
    const at = this.where(e);
    if (!this.pointers.has(e.pointerId)) { if (e.pointerType !== "touch") point(this, at); return; }
    const before = this.pointers.get(e.pointerId);
    this.pointers.set(e.pointerId, at);
    const { grip } = this, { panel } = grip;
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== e.pointerId)[1],
        span = p => Math.hypot(p.x - other.x, p.y - other.y) || 1;
      this.scale(
        panel,
        grip.axes,
        (at.x + other.x) / 2,
        (at.y + other.y) / 2,
        span(before) / span(at),
      );
      Object.assign(grip, { at, x: [...panel.x], y: [...panel.y] });
      return;
    }
    if (grip.box) { this.sketch(grip, at); return; }
    if (!panel.moved) return;
    this.svg.classList.add("dragging");
    this.ready();
    const dx = ((at.x - grip.at.x) / panel.w) * (grip.x[1] - grip.x[0]),
      dy = ((at.y - grip.at.y) / panel.h) * (grip.y[1] - grip.y[0]);
    if (grip.axes.includes("x")) panel.set("x", grip.x[0] - dx, grip.x[1] - dx);
    if (grip.axes.includes("y")) {
      panel.set("y", grip.y[0] + dy, grip.y[1] + dy);
      panel.free = true;
    }
    this.changed(panel);
  }
  sketch(grip, at) {
    const q = grip.panel, cx = v => clamp(v, q.l, q.l + q.w), cy = v => clamp(v, q.t, q.t + q.h);
    grip.x = [cx(grip.at.x), cx(at.x)].sort((a, b) => a - b);
    grip.y = [cy(grip.at.y), cy(at.y)].sort((a, b) => a - b);
    const [width, height] = [grip.x[1] - grip.x[0], grip.y[1] - grip.y[0]];
    const corner = `x="${grip.x[0]}" y="${grip.y[0]}"`;
    q.hairs.innerHTML = `<rect class="box" ${corner} width="${width}" height="${height}"/>`;
    grip.drawn = true;
  }
  release(e) {
    const { grip } = this;
    this.pointers.delete(e.pointerId);
    this.svg.classList.remove("dragging");
    if (grip && grip.drawn && this.pointers.size === 0) {
      const q = grip.panel;
      q.hairs.innerHTML = "";
      grip.drawn = false;
      if (grip.x[1] - grip.x[0] > 4 && grip.y[1] - grip.y[0] > 4) {
        this.ready();
        const [x0, x1] = grip.x.map(v => q.atX(v)), [y1, y0] = grip.y.map(v => q.atY(v));
        q.free = true;
        q.set("x", x0, x1);
        q.set("y", y0, y1);
        this.changed(q);
      }
    }
  }
  key(e) {
    const q = this.panels[0],
      axes = this.axes("both", e.shiftKey),
      cx = q.l + q.w / 2,
      cy = q.t + q.h / 2,
      step = 0.15 * (q.x[1] - q.x[0]);
    const acts = {
      "+": () => this.scale(q, axes, cx, cy, 0.7),
      "=": () => this.scale(q, axes, cx, cy, 0.7),
      "-": () => this.scale(q, axes, cx, cy, 1.4),
      0: () => this.reset(),
      Escape: () => this.reset(),
      ArrowLeft: () => {
        this.ready();
        q.set("x", q.x[0] - step, q.x[1] - step);
        this.changed(q);
      },
      ArrowRight: () => {
        this.ready();
        q.set("x", q.x[0] + step, q.x[1] + step);
        this.changed(q);
      },
    };
    if (!acts[e.key] || e.ctrlKey || e.metaKey) return;
    e.preventDefault();
    acts[e.key]();
  }
  reset() {
    for (const chart of this.linked()) for (const panel of chart.panels) {
      if (chart !== this && !panel.main) continue;
      chart.ready();
      Object.assign(panel, { x: [...panel.home.x], y: [...panel.home.y], free: false });
      chart.redraw();
    }
  }
  toggle(button) {
    const s = +button.dataset.series, off = !this.hidden.has(s);
    if (off) this.hidden.add(s); else this.hidden.delete(s);
    button.classList.toggle("off", off);
    button.setAttribute("aria-pressed", String(off));
    for (const path of this.svg.querySelectorAll(`path[data-series="${s}"]`))
      path.classList.toggle("off", off);
  }
  linked() {
    return this.plot.link === null ? [this] : charts.filter(c => c.plot.link === this.plot.link);
  }
  changed(panel) {
    panel.fit();
    if (panel.main) for (const chart of this.linked()) if (chart !== this) {
      chart.ready();
      const twin = chart.panels[0];
      twin.set("x", ...panel.x);
      twin.fit();
      chart.redraw();
    }
    this.redraw();
  }
  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.panels.forEach(panel => panel.draw());
      const moved = this.panels.some(panel => panel.moved);
      if (moved && !this.button) {
        this.button = this.box.appendChild(
          Object.assign(document.createElement("button"), {
            className: "reset",
            type: "button",
            textContent: "Reset",
          }),
        );
        this.button.addEventListener("click", () => this.reset());
      }
      if (this.button) this.button.hidden = !moved;
    });
  }
}

// --- pointing ------------------------------------------------------------------------------------
let settled = null, lastX = NaN, lastY = NaN, pointed = [];
addEventListener("scroll", () => { settled = null; }, { passive: true });
const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
function hush() {
  for (const panel of pointed) panel.hairs.innerHTML = "";
  pointed = [];
  tip.hidden = true;
}
const plain = text => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const unit = axis => axis.unit ? " " + plain(axis.unit) : "";
function point(chart, at) {
  hush();
  if (!at.panel || at.over !== "both") return;
  chart.ready();
  const { plot } = chart, { panel } = at, rows = [];
  let pips = "", head = "", anchor = at.x;
  const pip = (k, s) => {
    const x = panel.px(s.xs[k]),
      y = panel.py(s.ys[k]);
    if (y >= panel.t && y <= panel.t + panel.h && x >= panel.l && x <= panel.l + panel.w)
      pips += `<circle class="pip ${s.colour}" cx="${x}" cy="${y}" r="3.4"/>`;
  };
  const row = (s, k, pair) =>
    rows.push(
      `<tr><td><i class="${s.colour}"></i>${plain(s.name)}</td><td class="number">${
        pair ? words(outer(s.xs[k], plot.x.log)) + unit(plot.x) + ", " : ""
      }${words(outer(s.ys[k], plot.y.log))}${unit(plot.y)}</td></tr>`,
    );
  if (plot.rising) {
    const v = panel.atX(at.x);
    let nearest = NaN;
    plot.series.forEach((s, i) => {
      if (chart.hidden.has(i) || !s.xs.length) return;
      let k = clamp(seek(s.xs, v), 0, s.xs.length - 1);
      if (k > 0 && Math.abs(s.xs[k - 1] - v) < Math.abs(s.xs[k] - v)) k--;
      if (Math.abs(panel.px(s.xs[k]) - at.x) > 30 && plot.series.length > 1) return;
      if (!(Math.abs(s.xs[k] - v) >= Math.abs(nearest - v))) nearest = s.xs[k];
      pip(k, s);
      row(s, k, false);
    });
    if (!rows.length) return;
    head = `<b>${plain(plot.x.label)} ${words(outer(nearest, plot.x.log))}${unit(plot.x)}</b>`;
    for (const other of chart.linked()) for (const q of other.panels) {
      if (v < q.x[0] || v > q.x[1]) continue;
      const x = q.px(v).toFixed(1);
      q.hairs.innerHTML = `<path class="hair" d="M${x} ${q.t}v${q.h}"/>${q === panel ? pips : ""}`;
      pointed.push(q);
    }
  } else {
    let best = 900, found = null;
    plot.series.forEach((s, i) => {
      if (chart.hidden.has(i)) return;
      for (let k = 0; k < s.xs.length; k++) {
        const d = (panel.px(s.xs[k]) - at.x) ** 2 + (panel.py(s.ys[k]) - at.y) ** 2;
        if (d < best) { best = d; found = [k, s]; }
      }
    });
    if (!found) return;
    const [k, s] = found, x = panel.px(s.xs[k]), y = panel.py(s.ys[k]);
    pip(k, s);
    row(s, k, true);
    const hair = `M${x} ${panel.t}v${panel.h}M${panel.l} ${y}h${panel.w}`;
    panel.hairs.innerHTML = `<path class="hair" d="${hair}"/>${pips}`;
    pointed.push(panel);
    anchor = x;
  }
  tip.innerHTML = `${head}<table>${rows.join("")}</table>`;
  tip.hidden = false;
  chart.box.appendChild(tip);
  const scale = chart.box.clientWidth / chart.svg.viewBox.baseVal.width, x = anchor * scale;
  const right = x + 16 + tip.offsetWidth < chart.box.clientWidth;
  tip.style.left = (right ? x + 14 : Math.max(x - 14 - tip.offsetWidth, 0)) + "px";
  tip.style.top = (panel.t + 8) * scale + "px";
}

for (const plot of JSON.parse(document.getElementById("plot-data").textContent))
  charts.push(new Chart(plot));
addEventListener("beforeprint", () => {
  hush();
  document.querySelectorAll("details").forEach(d => { d.open = true; });
});
