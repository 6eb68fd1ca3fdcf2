// SHA-256 (FIPS 180-4) and HMAC (RFC 2104). Browsers offer their own only to pages of https, and a
// rack in the laboratory has none.

const K = new Uint32Array(64), H0 = new Uint32Array(8);
{
  // The constants are the first bits of the fractional parts of cube and square roots of primes.
  let n = 0;
  for (let p = 2; n < 64; p++) {
    let prime = true;
    for (let d = 2; d * d <= p; d++) if (p % d === 0) { prime = false; break; }
    if (!prime) continue;
    const bits = root => ((root - Math.floor(root)) * 4294967296) | 0;
    if (n < 8) H0[n] = bits(Math.sqrt(p));
    K[n++] = bits(Math.cbrt(p));
  }
}

function sha256(bytes) {
  const length = bytes.length, blocks = ((length + 8) >> 6) + 1;
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 0x20000000));
  view.setUint32(padded.length - 4, length << 3);
  const h = Uint32Array.from(H0), w = new Uint32Array(64);
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15],
        b = w[i - 2];
      w[i] =
        w[i - 16] +
        (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) +
        w[i - 7] +
        (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, j] = h;
    for (let i = 0; i < 64; i++) {
      const t1 =
        (j + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      j = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    [a, b, c, d, e, f, g, j].forEach((x, i) => { h[i] += x; });
  }
  const out = new Uint8Array(32), words = new DataView(out.buffer);
  h.forEach((x, i) => words.setUint32(4 * i, x));
  return out;
}

export function sign(token, challenge, message) {
  const text = new TextEncoder();
  let key = text.encode(token);
  if (key.length > 64) key = sha256(key);
  const join = (pad, rest) => {
    const all = new Uint8Array(64 + rest.length).fill(pad, 0, 64);
    key.forEach((b, i) => { all[i] ^= b; });
    all.set(rest, 64);
    return sha256(all);
  };
  const mac = join(0x5c, join(0x36, text.encode(challenge + "|" + message)));
  return Array.from(mac, b => b.toString(16).padStart(2, "0")).join("");
}
