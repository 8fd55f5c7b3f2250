import { chooser, element, withUnit } from "./format.js";
import { Chart, axisOf, legend, palette, rampColour, rgb } from "./chart.js";
import { PointLayer, packed } from "./points.js";
import { settings } from "./state.js";

// Any quantity against any other, a point for each trial.

/** Quantities as a chooser's options, by group. */
export function quantityOptions(scope, wanted = () => true) {
  const groups = new Map();
  for (const quantity of scope.quantities.values()) {
    if (!wanted(quantity)) continue;
    if (!groups.has(quantity.group)) groups.set(quantity.group, []);
    groups.get(quantity.group).push([quantity.id, quantity.label]);
  }
  return ["results", "what was tried", "what it takes", "parameters", "counters", "other figures"]
    .filter((group) => groups.has(group)).map((group) => ({ label: group, options: groups.get(group) }));
}

/** The quantity that a setting names, else the first of `others` that the scope has. */
export function chosen(scope, id, ...others) {
  const isKnown = (quantity) => quantity && !Number.isNaN(quantity.extent()[0]);
  return scope.get(id) ?? others.map((other) => scope.get(other)).find(isKnown);
}

/** Points that share a place, such as those of one parameter's value, lie beside each other. */
function scattered(quantity, seed) {
  if (!quantity.choices) return (i) => quantity.values[i];
  return (i) => quantity.values[i] + (((Math.imul(i + 1, seed) >>> 8) & 1023) / 1023 - 0.5) * 0.7;
}

/** A colour for each trial by a quantity, and what they mean. */
export function colouring(scope, quantity, colours) {
  const out = new Uint32Array(scope.count).fill(packed(rgb(quantity ? colours.soft : colours.accent)));
  if (!quantity) return { out, entries: [] };
  const { choices, values } = quantity;
  const rest = values.some((value) => value !== value) ? [["without", colours.soft]] : [];
  if (choices && choices.length <= 7) {
    values.forEach((place, i) => { if (place === place) out[i] = packed(rgb(colours["c" + place])); });
    return { out, entries: [...choices.map((text, place) => [text, colours["c" + place]]), ...rest] };
  }
  let [low, high] = quantity.extent();
  const isLog = quantity.isLog();
  const at = (value) => (isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  values.forEach((value, i) => { if (value === value) out[i] = packed(rampColour(at(value))); });
  const write = (value) => (choices ? choices[Math.round(value)] : withUnit(value, quantity.unit));
  const shares = choices ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
  const entries = shares.map((share) =>
    [write(isLog ? low * Math.pow(high / low, share) : low + share * (high - low)), `rgb(${rampColour(share)})`]);
  return { out, entries: [...entries, ...rest] };
}

export function scatter(app) {
  const { scope, filters } = app;
  const root = element("div", { className: "panel wide" });
  let chart, layer, x, y, colours, painted;

  function build() {
    x = chosen(scope, settings.x, "occupancy.fraction", "order", "kernel", "size");
    y = chosen(scope, settings.y, scope.problems.length > 1 ? "slowdown" : scope.metric?.id, "slowdown", "measurement.median_ns", "status");
    if (!x || !y) return;
    const colour = colourOf();
    layer = new PointLayer(scope.count, scattered(x, 2654435761), scattered(y, 40503));
    chart = new Chart({
      x: axisOf(x), y: axisOf(y), height: 400, brush: "xy",
      label: `${y.label} against ${x.label}, a point for each trial. The table of trials below has the same as text.`,
      under: (u, ctx) => layer.draw(u, ctx, filters, painted.out, packed(rgb(colours.paper)), packed(rgb(colours.faded))),
      over: (u, ctx) => {
        for (const { row } of scope.problems) if (row >= 0 && filters.fails[row] === 0) layer.ring(u, ctx, row, colours.mark, 5);
        if (app.open !== null) layer.ring(u, ctx, app.open, colours.ink, 8);
      },
      at: (u, left, top) => layer.nearest(left, top, filters.fails),
      picked: app.openTrial, says: app.says,
      brushed: (area) => {
        app.filter(x.id, area && keepOf(x, area.x), false);
        if (y !== x) app.filter(y.id, area && keepOf(y, area.y), false);
        app.changed();
      },
      brushedAt: () => {
        const ranges = { x: rangeOf(x), y: rangeOf(y) };
        return ranges.x || ranges.y ? ranges : null;
      },
    });
    const choose = (label, name, value, none) => chooser(label, [...(none ? [[none, none]] : []), ...quantityOptions(scope)], value,
      (id) => { settings[name] = id; build(); app.views.touched(); });
    const key = element("div", {});
    root.replaceChildren(
      element("div", { className: "choosers" }, choose("Up", "y", y.id), choose("Across", "x", x.id), choose("Colour", "colour", colour?.id ?? "none", "none")),
      chart.root, key,
      element("p", { className: "hint" }, "Draw a rectangle to keep what lies in it; click beside the points to take it back, or on a point for its card. Rings: the best of each size."));
    repaint();
    key.replaceChildren(painted.entries.length ? legend(painted.entries) : "");
  }
  function repaint() {
    colours = palette();
    painted = colouring(scope, colourOf(), colours);
  }
  const colourOf = () => scope.get(settings.colour || "kernel");
  const rangeOf = (quantity) => brushRange(filters, quantity);
  build();
  return { root, draw: () => chart?.draw(), recolour: () => { build(); chart?.draw(); } };
}

/** A filter of what lies between two places on an axis. */
export function keepOf(quantity, [low, high]) {
  if (!quantity.choices) return { low, high };
  return { keep: new Set([...quantity.choices.keys()].filter((place) => place >= low - 0.3 && place <= high + 0.3)) };
}

/** Where a quantity's filter lies on its axis; null: it has none, or none in one piece. */
export function brushRange(filters, quantity) {
  const filter = filters.get(quantity.id);
  if (!filter) return null;
  if (!filter.keep) return [filter.low, filter.high];
  const places = [...filter.keep];
  const low = Math.min(...places), high = Math.max(...places);
  return places.length && high - low + 1 === places.length ? [low - 0.5, high + 0.5] : null;
}
