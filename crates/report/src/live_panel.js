// Draws one panel of a plot from the embedded data. A panel shows a range [lo, hi] of x and of y,
// kept as decades on a logarithmic axis. What is drawn here has a twin drawn by the renderer, with
// the same classes and proportions.

// --- numbers -------------------------------------------------------------------------------------
const clamp = (v, lo, hi) => Math.min(Math.max(v, lo), hi);
const inner = (v, log) => log ? Math.log10(v) : v;
const outer = (v, log) => log ? 10 ** v : v;
const minus = text => text.replace(/^-(?=0*\.?0*$)/, "").replace("-", "\u2212");
const raised = n =>
  [...String(n)]
    .map(c =>
      c === "-" ? "\u207b" : "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[c],
    )
    .join("");
function words(v) {
  if (!Number.isFinite(v)) return "\u2013";
  const a = Math.abs(v);
  if (a !== 0 && (a < 1e-3 || a >= 1e6)) {
    const e = Math.floor(Math.log10(a) / 3) * 3;
    return minus(String(+(v / 10 ** e).toPrecision(5))) + "\u00b710" + raised(e);
  }
  return minus(String(+v.toPrecision(5)));
}
function niceStep(raw) {
  const p = 10 ** Math.floor(Math.log10(raw)), f = raw / p;
  return (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10) * p;
}
// Pairs [place, label] of an axis; minor places carry no label.
function ticks([lo, hi], wanted, { log, whole }, power) {
  const out = [];
  if (log && hi - lo >= 0.7) {
    const some = hi - lo < 2.2,
      stride = 1 + Math.floor((Math.floor(hi) - Math.floor(lo)) / Math.max(wanted, 2));
    for (let d = Math.floor(lo); d <= hi; d++)
      for (let m = 1; m < 10; m++) {
        const at = d + Math.log10(m);
        if (at < lo - 1e-9 || at > hi + 1e-9) continue;
        const named =
          (m === 1 || (some && (m === 2 || m === 5))) && ((d % stride) + stride) % stride === 0;
        const plain = d >= -3 && d < 5;
        if (named)
          out.push([
            at,
            plain
              ? (m * 10 ** d).toFixed(Math.max(-d, 0))
              : (m > 1 ? m + "\u00b7" : "") + "10" + raised(d),
          ]);
        else if (hi - lo < 6) out.push([at, null]);
      }
    return out;
  }
  const a = outer(lo, log), b = outer(hi, log), least = whole && b - a > 1.5 ? 1 : 0;
  const step = Math.max(niceStep((b - a) / Math.max(wanted, 3)), least), scale = 10 ** power;
  const places = clamp(-Math.floor(Math.log10(step / scale * 1.000001)), 0, 12);
  for (let i = Math.ceil(a / step - 1e-9); i * step <= b + 1e-9 * (b - a) && out.length < 100; i++)
    out.push([inner(i * step, log), minus((i * step / scale).toFixed(places))]);
  return out;
}

// --- data ----------------------------------------------------------------------------------------
function singles(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Float32Array(bytes.buffer);
}
function unpack(plot) {
  for (const s of plot.series) {
    s.ys = Float64Array.from(singles(s.y), v => inner(v, plot.y.log));
    s.xs =
      typeof s.x === "string"
        ? Float64Array.from(singles(s.x))
        : Float64Array.from(s.ys, (_, i) => s.x[0] + s.x[1] * i);
    if (plot.x.log) s.xs = s.xs.map(Math.log10);
  }
}
// First index whose x is not below v (x rises).
function seek(xs, v) {
  let lo = 0, hi = xs.length;
  while (lo < hi) { const mid = (lo + hi) >> 1; if (xs[mid] < v) lo = mid + 1; else hi = mid; }
  return lo;
}

