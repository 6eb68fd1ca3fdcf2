// The structure in motion, enlarged; the specimen in colour.

import { colour } from "./timeplot.js";
import { figure } from "./units.js";

export class Structure {
  constructor(scene) {
    this.drawing = scene.drawing;
    this.card = document.getElementById("structure-card");
    this.canvas = document.getElementById("structure");
    this.card.hidden = !this.drawing;
    if (!this.drawing) return;
    this.names = scene.channels.map(c => c.name);
    const used = new Set();
    for (const node of this.drawing.nodes)
      for (const axis of node.motion) for (const [channel] of axis) used.add(this.names[channel]);
    this.channels = [...used];
    const xs = this.drawing.nodes.map(n => n.place[0]),
      ys = this.drawing.nodes.map(n => n.place[1]);
    this.low = [Math.min(...xs), Math.min(...ys)];
    this.extent = [Math.max(...xs) - this.low[0], Math.max(...ys) - this.low[1]];
  }
  draw(store) {
    if (!this.drawing) return;
    const { canvas, drawing, low, extent } = this, scale = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width) return;
    if (canvas.width !== Math.round(width * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const ctx = canvas.getContext("2d");
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const size = Math.max(extent[0], extent[1], 1e-9);
    const margin = 18;
    const metre = Math.min(
      (width - 2 * margin - 40) / Math.max(extent[0], 0.35 * size),
      (height - 2 * margin) / Math.max(extent[1], 1e-9),
    );
    // The largest displacement so far takes a tenth of the size of the structure.
    let largest = drawing.expected || 0;
    for (const name of this.channels) largest = Math.max(largest, store.peak(name) || 0);
    const magnify = largest > 0 ? (0.12 * size) / largest : 0;
    const value = list =>
      list.reduce(
        (sum, [channel, factor]) => sum + factor * (store.last(this.names[channel]) || 0),
        0,
      );
    const centre = low[0] + extent[0] / 2;
    const rest = n => [
      (extent[0] === 0 ? 0.45 : 0.5) * width + (n.place[0] - centre) * metre,
      height - margin - (n.place[1] - low[1]) * metre,
    ];
    const moved = n => {
      const [x, y] = rest(n);
      return [x + magnify * metre * value(n.motion[0]), y - magnify * metre * value(n.motion[1])];
    };
    const ink = colour("--ink"),
      specimen = colour("--vermilion"),
      muted = colour("--grid-strong");
    const still = drawing.nodes.map(rest),
      now = drawing.nodes.map(moved);
    ctx.lineCap = "round";
    for (const [points, ghost] of [[still, true], [now, false]]) {
      for (const line of drawing.lines) {
        const [a, b] = line.nodes.map(i => points[i]);
        ctx.strokeStyle = ghost ? muted : line.specimen ? specimen : ink;
        ctx.lineWidth = ghost ? 1 : line.specimen ? 4 : 2;
        ctx.beginPath();
        if (
          Math.hypot(a[0] - b[0], a[1] - b[1]) < 1 &&
          Math.hypot(
            still[line.nodes[0]][0] - still[line.nodes[1]][0],
            still[line.nodes[0]][1] - still[line.nodes[1]][1],
          ) < 1
        ) {
          ctx.arc(a[0], a[1], 5, 0, 7);
        } else if (
          drawing.nodes[line.nodes[0]].place[0] === drawing.nodes[line.nodes[1]].place[0] &&
          extent[0] === 0
        ) {
          // A storey of a shear building: upright at both floors.
          const middle = (a[1] + b[1]) / 2;
          for (const side of [-16, 16]) {
            ctx.moveTo(a[0] + side, a[1]);
            ctx.bezierCurveTo(a[0] + side, middle, b[0] + side, middle, b[0] + side, b[1]);
          }
        } else {
          ctx.moveTo(...a); ctx.lineTo(...b);
        }
        ctx.stroke();
      }
      if (ghost) continue;
      drawing.nodes.forEach((node, i) => {
        const [x, y] = points[i];
        ctx.fillStyle = ctx.strokeStyle = ink;
        ctx.lineWidth = 1.5;
        ctx.beginPath();
        if (node.support === "fixed") {
          const half = extent[0] === 0 ? 28 : 9;
          ctx.moveTo(x - half, y);
          ctx.lineTo(x + half, y);
          for (let h = -half; h < half; h += 6) {
            ctx.moveTo(x + h, y + 6);
            ctx.lineTo(x + h + 5, y);
          }
        } else if (node.support === "pinned") {
          ctx.moveTo(x, y);
          ctx.lineTo(x - 6, y + 9);
          ctx.lineTo(x + 6, y + 9);
          ctx.closePath();
        } else if (node.support === "roller") ctx.arc(x, y + 4, 4, 0, 7);
        ctx.stroke();
        if (node.mass) {
          if (extent[0] === 0) ctx.fillRect(x - 26, y - 3.5, 52, 7);
          else { ctx.beginPath(); ctx.arc(x, y, 4, 0, 7); ctx.fill(); }
        }
        if (node.name && extent[0] === 0) {
          ctx.fillStyle = colour("--muted");
          ctx.font = "11px system-ui, sans-serif";
          ctx.textAlign = "left";
          ctx.fillText(node.name, x + 34, y + 4);
        }
      });
    }
    const text = magnify ? `motion × ${figure(Math.round(magnify * 10) / 10)}` : "";
    const label = document.getElementById("structure-scale");
    if (label.textContent !== text) label.textContent = text;
  }
}
