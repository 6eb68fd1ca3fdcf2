// A card with curves over time (or frequency), drawn by uPlot.

import { figure } from "./units.js";

/* global uPlot */

export const PALETTE = ["--blue", "--vermilion", "--green", "--purple", "--orange", "--sky"];
export const colour = name =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Ranges that do not jump with every sample: ends on round numbers.
function calm(low, high, include) {
  for (const y of include) { low = Math.min(low, y); high = Math.max(high, y); }
  if (!(high >= low)) return [-1, 1];
  if (high - low < 1e-12) { const d = Math.abs(high) * 0.1 || 1; low -= d; high += d; }
  const raw = (high - low) / 4, power = 10 ** Math.floor(Math.log10(raw)), n = raw / power;
  const step = (n > 5 ? 10 : n > 2.5 ? 5 : n > 2 ? 2.5 : n > 1 ? 2 : 1) * power * 0.5;
  return [Math.floor(low / step - 0.02) * step, Math.ceil(high / step + 0.02) * step];
}

export class Card {
  constructor(parent, title, note, { wide = false, id = "" } = {}) {
    this.element = document.createElement("section");
    this.element.className = "plot card" + (wide ? " wide" : "");
    if (id) this.element.dataset.plot = id;
    this.element.innerHTML = `<h2></h2><div class="legend"></div><div class="chart"></div>`;
    this.heading = this.element.querySelector("h2");
    this.heading.textContent = title;
    if (note) this.heading.title = note;
    this.legend = this.element.querySelector(".legend");
    this.chart = this.element.querySelector(".chart");
    parent.append(this.element);
  }
  closable(close) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "close";
    button.textContent = "×";
    button.title = "Remove this plot";
    button.onclick = close;
    this.heading.append(button);
  }
}

