// From the SI units of the rows to what people read: mm, kN, mrad.

const SHOWN = {
  m: ["mm", 1e3],
  "m/s": ["mm/s", 1e3],
  "m/s^2": ["m/s²", 1],
  "m^2": ["mm²", 1e6],
  N: ["kN", 1e-3],
  "N*m": ["kN·m", 1e-3],
  rad: ["mrad", 1e3],
  "rad/s": ["mrad/s", 1e3],
  "rad^2": ["mrad²", 1e6],
  "N/m": ["kN/m", 1e-3],
  s: ["ms", 1e3],
  1: ["", 1],
  SI: ["", 1],
};

export const shown = unit => SHOWN[unit] || [unit.replace(/\^2/g, "²").replace(/\*/g, "·"), 1];

// Four figures at most, and no dance of digits: the number of decimals follows `size`.
export function figure(x, size = x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const magnitude = Math.abs(size);
  if (magnitude !== 0 && (magnitude >= 1e6 || magnitude < 1e-3)) {
    if (x === 0) return "0";
    return x.toExponential(2).replace("-", "−").replace("e+", "·10^").replace(/e[-−]/, "·10^−");
  }
  const decimals = magnitude >= 1000 ? 0 : magnitude >= 100 ? 1 : magnitude >= 10 ? 2 : 3;
  const text = x.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

export function clock(s) {
  if (s === null || s === undefined || !Number.isFinite(s)) return "–";
  const whole = Math.max(0, Math.round(s)),
    h = Math.floor(whole / 3600),
    m = Math.floor(whole / 60) % 60;
  const two = n => String(n).padStart(2, "0");
  return (h ? h + ":" + two(m) : m) + ":" + two(whole % 60);
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB"];
  let i = 0;
  while (n >= 1000 && i < 3) { n /= 1000; i++; }
  return (i ? n.toFixed(1) : n) + " " + units[i];
}

export const words = name => name.replace(/_/g, " ").replace(/\/(\d+)$/, " $1");
