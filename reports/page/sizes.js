import { chooser, element, withUnit } from "./format.js";
import { Chart, legend, palette, rgb } from "./chart.js";
import { PointLayer, packed } from "./points.js";
import { settings } from "./state.js";

// What changes along sizes, and the roofline.

/** What can be drawn along sizes: of each a set of lines, {name, at(problem)}. */
function choices(scope) {
  const of = (quantity) => (problem) => (problem.row < 0 ? null : quantity.values[problem.row]);
  const valid = (value) => (value === value && value !== undefined ? value : null);
  const kernels = scope.get("kernel");
  const perKernel = (quantity, better) => (kernels ? kernels.choices : [null]).map((name, place) => ({
    name: name ?? scope.kernelOf(0),
    at: (problem) => {
      let best = null;
      for (const i of problem.trials) {
        const value = quantity.values[i];
        if ((!kernels || kernels.values[i] === place) && value === value && (best === null || better(value, best))) best = value;
      }
      return best;
    },
  }));
  const libraries = [...new Set(scope.problems.flatMap((problem) => problem.baselines.map((one) => one.name)))];
  const ceiling = scope.get("ceiling_share.fraction");
  const out = [];
  if (libraries.length) {
    out.push({ id: "library", label: "speed by that of the libraries", unit: "×", even: 1,
      lines: libraries.map((name) => ({ name: `× ${name}`, at: (problem) => valid(problem.baselines.find((one) => one.name === name)?.ratio) })) });
  }
  if (ceiling) out.push({ id: "ceiling", label: "share of ceiling", unit: "share", lines: perKernel(ceiling, (a, b) => a > b) });
  if (scope.metric) out.push({ id: "metric", label: scope.metric.label, unit: "", lines: perKernel(scope.metric, (a, b) => a > b) });
  out.push({ id: "time", label: "median time", unit: "ns", log: true, lines: perKernel(scope.time, (a, b) => a < b) });
  if (scope.problems.some((problem) => problem.speedup_over_default))
    out.push({ id: "default", label: "speed by that of the default", unit: "×", even: 1, lines: [{ name: "× default", at: (problem) => valid(problem.speedup_over_default) }] });
  for (const id of ["occupancy.fraction", "resources.registers"]) {
    const quantity = scope.get(id);
    if (quantity) out.push({ id, label: `${quantity.label} of the best`, unit: quantity.unit, lines: [{ name: "the best", at: of(quantity) }] });
  }
  return out;
}

export function alongSizes(app) {
  const { scope } = app;
  if (scope.problems.length < 2) return null;
  const root = element("div", { className: "panel wide" });
  const offered = choices(scope);
  let chart;
  function build() {
    const choice = offered.find((each) => each.id === settings.along) ?? offered[0];
    const problems = [...scope.problems].sort((a, b) => a.extent - b.extent);
    const lines = choice.lines.map((line) => ({ ...line, values: problems.map(line.at) })).filter((line) => line.values.some((value) => value !== null));
    const values = lines.flatMap((line) => line.values).filter((value) => value !== null);
    const high = Math.max(choice.even ?? 0, ...values), low = Math.min(choice.even ?? Infinity, ...values);
    const first = problems[0].extent, last = problems.at(-1).extent;
    const isCube = problems.every((problem) => Object.values(problem.problem.sizes).every((value, _, all) => value === all[0]));
    const powers = [];
    for (let power = Math.ceil(Math.log2(first) - 1e-9); power <= Math.log2(last) + 1e-9; ++power) powers.push(Math.pow(2, power));
    const names = Object.keys(problems[0].problem.sizes);
    const colours = palette();
    chart = new Chart({
      x: { label: isCube ? `size (${names.join(" = ")})` : `geometric mean of ${names.join(", ")}`, unit: "", log: true, format: (value) => String(Math.round(value)),
        min: first / 1.03, max: last * 1.03, splits: powers.length > 1 ? powers : [first, last] },
      y: choice.log || (choice.even && high > 3 * low) ? { label: choice.label, unit: choice.unit, log: true, min: low / 1.2, max: high * 1.2 }
        : { label: choice.label, unit: choice.unit, log: false, min: choice.even ? Math.min(low * 0.98, 0.98) : 0, max: high * 1.05 },
      height: 240, label: `${choice.label} along sizes. The table of the best of each size has the same as text.`,
      series: [{}, ...lines.map((_, n) => ({ colour: "c" + (n % 7), width: 2, spanGaps: true, points: { show: true, size: 5, fill: colours["c" + (n % 7)] } }))],
      data: [problems.map((problem) => problem.extent), ...lines.map((line) => line.values)],
      over: (u, ctx) => {
        if (!choice.even) return;
        const y = u.valToPos(choice.even, "y", true);
        ctx.save();
        ctx.strokeStyle = colours.soft;
        ctx.setLineDash([6, 4]);
        ctx.beginPath();
        ctx.moveTo(u.bbox.left, y);
        ctx.lineTo(u.bbox.left + u.bbox.width, y);
        ctx.stroke();
        ctx.restore();
      },
      at: (u, left) => {
        let best = null, least = 30;
        problems.forEach((problem) => {
          const distance = Math.abs(u.valToPos(problem.extent, "x") - left);
          if (distance < least) [best, least] = [problem, distance];
        });
        return best;
      },
      picked: (problem) => app.chooseSize(problem.label),
      says: (problem) => [problem.label, ...lines.map((line) => [line.name, line.at(problem)]).filter(([, value]) => value !== null)
        .map(([name, value]) => `${name}: ${withUnit(value, choice.unit)}`)],
    });
    root.replaceChildren(
      element("div", { className: "choosers" }, chooser("Along sizes", offered.map((each) => [each.id, each.label]), choice.id, (id) => { settings.along = id; build(); chart.draw(); app.views.touched(); })),
      chart.root, legend(lines.map((line, n) => [line.name, colours["c" + (n % 7)]])));
  }
  build();
  return { root, draw: () => chart.plot ?? chart.draw(), recolour: () => { build(); chart.draw(); } };
}

