import { element, withUnit } from "./format.js";
import { Chart, palette, rampColour } from "./chart.js";

import { binned } from "./spread.js";

// Parallel coordinates: an axis for each parameter and for the slowdown. Trials that go the same way from one axis
// to the next are one band, as wide as they are many and as bright as the best of them is fast, so that a hundred
// thousand trials cost no more than a hundred.

const steps = 24;  // of an axis without choices

function axisPlaces(quantity) {
  if (quantity.choices) return { count: quantity.choices.length, of: (value) => value, text: (place) => quantity.choices[place], quantity };
  const [low, high] = quantity.extent();
  const isLog = quantity.isLog();
  const share = (value) => (isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  return { count: steps, of: (value) => Math.min(steps - 1, Math.floor(share(value) * steps)), quantity,
    text: (place) => withUnit(isLog ? low * Math.pow(high / low, (place + 0.5) / steps) : low + ((place + 0.5) / steps) * (high - low), quantity.unit) };
}

/** A text cut to a width. */
function fitted(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let short = text;
  while (short.length > 1 && ctx.measureText(short + "…").width > width) short = short.slice(0, -1);
  return short + "…";
}

export function parallel(app) {
  const { scope, filters } = app;
  if (scope.parameters.filter((q) => q.choices.length > 1).length < 2) return null;
  const root = element("div", { className: "panel wide" });
  let chart = null, axes = [], places = [], kernel = null;

  /** What varies and most of those that pass have, the kernel first. Others are those of a kernel alone. */
  function choose() {
    const varying = scope.parameters.filter((q) => q.choices.length > 1);
    const here = [scope.get("kernel"), scope.get("size"), ...varying].filter((q) => q && q.choices.length > 1);
    const isCommon = (q) => {
      let has = 0;
      for (let i = 0; i < scope.count; ++i) if (filters.fails[i] === 0 && q.values[i] === q.values[i]) ++has;
      return 2 * has > filters.passing;
    };
    return [...here.filter(isCommon).slice(0, 12), scope.slowdown];
  }

  function build() {
    axes = choose().map(axisPlaces);
    if (axes.length < 2) return root.replaceChildren(element("p", {}, "Most of these trials have no two parameters in common. Choose a kernel."));
    places = axes.map((axis) => Int16Array.from(axis.quantity.values, (value) => (value === value ? axis.of(value) : -1)));
    chart = new Chart({
      x: { label: "", unit: "", log: false, min: -0.2, max: axes.length - 0.8, show: false },
      y: { label: "", unit: "", log: false, min: -0.05, max: 1.22, show: false },
      height: 360, brush: "xy", label: "Parallel coordinates: how values of the parameters go together with the time. The table of values above has the same as text.",
      under: drawBands, over: drawAxes,
      brushed: (area) => {
        axes.forEach((axis, place) => {
          const isIn = area && place >= area.x[0] && place <= area.x[1];
          if (!area) return;
          if (isIn) app.filter(axis.quantity.id, filterOf(axis, area.y), false);
        });
        if (!area) for (const axis of axes) app.filter(axis.quantity.id, null, false);
        app.changed();
      },
    });
    root.replaceChildren(chart.root, element("p", { className: "hint" },
      "A band's width says how many trials go this way, its colour how fast the best of them is: yellow is the best, violet the slowest. " +
      "Draw over a part of an axis to keep it; click to take all of it back. Parameters of few kernels show once a kernel is chosen."));
  }

  const level = (axis, place) => (axis.count < 2 ? 0.5 : place / (axis.count - 1));

  function filterOf(axis, [low, high]) {
    if (axis.quantity.choices) {
      const keep = new Set([...axis.quantity.choices.keys()].filter((place) => level(axis, place) >= low - 0.01 && level(axis, place) <= high + 0.01));
      return { keep };
    }
    const [least, most] = axis.quantity.extent();
    const value = (share) => (axis.quantity.isLog() ? least * Math.pow(most / least, share) : least + share * (most - least));
    return { low: value(low), high: value(high) };
  }

  function drawBands(u, ctx) {
    const { of: bins } = binned(scope);
    let fastest = Infinity, slowest = 0;
    for (let i = 0; i < bins.length; ++i) {
      if (bins[i] < 0 || filters.fails[i] !== 0) continue;
      if (bins[i] < fastest) fastest = bins[i];
      if (bins[i] > slowest) slowest = bins[i];
    }
    const speed = (bin) => (bin === 32767 ? 0 : 1 - (bin - fastest) / Math.max(1, slowest - fastest));
    ctx.save();
    ctx.lineCap = "round";
    for (let a = 0; a + 1 < axes.length; ++a) drawBetween(u, ctx, a, bins, speed);
    ctx.restore();
  }
  /** All bands between axis a and the next: those of the slow first. */
  function drawBetween(u, ctx, a, bins, speed) {
    const left = axes[a], right = axes[a + 1];
    const size = left.count * right.count;
    const count = new Int32Array(size), best = new Int16Array(size).fill(32767);
    const from = places[a], to = places[a + 1], { fails } = filters;
    for (let i = 0; i < scope.count; ++i) {
      if (fails[i] !== 0 || from[i] < 0 || to[i] < 0) continue;
      const cell = from[i] * right.count + to[i];
      ++count[cell];
      if (bins[i] >= 0 && bins[i] < best[cell]) best[cell] = bins[i];
    }
    const cells = [...count.keys()].filter((cell) => count[cell] > 0).sort((p, q) => best[q] - best[p]);
    const x0 = u.valToPos(a, "x", true), x1 = u.valToPos(a + 1, "x", true), middle = (x0 + x1) / 2;
    const most = Math.max(1, ...count);
    for (const cell of cells) {
      const y0 = u.valToPos(level(left, Math.floor(cell / right.count)), "y", true);
      const y1 = u.valToPos(level(right, cell % right.count), "y", true);
      const share = speed(best[cell]);
      ctx.strokeStyle = `rgba(${rampColour(share ** 3)},${0.35 + 0.55 * share ** 4})`;
      ctx.lineWidth = (0.8 + 7 * Math.sqrt(count[cell] / most)) * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x0, y0);
      ctx.bezierCurveTo(middle, y0, middle, y1, x1, y1);
      ctx.stroke();
    }
  }
  function drawAxes(u, ctx) {
    const colours = palette();
    ctx.save();
    ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.textBaseline = "middle";
    axes.forEach((axis, a) => {
      const x = u.valToPos(a, "x", true);
      ctx.strokeStyle = colours.soft;
      ctx.lineWidth = devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x, u.valToPos(0, "y", true));
      ctx.lineTo(x, u.valToPos(1, "y", true));
      ctx.stroke();
      // The last is long and lies at the edge: it stands above the others.
      const isEdge = a + 1 === axes.length;
      ctx.textAlign = a === 0 ? "left" : isEdge ? "right" : "center";
      ctx.fillStyle = colours.soft;
      const room = (u.bbox.width / axes.length) * (isEdge ? axes.length : 0.9);
      ctx.fillText(fitted(ctx, axis.quantity.label, room), x, u.valToPos(isEdge ? 1.18 : 1.1, "y", true));
      const every = Math.ceil(axis.count / (axis.quantity.choices ? 14 : 5));
      for (let place = 0; place < axis.count; place += every) {
        const y = u.valToPos(level(axis, place), "y", true);
        const text = axis.text(place);
        ctx.textAlign = isEdge ? "right" : "left";
        const at = x + (isEdge ? -6 : 6) * devicePixelRatio;
        ctx.lineWidth = 3 * devicePixelRatio;
        ctx.strokeStyle = colours.paper;
        ctx.strokeText(text, at, y);
        ctx.fillStyle = colours.ink;
        ctx.fillText(text, at, y);
      }
    });
    ctx.restore();
  }
  return {
    root,
    draw() {
      const kept = [...(filters.get("kernel")?.keep ?? [])].join();
      if (!chart || kernel !== kept) build();
      kernel = kept;
      chart?.draw();
    },
    recolour() { chart?.make(); },
  };
}
