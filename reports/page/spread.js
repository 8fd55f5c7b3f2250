import { element, significant, withUnit } from "./format.js";
import { Chart, palette } from "./chart.js";
import { brushRange } from "./scatter.js";

// The distribution of all configurations, and how the search came to its best.

const bins = 90;

/** The slowdown's logarithm cut into bins: of each trial its bin, and where bins begin. */
export function binned(scope) {
  if (scope.binned) return scope.binned;
  const { values } = scope.slowdown;
  const [low, high] = scope.slowdown.extent();
  const from = Math.min(1, low), to = Math.max(1.05, high);
  const width = Math.log(to / from) / bins;
  const of = new Int16Array(values.length).fill(-1);
  for (let i = 0; i < values.length; ++i) {
    if (values[i] === values[i]) of[i] = Math.min(bins - 1, Math.floor(Math.log(values[i] / from) / width));
  }
  return (scope.binned = { of, from, to, width, middle: (bin) => from * Math.exp((bin + 0.5) * width) });
}

/** The slowdowns of the trials that pass, in rising order. */
export function passingSlowdowns(scope, filters) {
  const { values } = scope.slowdown;
  const kept = new Float64Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; ++i) if (filters.fails[i] === 0 && values[i] === values[i]) kept[count++] = values[i];
  return kept.subarray(0, count).sort();
}

/** What a bad choice costs, in a sentence. */
function costText(sorted) {
  if (sorted.length < 2) return "";
  const at = (share) => withUnit(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))], "×");
  const near = sorted.filter((value) => value <= 1.05).length;
  return `Drawn at random, one of these ${sorted.length.toLocaleString("en")} takes ${at(0.5)} the time of the best of its size in the median; ` +
    `a quarter take ${at(0.75)} or more, the worst ${withUnit(sorted.at(-1), "×")}. ${near === 0 ? "None lies" : `${withUnit(near / sorted.length, "share")} lie`} within 5 %.`;
}

/** Of the trials that have a time and are wanted: the share in each bin. */
function shares(of, isWanted) {
  const counts = new Array(bins).fill(0);
  let total = 0;
  for (let i = 0; i < of.length; ++i) {
    if (of[i] < 0 || !isWanted(i)) continue;
    ++counts[of[i]];
    ++total;
  }
  return counts.map((count) => count / Math.max(1, total));
}

export function distribution(app) {
  const { scope, filters } = app;
  const root = element("div", { className: "panel" });
  const { of, from, to, middle } = binned(scope);
  const centres = Array.from({ length: bins }, (_, bin) => middle(bin));
  const all = shares(of, () => true);
  const note = element("p", { "aria-live": "polite" });
  const paths = uPlot.paths.bars({ size: [0.9, Infinity], align: 0 });
  const options = {
    x: { label: scope.slowdown.label, unit: "×", log: true, min: from / 1.02, max: to * 1.02 },
    y: { label: "share of trials", unit: "share", log: false, min: 0, max: 1 },
    height: 260, brush: "x", label: "Which share of trials takes how many times the time of the best of their size. A sentence below says what it shows.",
    series: [{}, { colour: "faded", fill: () => palette().faded, paths, points: { show: false } },
      { colour: "accent", fill: () => palette().accent, paths, points: { show: false } }],
    data: [centres, all, all],
    brushed: (area) => app.filter("slowdown", area && { low: area.x[0], high: area.x[1] }),
    brushedAt: () => {
      const x = brushRange(filters, scope.slowdown);
      return x && { x, y: null };
    },
  };
  const chart = new Chart(options);
  app.views.add({ root: note, slow: true, draw: () => (note.textContent = costText(passingSlowdowns(scope, filters))) });
  root.append(chart.root, note, element("p", { className: "hint" }, "Grey: all trials. Draw over a part to keep it."));
  return {
    root,
    draw() {
      const kept = shares(of, (i) => filters.fails[i] === 0);
      options.y.max = 1.05 * Math.max(0.001, ...all, ...kept);
      options.data = [centres, all, kept];
      chart.draw();
    },
    recolour() { chart.make(); },
  };
}

/** Of trials in their order: the least slowdown so far, at each. */
function bestSoFar(rows, slowdownOf) {
  let least = Infinity;
  return rows.map((i) => (least = Math.min(least, slowdownOf(i) || Infinity)));
}

/** The geometric mean over sizes of the best so far; a size that has ended stays at its last. */
function meanOfBest(curves) {
  const length = curves.reduce((most, curve) => Math.max(most, curve.length), 0);
  const out = [];
  for (let n = 0; n < length; ++n) {
    let sum = 0;
    for (const curve of curves) sum += Math.log(curve[Math.min(n, curve.length - 1)]);
    out.push(Number.isFinite(sum) ? Math.exp(sum / curves.length) : null);
  }
  return out;
}

export function progress(app) {
  const { scope, filters } = app;
  const root = element("div", { className: "panel" });
  const note = element("p");
  let chart = null;

  function build() {
    const place = filters.get("size")?.keep?.size === 1 ? [...filters.get("size").keep][0] : null;
    const curves = new Map();
    for (const i of scope.order) {
      const problem = scope.problem[i];
      if (problem < 0 || (place !== null && problem !== place)) continue;
      if (!curves.has(problem)) curves.set(problem, []);
      curves.get(problem).push(i);
    }
    const lines = [...curves.values()].map((rows) => bestSoFar(rows, scope.searchSlowdown)).filter((curve) => Number.isFinite(curve.at(-1)));
    const mean = meanOfBest(lines);
    if (mean.length < 2) return root.replaceChildren(element("p", { className: "hint" }, "Too few trials have a time and a date for a curve of the search."));
    const known = mean.filter((value) => value !== null);  // falling
    const high = Math.max(1.1, known[0] ?? 0), low = Math.min(0.99, known.at(-1) ?? 1);
    const enough = mean.findIndex((value) => value !== null && value <= 1.01);
    chart = new Chart({
      x: { label: "trials of a size, in the order of measurement", unit: "", log: mean.length > 50, min: mean.length > 50 ? 1 : 0.5, max: mean.length + 0.5 },
      y: { label: "best so far ÷ best", unit: "×", log: high > 4, min: low * 0.99, max: high * 1.05 },
      height: 260, label: "The best time so far by the best at the end, along the search. The sentence below says how soon it was near.",
      series: [{}, { colour: "accent", width: 2, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }],
      data: [mean.map((_, n) => n + 1), mean],
    });
    note.textContent = `${place === null && lines.length > 1 ? `The geometric mean of ${lines.length} sizes. ` : ""}` +
      (enough < 0 ? "" : `The search was within 1 % of its best after ${significant(enough + 1, 1)} of ${mean.length.toLocaleString("en")} trials${lines.length > 1 ? " a size" : ""}.`);
    root.replaceChildren(chart.root, note);
  }
  let builtFor;
  return {
    root,
    draw() {
      const size = [...(filters.get("size")?.keep ?? [])].join();
      if (builtFor === size) return;
      build();
      builtFor = size;
      chart?.draw();
    },
    recolour() { chart?.make(); },
  };
}
