// A loop: one channel over another, the past faint, the last seconds strong, the present a dot.
// uPlot wants rising abscissas.

import { Card, colour } from "./timeplot.js";

function round(span, most) {
  const raw = span / most, power = 10 ** Math.floor(Math.log10(raw)), n = raw / power;
  return (n > 5 ? 10 : n > 2 ? 5 : n > 1 ? 2 : 1) * power;
}

export class XYPlot extends Card {
  // options: title, note, x { channel, factor, label }, y, diagonal
  constructor(parent, options, view) {
    super(parent, options.title, options.note, options);
    this.element.classList.add("loop");
    this.options = options;
    this.canvas = document.createElement("canvas");
    this.chart.append(this.canvas);
    this.legend.innerHTML = `<span class="unit"></span>`;
    this.legend.firstChild.textContent = `${options.y.label} over ${options.x.label}`;
    this.zoomed = null;
    this.view = view;
    this.canvas.addEventListener("pointerdown", e => {
      this.from = [e.offsetX, e.offsetY];
      this.canvas.setPointerCapture(e.pointerId);
    });
    this.canvas.addEventListener("pointermove", e => {
      if (this.from) {
        this.to = [e.offsetX, e.offsetY];
        this.stale = true;
      }
    });
    this.canvas.addEventListener("pointerup", () => {
      const { from, to, area } = this;
      this.from = this.to = null;
      if (!from || !to || !area || Math.abs(from[0] - to[0]) < 6 || Math.abs(from[1] - to[1]) < 6)
        return;
      const [ax, bx] = [from[0], to[0]].map(area.toX).sort((a, b) => a - b);
      const [ay, by] = [from[1], to[1]].map(area.toY).sort((a, b) => a - b);
      this.zoomed = [ax, bx, ay, by];
      this.stale = true;
    });
    this.canvas.addEventListener("dblclick", () => { this.zoomed = null; this.stale = true; });
  }
  get channels() { return [this.options.x.channel, this.options.y.channel]; }
  build() {}
  resize() {}
  draw(store, from, to) {
    const { x, y, diagonal } = this.options,
      canvas = this.canvas,
      scale = window.devicePixelRatio || 1;
    const width = this.chart.clientWidth,
      height = this.chart.clientHeight;
    if (!width || !height) return;
    if (
      canvas.width !== Math.round(width * scale) ||
      canvas.height !== Math.round(height * scale)
    ) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const ctx = canvas.getContext("2d");
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const [px, py] = store.pairs(x.channel, y.channel, -Infinity, to, 16384);
    const [nx, ny] = store.pairs(x.channel, y.channel, Math.max(from, to - 4), to, 16384);
    let [low, high, bottom, top] = this.zoomed || [0, 0, 0, 0];
    if (!this.zoomed) {
      // Whatever was reached, symmetric: the picture does not jump while it grows.
      let mx = store.peak(x.channel) * x.factor || 1, my = store.peak(y.channel) * y.factor || 1;
      if (diagonal) mx = my = Math.max(mx, my);
      const up = m => { const s = round(2 * m, 8) / 2; return Math.ceil(m * 1.03 / s) * s; };
      [low, high, bottom, top] = [-up(mx), up(mx), -up(my), up(my)];
    }
    const left = 46, foot = 22, head = 6;
    // One unit as long on both axes where the angle matters.
    const right = diagonal ? Math.max(8, width - left - 8 - 1.25 * (height - foot - head)) : 8;
    const inner = [width - left - right, height - foot - head];
    const X = v => left + ((v - low) / (high - low)) * inner[0],
      Y = v => head + ((top - v) / (top - bottom)) * inner[1];
    this.area = {
      toX: p => low + ((p - left) / inner[0]) * (high - low),
      toY: p => top - ((p - head) / inner[1]) * (top - bottom),
    };
    ctx.font = "11px system-ui, sans-serif";
    ctx.fillStyle = colour("--muted");
    ctx.strokeStyle = colour("--grid");
    ctx.lineWidth = 1;
    const text = v => String(Number(v.toPrecision(4))).replace("-", "−");
    // At least three ticks: one alone tells no scale.
    const step = (a, b, most) => {
      let s = round(b - a, Math.max(2, most));
      while (Math.floor(b / s) - Math.ceil(a / s) < 2) s /= 2;
      return s;
    };
    const sx = step(low, high, inner[0] / 55),
      sy = step(bottom, top, inner[1] / 28);
    ctx.beginPath();
    ctx.textAlign = "center";
    for (let v = Math.ceil(low / sx) * sx; v <= high + 1e-9 * sx; v += sx) {
      ctx.moveTo(X(v), head); ctx.lineTo(X(v), head + inner[1]);
      ctx.fillText(text(Math.abs(v) < 1e-9 * sx ? 0 : v), X(v), height - 7);
    }
    ctx.textAlign = "right";
    for (let v = Math.ceil(bottom / sy) * sy; v <= top + 1e-9 * sy; v += sy) {
      ctx.moveTo(left, Y(v)); ctx.lineTo(left + inner[0], Y(v));
      ctx.fillText(text(Math.abs(v) < 1e-9 * sy ? 0 : v), left - 6, Y(v) + 4);
    }
    ctx.stroke();
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, head, ...inner);
    ctx.clip();
    if (diagonal) {
      ctx.strokeStyle = colour("--muted");
      ctx.setLineDash([5, 4]);
      ctx.beginPath();
      ctx.moveTo(X(low), Y(low)); ctx.lineTo(X(high), Y(high));
      ctx.stroke();
      ctx.setLineDash([]);
    }
    const line = (xs, ys, stroke, alpha, w) => {
      ctx.strokeStyle = stroke;
      ctx.globalAlpha = alpha;
      ctx.lineWidth = w;
      ctx.beginPath();
      for (let i = 0; i < xs.length; i++) ctx.lineTo(X(xs[i] * x.factor), Y(ys[i] * y.factor));
      ctx.stroke();
      ctx.globalAlpha = 1;
    };
    const strong = colour("--vermilion");
    line(px, py, colour("--blue"), 0.35, 1);
    line(nx, ny, strong, 1, 1.6);
    const last = this.view.frozen
      ? [nx[nx.length - 1], ny[ny.length - 1]]
      : [store.last(x.channel), store.last(y.channel)];
    if (Number.isFinite(last[0]) && Number.isFinite(last[1])) {
      ctx.fillStyle = strong;
      ctx.beginPath();
      ctx.arc(X(last[0] * x.factor), Y(last[1] * y.factor), 3.5, 0, 7);
      ctx.fill();
    }
    ctx.restore();
    if (this.from && this.to) {
      ctx.strokeStyle = colour("--ink");
      ctx.strokeRect(
        this.from[0],
        this.from[1],
        this.to[0] - this.from[0],
        this.to[1] - this.from[1],
      );
    }
  }
}