// --- a panel -------------------------------------------------------------------------------------
class Panel {
  constructor(chart, spec, group) {
    const { x, y } = chart.plot;
    [this.l, this.t, this.w, this.h] = spec.at;
    Object.assign(this, { chart, spec, group });
    this.home = { x: spec.x.map(v => inner(v, x.log)), y: spec.y.map(v => inner(v, y.log)) };
    this.x = [...this.home.x];
    this.y = [...this.home.y];
    this.main = group.dataset.panel === "0";
    this.free = false; // y was chosen by the reader
    this.grid = group.querySelector(".grid");
    this.paths = [...group.querySelectorAll("path.trace")];
    this.hairs = group.appendChild(document.createElementNS(group.namespaceURI, "g"));
  }
  px(v) {
    return this.l + ((v - this.x[0]) / (this.x[1] - this.x[0])) * this.w;
  }
  py(v) {
    return this.t + (1 - (v - this.y[0]) / (this.y[1] - this.y[0])) * this.h;
  }
  atX(px) {
    return this.x[0] + ((px - this.l) / this.w) * (this.x[1] - this.x[0]);
  }
  atY(py) {
    return this.y[0] + (1 - (py - this.t) / this.h) * (this.y[1] - this.y[0]);
  }
  get moved() {
    return ["x", "y"].some(a =>
      [0, 1].some(
        i => Math.abs(this[a][i] - this.home[a][i]) > 1e-9 * (this.home[a][1] - this.home[a][0]),
      ),
    );
  }