export class TimePlot extends Card {
  // options: series [{ name, channel, factor, colour, width, dash }], unit, lines [{ value, label,
  // tone }], title, note, wide, id
  constructor(parent, options, view) {
    super(parent, options.title, options.note, options);
    Object.assign(this, { options, view, hidden: new Set() });
    this.keys = options.series.map((s, i) => {
      const key = document.createElement("button");
      key.type = "button";
      key.innerHTML = `<i></i><span></span> <b></b>`;
      key.querySelector("span").textContent = s.name;
      key.onclick = () => {
        if (this.hidden.has(i)) this.hidden.delete(i); else this.hidden.add(i);
        key.classList.toggle("off", this.hidden.has(i));
        this.plot.setSeries(i + 1, { show: !this.hidden.has(i) });
        this.stale = true;
      };
      this.legend.append(key);
      return key;
    });
    const unit = document.createElement("span");
    unit.className = "unit";
    unit.textContent = options.unit;
    this.legend.append(unit);
    this.build();
  }
  get channels() { return this.options.series.map(s => s.channel); }
  build() {
    const { options, view } = this;
    const old = this.plot && this.plot.data;
    if (this.plot) this.plot.destroy();
    const ink = colour("--muted"),
      grid = colour("--grid");
    const axis = {
      stroke: ink,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1, size: 4 },
      font: "11px system-ui, sans-serif",
    };
    const lines = options.lines || [];
    this.keys.forEach((key, i) => {
      key.querySelector("i").style.background = colour(
        options.series[i].colour || PALETTE[i % PALETTE.length],
      );
    });
    this.plot = new uPlot(
      {
        width: Math.max(120, this.chart.clientWidth),
        height: this.chart.clientHeight || 150,
        legend: { show: false },
        cursor: {
          drag: { x: true, y: false, setScale: false },
          sync: view.sync ? { key: view.sync } : undefined,
          bind: {
            dblclick: () => () => {
              view.reset();
              return null;
            },
          },
          points: { size: 6 },
        },
        scales: {
          x: { time: false, auto: false },
          y: options.log
            ? { distr: 3, log: 10 }
            : {
                range: (u, low, high) =>
                  calm(
                    low,
                    high,
                    (options.include || []).concat(lines.filter(l => l.always).map(l => l.value)),
                  ),
              },
        },
        axes: [
          {
            ...axis,
            size: 26,
            space: 60,
            values: (u, ticks) => ticks.map(t => String(Number(t.toPrecision(6)))),
          },
          {
            ...axis,
            size: 52,
            space: 26,
            values: (u, ticks) =>
              ticks.map(t =>
                t === null
                  ? ""
                  : options.log
                    ? Math.log10(t) % 1 === 0
                      ? t.toExponential(0).replace("-", "−")
                      : ""
                    : String(Number(t.toPrecision(4))).replace("-", "−"),
              ),
          },
        ],
        series: [
          {},
          ...options.series.map((s, i) => ({
            label: s.name,
            stroke: colour(s.colour || PALETTE[i % PALETTE.length]),
            width: s.width || 1.5,
            dash: s.dash,
            points: { show: false },
            show: !this.hidden.has(i),
            spanGaps: false,
          })),
        ],
        hooks: {
          setSelect: [
            u => {
              if (u.select.width < 4) return;
              view.zoom(
                u.posToVal(u.select.left, "x"),
                u.posToVal(u.select.left + u.select.width, "x"),
              );
              u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
          draw: [u => this.drawLines(u, lines)],
        },
      },
      old || [[0], ...options.series.map(() => [null])],
      this.chart,
    );
  }
  drawLines(u, lines) {
    const { ctx, bbox } = u, scale = window.devicePixelRatio || 1;
    ctx.save();
    ctx.font = `${11 * scale}px system-ui, sans-serif`;
    for (const line of lines) {
      const y = u.valToPos(line.value, "y", true);
      if (!(y >= bbox.top - 1 && y <= bbox.top + bbox.height + 1)) continue;
      ctx.strokeStyle = ctx.fillStyle = colour(line.tone || "--bad");
      ctx.lineWidth = 1.2 * scale;
      ctx.setLineDash([6 * scale, 4 * scale]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      ctx.textAlign = "right";
      ctx.fillText(
        line.label,
        bbox.left + bbox.width - 4 * scale,
        y + (y - bbox.top > 16 * scale ? -4 : 13) * scale,
      );
    }
    ctx.restore();
  }
  resize() {
    const width = this.chart.clientWidth,
      height = this.chart.clientHeight;
    if (width && height && (width !== this.plot.width || height !== this.plot.height))
      this.plot.setSize({ width, height });
  }
  draw(store, from, to) {
    const { series } = this.options;
    const data = store.curves(
      series.map(s => s.channel),
      series.map(s => s.factor),
      from,
      to,
      this.plot.width - 60,
    );
    this.plot.batch(() => {
      this.plot.setData(data, false);
      this.plot.setScale("x", { min: from, max: to });
    });
    series.forEach((s, i) => {
      const text = figure(store.last(s.channel) * s.factor, store.peak(s.channel) * s.factor);
      const b = this.keys[i].querySelector("b");
      if (b.textContent !== text) b.textContent = text;
    });
  }
}

// Amplitudes over frequency, from frames of their own kind.
export class SpectrumPlot extends TimePlot {
  constructor(parent, options) {
    const range = { low: 0, high: 60 };
    super(parent, { ...options, log: true }, {
      zoom: (low, high) => { range.low = Math.max(0, low); range.high = high; this.stale = true; },
      reset: () => { range.low = 0; range.high = 60; this.stale = true; },
    });
    this.range = range;
  }
  take(buffer) {
    const view = new DataView(buffer),
      actuators = view.getUint16(2, true),
      count = view.getUint32(4, true);
    this.spacing = view.getFloat64(8, true);
    this.lists = Array.from(
      { length: actuators },
      (_, a) => new Float32Array(buffer, 16 + 4 * a * count, count),
    );
    this.stale = true;
  }
  draw() {
    if (!this.lists || !this.stale) return;
    this.stale = false;
    const list = this.lists[this.options.actuator] || [], factor = this.options.series[0].factor;
    const x = [], y = [];
    let best = 1;
    for (let i = 1; i < list.length; i++) {
      const f = i * this.spacing;
      x.push(f);
      y.push(Math.max(list[i] * factor, 1e-9));
      if (list[i] > list[best] && f >= this.range.low && f <= this.range.high) best = i;
    }
    this.plot.batch(() => {
      this.plot.setData([x, y], false);
      this.plot.setScale("x", {
        min: this.range.low,
        max: Math.min(this.range.high, x.length ? x[x.length - 1] : 60),
      });
    });
    this.keys[0].querySelector("b").textContent = list.length
      ? `${figure(list[best] * factor)} at ${figure(best * this.spacing)} Hz`
      : "";
  }
}