/** Trials below what their device can do at most, where a spec says operations and bytes and ceilings are known. */
export function roofline(app) {
  const { scope, filters } = app;
  const ceilings = scope.environment.ceilings;
  const type = scope.environment.environment.type;
  const most = (kind, wanted = () => true) => Math.max(0, ...ceilings.filter((each) => each.kind === kind && wanted(each)).map((each) => each.value));
  const arithmetic = most("arithmetic", (each) => each.type === type), memory = most("memory");
  const operations = scope.reader("workload.operations"), bytes = scope.reader("workload.bytes");
  const intensity = Float64Array.from(scope.rows, (_, i) => (operations(i) > 0 && bytes(i) > 0 ? operations(i) / bytes(i) : NaN));
  const rate = scope.rate;
  const [slow, fast] = rate.extent();
  const known = intensity.filter((value) => value === value);
  if (known.length === 0 || !(fast > 0) || (!arithmetic && !memory)) return null;
  const low = known.reduce((a, b) => Math.min(a, b)), high = known.reduce((a, b) => Math.max(a, b));
  const ridge = arithmetic && memory ? arithmetic / memory : low;
  const min = Math.min(low, ridge) / 4, max = Math.max(high, ridge) * 4;
  const roof = (value) => Math.min(arithmetic || Infinity, memory ? memory * value : Infinity);
  const xs = [min, ridge, max].filter((value, i, all) => i === 0 || value > all[i - 1]);
  const layer = new PointLayer(scope.count, (i) => intensity[i], (i) => rate.values[i]);
  let colours, painted;
  const options = {
    x: { label: "operations per byte", unit: "op/B", log: true, min, max },
    y: { label: "operations a second", unit: "op/s", log: true, min: Math.max(slow, fast / 1e4) / 1.5, max: roof(max) * 1.6 },
    height: 340, label: "Roofline: operations a second of each trial by operations per byte of its problem, below the device's ceilings.",
    series: [{}, { colour: "mark", width: 2, points: { show: false } }], data: [xs, xs.map(roof)],
    under: (u, ctx) => layer.draw(u, ctx, filters, painted, packed(rgb(colours.paper)), packed(rgb(colours.faded))),
    at: (u, left, top) => layer.nearest(left, top, filters.fails), picked: app.openTrial, says: app.says,
  };
  const repaint = () => {
    colours = palette();
    painted = new Uint32Array(scope.count).fill(packed(rgb(colours.accent)));
  };
  repaint();
  const chart = new Chart(options);
  const text = [arithmetic ? `arithmetic ${withUnit(arithmetic, "op/s")}` : "", memory ? `memory ${withUnit(memory, "op/s").replace("op/s", "B/s")}` : ""].filter(Boolean).join(", ");
  return {
    root: element("div", { className: "panel wide" }, chart.root, element("p", { className: "hint" }, `Ceilings measured on this device: ${text}. Operations and bytes are those that the problem asks for.`)),
    draw: () => chart.draw(), recolour: () => { repaint(); layer.faded = null; chart.make(); },
  };
}