  // Sets a range, no wider than at home where the data end there, no narrower than a screen can
  // show.
  set(axis, lo, hi) {
    const [a, b] = this.home[axis],
      whole = b - a,
      room = this.chart.plot.rising && axis === "x" ? 0 : whole;
    const length = clamp(hi - lo, whole * 1e-5, whole + 2 * room),
      middle = (lo + hi) / 2;
    lo = clamp(middle - length / 2, a - room, b + room - length);
    this[axis] = [lo, lo + length];
  }
  zoom(axis, at, factor) {
    const [lo, hi] = this[axis];
    this.set(axis, at - (at - lo) * factor, at + (hi - at) * factor);
  }
  // y follows what x shows, until the reader chooses it.
  fit() {
    if (!this.chart.plot.rising || this.free) return;
    if (this.main && this.x[0] <= this.home.x[0] && this.x[1] >= this.home.x[1]) {
      this.y = [...this.home.y];
      return;
    }
    let lo = Infinity,
      hi = -Infinity;
    this.chart.plot.series.forEach((s, i) => {
      if (this.chart.hidden.has(i)) return;
      if (s.style === "bars" && !this.chart.plot.y.log) {
        lo = Math.min(lo, 0);
        hi = Math.max(hi, 0);
      }
      for (let k = seek(s.xs, this.x[0]); k < s.xs.length && s.xs[k] <= this.x[1]; k++) {
        const v = s.ys[k];
        if (v < lo && v > -Infinity) lo = v;
        if (v > hi) hi = v;
      }
    });
    if (!(hi > lo)) return;
    const pad = 0.07 * (hi - lo);
    this.y = [lo === 0 ? 0 : lo - pad, hi + pad];
  }
  draw() {
    const { plot } = this.chart, { ticks: wanted, powers } = this.spec;
    let major = "", minor = "", labels = "";
    for (const [v, label] of ticks(this.x, wanted[0], plot.x, powers[0])) {
      const at = this.px(v).toFixed(1), line = `M${at} ${this.t}v${this.h}`;
      if (label === null) { minor += line; continue; }
      major += line;
      labels += `<text class="tick mid" x="${at}" y="${this.t + this.h + 16}">${label}</text>`;
    }
    for (const [v, label] of ticks(this.y, wanted[1], plot.y, powers[1])) {
      const at = this.py(v), line = `M${this.l} ${at.toFixed(1)}h${this.w}`;
      if (label === null) { minor += line; continue; }
      major += line;
      const y = (at + 3.8).toFixed(1);
      labels += `<text class="tick end" x="${this.l - 7}" y="${y}">${label}</text>`;
    }
    const lines = `<path class="minor" d="${minor}"/><path class="major" d="${major}"/>`;
    this.grid.innerHTML = lines + labels;
    for (const path of this.paths)
      path.setAttribute("d", this.trace(plot.series[path.dataset.series]));
    const seen = v => v >= this.x[0] && v <= this.x[1];
    for (const mark of this.group.querySelectorAll("[data-x]")) {
      const v = inner(+mark.dataset.x, plot.x.log), at = this.px(v);
      mark.style.display = seen(v) ? "" : "none";
      if (mark.tagName === "line") {
        mark.setAttribute("x1", at);
        mark.setAttribute("x2", at);
      } else
        mark.setAttribute(
          "x",
          clamp(at, this.l + +mark.dataset.half, this.l + this.w - mark.dataset.half),
        );
    }
    for (const bound of this.group.querySelectorAll("[data-y]")) {
      const v = inner(+bound.dataset.y, plot.y.log);
      bound.style.display = v >= this.y[0] && v <= this.y[1] ? "" : "none";
      bound.setAttribute("transform", `translate(0 ${this.py(v)})`);
    }
    if (this.main && this.chart.panels[1]) {
      const band = this.group.querySelector(".band"),
        [a, b] = this.chart.panels[1].x.map(v =>
          clamp(this.px(v), this.l - 9, this.l + this.w + 9),
        );
      band.setAttribute("x", a);
      band.setAttribute("width", Math.max(b - a, 0));
    }
  }
  // Path data of a series; as the renderer does it, at half a unit.
  trace(s) {
    const { rising, y } = this.chart.plot,
      n = s.xs.length,
      far = v => clamp(v, -1e4, 1e4).toFixed(1);
    if (s.style === "bars") {
      const base = clamp(y.log ? this.t + this.h : this.py(0), this.t, this.t + this.h),
        half = Math.max(0.4, (s.bar / 2 / (this.x[1] - this.x[0])) * this.w);
      let d = "";
      for (let k = 0; k < n; k++) if (Number.isFinite(s.ys[k])) {
        const at = this.px(s.xs[k]);
        d += `M${far(at - half)} ${base}V${far(this.py(s.ys[k]))}H${far(at + half)}V${base}z`;
      }
      return d;
    }
    let from = 0,
      to = n;
    if (rising) {
      from = Math.max(seek(s.xs, this.x[0]) - 1, 0);
      to = Math.min(seek(s.xs, this.x[1]) + 2, n);
    }
    let d = "",
      down = false,
      lone = false,
      lastX = NaN,
      lastY = NaN;
    const put = k => {
      const px = this.px(s.xs[k]), py = this.py(s.ys[k]);
      if (s.style === "points") { d += `M${far(px)} ${far(py)}h0`; return; }
      if (down && Math.abs(px - lastX) < 0.15 && Math.abs(py - lastY) < 0.15) return;
      d += (down ? "L" : "M") + far(px) + " " + far(py);
      lone = !down; down = true; lastX = px; lastY = py;
    };
    const lift = () => { if (lone) d += "h0"; down = lone = false; };
    for (let k = from; k < to;) {
      if (!Number.isFinite(s.xs[k]) || !Number.isFinite(s.ys[k])) {
        lift();
        k++;
        continue;
      }
      if (!rising || s.style === "points") {
        put(k++);
        continue;
      }
      const column = Math.floor(this.px(s.xs[k]) * 2),
        first = k;
      let low = k,
        high = k;
      for (
        ;
        k < to && Number.isFinite(s.ys[k]) && Math.floor(this.px(s.xs[k]) * 2) === column;
        k++
      ) {
        if (s.ys[k] < s.ys[low]) low = k;
        if (s.ys[k] > s.ys[high]) high = k;
      }
      put(first); put(Math.min(low, high)); put(Math.max(low, high)); put(k - 1);
    }
    lift();
    return d;
  }
}
