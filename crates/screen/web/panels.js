// Which plots a test has, in their order.

import { SpectrumPlot, TimePlot } from "./timeplot.js";
import { XYPlot } from "./xyplot.js";
import { shown, words } from "./units.js";

export function panels(scene, actuator, view, parent, added, remove) {
  const unitOf = new Map(scene.channels.map(c => [c.name, c.unit]));
  const has = name => unitOf.has(name);
  const factor = name => shown(unitOf.get(name))[1];
  const number = actuator + 1, one = name => `${name}/${number}`;
  const list = [];
  const time = options => list.push(new TimePlot(parent, options, view));
  const curve = (name, channel, more = {}) => ({ name, channel, factor: factor(channel), ...more });

  if (has(one("target"))) {
    const unit = shown(unitOf.get(one("target")))[0];
    const label = scene.actuators.length > 1 ? `, actuator ${number}` : "";
    time({
      id: "displacement", title: "Displacement" + label, wide: true, unit,
      note:
        "Target and measured should coincide; " +
        "the command runs ahead by what the compensator adds.",
      series: [
        curve("target", one("target"), { colour: "--ink", width: 2 }),
        curve("command", one("command"), { colour: "--blue", width: 1 }),
        curve("measured", one("measured_displacement"), { colour: "--vermilion" }),
      ],
    });
    const force = one("measured_force"),
      [forceUnit] = shown(unitOf.get(force));
    list.push(
      new XYPlot(
        parent,
        {
          id: "hysteresis",
          title: "Force–displacement" + label,
          note: "Measured force over measured displacement.",
          x: {
            channel: one("measured_displacement"),
            factor: factor(one("measured_displacement")),
            label: `displacement (${unit})`,
          },
          y: { channel: force, factor: factor(force), label: `force (${forceUnit})` },
        },
        view,
      ),
    );
    list.push(
      new XYPlot(
        parent,
        {
          id: "ssp",
          title: "Subspace synchronisation (SSP)" + label,
          diagonal: true,
          note:
            "45° is perfect tracking; flatter is undershoot; " +
            "an open loop, counter-clockwise, is lag.",
          x: { channel: one("target"), factor: factor(one("target")), label: `target (${unit})` },
          y: {
            channel: one("measured_displacement"),
            factor: factor(one("target")),
            label: `measured (${unit})`,
          },
        },
        view,
      ),
    );
    const limit = (scene.actuators[actuator].limits || []).find(l => l.name === "tracking_error");
    time({
      id: "error", title: "Tracking error" + label, unit, note: "Measured minus target.",
      series: [curve("error", one("error"), { colour: "--vermilion" })],
      lines: limit
        ? [limit.bound, -limit.bound].map(b => ({
            value: b * factor(one("error")),
            label: "limit",
          }))
        : [],
    });
    if (!scene.indicators.some(i => i.label === "TI"))
      time({
        id: "ti",
        title: "Tracking indicator (TI)" + label,
        unit: shown(unitOf.get(one("live_tracking_indicator")))[0],
        note:
          "Area between target and measured. " +
          "Rising = lag, energy added; falling = lead; flat = synchronous.",
        series: [curve("TI", one("live_tracking_indicator"), { colour: "--purple" })],
      });
  }
  for (const i of scene.indicators) {
    if (!has(i.channel)) continue;
    const lines = [];
    if (i.bad !== null)
      lines.push({
        value: i.bad,
        label:
          i.label === "SW" ? "100 %: more fed in than dissipated" : "bound " + i.bad + " " + i.unit,
        tone: "--bad",
        always: i.label === "SW",
      });
    if (i.caution !== null) lines.push({ value: i.caution, label: "", tone: "--caution" });
    // The light goes by the magnitude.
    if (i.label !== "SW")
      for (const line of lines.slice()) lines.push({ ...line, value: -line.value, label: "" });
    time({
      id: i.label.toLowerCase(),
      title: i.label === "SW" ? "Stability warning (SW)" : i.label,
      unit: i.unit,
      note: i.description,
      series: [{ name: i.label, channel: i.channel, factor: i.factor, colour: "--blue" }],
      lines,
      include: i.label === "SW" ? [0] : [],
    });
  }
  const energies = scene.channels
    .filter(c => c.unit === "J" && c.role === "monitor")
    .map(c => curve(words(c.name), c.name));
  if (has(one("specimen_work"))) {
    energies.push(
      curve("specimen", one("specimen_work")),
      curve("tracking error", one("error_work")),
    );
  }
  if (energies.length)
    time({
      id: "energies",
      title: "Energies",
      unit: "J",
      series: energies,
      wide: energies.length > 4,
      note:
        "Work that the specimen took, and work that the tracking error put into the structure; " +
        "with the energy monitor also the balance of the numerical part.",
    });
  if (has(one("error"))) {
    const [unit, f] = shown(unitOf.get(one("error")));
    list.push(new SpectrumPlot(parent, {
      id: "spectrum", title: "Spectrum of the tracking error", unit, actuator,
      note: "Amplitude of the error over frequency (Hz) in the last 4096 samples, Hann window.",
      series: [{ name: "largest", channel: one("error"), factor: f, colour: "--vermilion" }],
    }));
  }
  const own = scene.coefficients.filter(c => new RegExp(`/${number}(/|$)`).test(c.channel));
  own.forEach(c => {
    const lines = [];
    if (c.low !== null)
      lines.push({ value: c.low, label: "lower bound", tone: "--caution", always: true });
    if (c.high !== null)
      lines.push({ value: c.high, label: "upper bound", tone: "--caution", always: true });
    time({
      id: "coefficient",
      title: "Compensator " + c.label,
      unit: "SI",
      note: "Coefficient of the adaptive compensator within its bounds.",
      series: [{ name: c.label, channel: c.channel, factor: 1, colour: "--green" }],
      lines,
    });
  });
  for (const name of added) {
    if (!has(name)) continue;
    const plot = new TimePlot(
      parent,
      {
        id: "added",
        title: words(name),
        unit: shown(unitOf.get(name))[0],
        note: scene.channels.find(c => c.name === name).description,
        series: [curve(words(name), name, { colour: "--sky" })],
      },
      view,
    );
    plot.closable(() => remove(name));
    list.push(plot);
  }
  return list;
}
