// The bins that came, on the levels of the server, in rings: an hour of test costs no more than ten
// minutes.

const LEVELS = 5, CAPACITY = 8192, LOOPS = 1;

class Level {
  constructor(channels, capacity) {
    this.capacity = capacity;
    this.channels = channels;
    this.time = new Float64Array(capacity);
    this.data = new Float32Array(capacity * channels * 3);
    this.count = 0;
  }
  get oldest() { return Math.max(0, this.count - this.capacity); }
  timeOf(number) { return this.time[number % this.capacity]; }
  // First bin that ends at or after t.
  find(t) {
    let low = this.oldest, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.timeOf(middle) < t) low = middle + 1; else high = middle;
    }
    return low;
  }
}

export class Store {
  constructor(names) {
    this.names = names;
    this.place = new Map(names.map((name, i) => [name, i]));
    this.now = new Float32Array(names.length * 3).fill(NaN);
    this.peaks = new Float32Array(names.length);
    this.clear();
  }
  clear() {
    this.levels = Array.from(
      { length: LEVELS },
      (_, i) => new Level(this.names.length, i ? CAPACITY : 2 * CAPACITY),
    );
    this.peaks.fill(0);
    this.time = 0;
  }
  has(name) { return this.place.has(name); }

  // A frame of bins: see the wire format in the server.
  take(buffer) {
    const view = new DataView(buffer);
    const kind = view.getUint8(0),
      number = view.getUint8(1),
      channels = view.getUint16(2, true),
      count = view.getUint32(4, true);
    if (channels !== this.names.length) return; // of an older subscription
    const values = new Float32Array(buffer, 8 + 8 * count, count * channels * 3);
    if (kind === 2) {
      this.now.set(values);
      this.time = view.getFloat64(8, true);
      this.raise(values);
      return;
    }
    const level = this.levels[number], width = channels * 3;
    for (let i = 0; i < count; i++) {
      const slot = level.count % level.capacity;
      level.time[slot] = view.getFloat64(8 + 8 * i, true);
      level.data.set(values.subarray(i * width, (i + 1) * width), slot * width);
      level.count++;
    }
    if (number === LEVELS - 1 || number === 0)
      for (let i = 0; i < count; i++) this.raise(values.subarray(i * width, (i + 1) * width));
    if (number === 0 && count) this.time = Math.max(this.time, view.getFloat64(8 * count, true));
  }
  raise(values) {
    for (let c = 0; c < this.names.length; c++) {
      const peak = Math.max(Math.abs(values[3 * c]), Math.abs(values[3 * c + 1]));
      if (peak > this.peaks[c]) this.peaks[c] = peak;
    }
  }

  last(name) { const c = this.place.get(name); return c === undefined ? NaN : this.now[3 * c + 2]; }
  // Largest magnitude since the last frame, and of the whole test.
  reach(name) {
    const c = this.place.get(name);
    return c === undefined
      ? NaN
      : Math.max(Math.abs(this.now[3 * c]), Math.abs(this.now[3 * c + 1]));
  }
  peak(name) {
    const c = this.place.get(name);
    return c === undefined ? NaN : this.peaks[c];
  }
  first() {
    return this.levels.reduce((t, l) => (l.count ? Math.min(t, l.timeOf(l.oldest)) : t), Infinity);
  }

  // The finest level that covers the window with at most `most` bins.
  level(from, to, most) {
    let best = this.levels[0];
    for (const level of this.levels) {
      if (!level.count) break;
      best = level;
      const covers = level.oldest === 0 || level.timeOf(level.oldest) <= from;
      if (covers && level.find(to) - level.find(from) <= most) return level;
    }
    return best;
  }

  // Curves for a plot: x, then one list for each channel. Two points for a bin, its least and its
  // largest value in the order of the motion, so that no peak is lost however wide a bin is.
  curves(names, factors, from, to, pixels) {
    const level = this.level(from, to, 2 * pixels),
      fine = this.levels[0];
    const start = Math.max(level.oldest, level.find(from) - 1),
      end = Math.min(level.count, level.find(to) + 1);
    const parts = [[level, start, end]];
    // Finer bins bring what the coarse level has not closed yet.
    if (level !== fine && end >= level.count) {
      const rest = Math.max(
        fine.oldest,
        fine.find(level.count ? level.timeOf(level.count - 1) + 1e-9 : from),
      );
      parts.push([fine, rest, Math.min(fine.count, fine.find(to) + 1)]);
    }
    const n = 2 * parts.reduce((sum, [, first, last]) => sum + Math.max(0, last - first), 0),
      width = this.names.length * 3;
    const x = new Float64Array(n),
      lists = names.map(() => new Float64Array(n));
    let at = 0;
    for (const [bins, first, last] of parts) {
      for (let i = first; i < last; i++, at += 2) {
        const slot = i % bins.capacity, t = bins.time[slot];
        x[at] = at ? 0.5 * (x[at - 1] + t) : t;
        x[at + 1] = t;
        for (let s = 0; s < names.length; s++) {
          const base = slot * width + 3 * this.place.get(names[s]),
            y = lists[s],
            f = factors[s];
          const low = bins.data[base] * f,
            high = bins.data[base + 1] * f,
            end = bins.data[base + 2] * f;
          // The extreme that is nearer to the last value comes last.
          const rising = Math.abs(high - end) <= Math.abs(low - end);
          y[at] = rising ? low : high;
          y[at + 1] = rising ? high : low;
        }
      }
    }
    return [x, ...lists];
  }

  // Pairs of two channels at the same instants, oldest first, for loops: not coarser than `LOOPS`,
  // or a loop would become a polygon. What is older than that level remembers is left out.
  pairs(a, b, from, to, most) {
    const found = this.level(from, to, most),
      level = this.levels[Math.min(this.levels.indexOf(found), LOOPS)],
      width = this.names.length * 3;
    const start = Math.max(level.oldest, level.find(from)),
      end = level.find(to);
    const ca = 3 * this.place.get(a) + 2,
      cb = 3 * this.place.get(b) + 2;
    const n = Math.max(0, end - start),
      x = new Float32Array(n),
      y = new Float32Array(n);
    for (let i = 0; i < n; i++) {
      const slot = ((start + i) % level.capacity) * width;
      x[i] = level.data[slot + ca];
      y[i] = level.data[slot + cb];
    }
    return [x, y];
  }
}
