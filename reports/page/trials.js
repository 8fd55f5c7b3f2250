import { valueText, withUnit } from "./format.js";

// The report's trials as columns of numbers: what can be drawn, filtered and sorted.

/** What a path's last word says of its unit: `median_ns` is a time. */
const suffixes = { ns: "ns", ms: "ms", bytes: "bytes", mhz: "MHz", w: "W", c: "°C", j: "J" };

/** Paths whose last word is no good name, or whose unit it does not say. */
const named = {
  "measurement.median_ns": ["time", "ns"],
  "measurement.low_ns": ["time, lower bound", "ns"],
  "measurement.high_ns": ["time, upper bound", "ns"],
  "measurement.min_ns": ["fastest sample", "ns"],
  "measurement.sm_clock_mhz": ["clock", "MHz"],
  "energy.mean_j": ["energy", "J"],
  "energy.low_j": ["energy, lower bound", "J"],
  "energy.high_j": ["energy, upper bound", "J"],
  "energy.mean_ns": ["time while energy was measured", "ns"],
  "energy.idle_w": ["idle power", "W"],
  "energy.clock_mhz": ["clock while energy was measured", "MHz"],
  "measurement.launches_per_sample": ["launches per sample", ""],
  "occupancy.fraction": ["occupancy", "share"],
  "occupancy.limited_by": ["occupancy limited by", ""],
  "occupancy.blocks_per_multiprocessor": ["blocks per multiprocessor", ""],
  "occupancy.active_warps_per_multiprocessor": ["warps per multiprocessor", ""],
  "ceiling_share.fraction": ["share of ceiling", "share"],
  "ceiling_share.ceiling": ["ceiling that binds", ""],
  "in_final.ratio": ["time ÷ fastest of final", "×"],
  "workload.operations": ["operations", ""],
  "workload.bytes": ["bytes moved at least", "bytes"],
  "resources.registers": ["registers per thread", ""],
};

/** Beside others they say nothing, or they are no figures. */
const hidden = /^(trial|family|sizes\.|measured_at|run$|gpu$|binary$|in_final\.(trial|ratio_|tied)|first_race\.|resources\.(entry|symbol)|verification\.first|energy\.(runs|sequence)$|best$|metrics_)/;

const mostChoices = 60;

function describe(path) {
  if (path.startsWith("configuration.")) return { label: path.slice(14), unit: "", group: "parameters" };
  if (path.startsWith("metrics.")) return { label: path.slice(8), unit: "", group: "results" };
  if (path.startsWith("counters.")) return { label: path.slice(9), unit: "", group: "counters" };
  const group = /^(measurement|energy|in_final|ceiling_share)/.test(path) ? "results"
    : /^(resources|occupancy|block|grid|dynamic|driver_blocks)/.test(path) ? "what it takes" : "other figures";
  if (named[path]) return { label: named[path][0], unit: named[path][1], group };
  const words = path.split(".").pop().split("_");
  const unit = suffixes[words.at(-1)];
  return { label: (unit ? words.slice(0, -1) : words).join(" "), unit: unit ?? "", group };
}

const collator = new Intl.Collator("en", { numeric: true });
const byValue = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(valueText(a), valueText(b)));

/** A column of the report at `rows`: the value of each, undefined where it has none. */
function reader(column, rows) {
  if (column === undefined) return () => undefined;
  if (Array.isArray(column)) return (i) => column[rows[i]] ?? undefined;
  if ("all" in column) return () => column.all;
  return (i) => column.values[column.codes[rows[i]]];
}

/**
 * One thing that is known of every trial. `values`: a number for each, NaN where there is none. With `choices`
 * the numbers are places in that list, which is in rising order.
 */
class Quantity {
  constructor(id, { label, unit = "", group = "results" }, count) {
    Object.assign(this, { id, label, unit, group, values: new Float64Array(count).fill(NaN), choices: null });
  }

  /** Takes its values from `read(i)`; texts, lists and parameters become choices. Too many texts are none. */
  fill(read) {
    const count = this.values.length;
    const seen = new Map();
    let isNumeric = true;
    for (let i = 0; i < count; ++i) {
      const value = read(i);
      if (value === undefined) continue;
      if (typeof value !== "number") isNumeric = false;
      if (seen.size <= mostChoices) seen.set(value, 0);
      else if (!isNumeric) break;
      if (isNumeric) this.values[i] = value;
    }
    if (!isNumeric && seen.size > mostChoices) {
      this.values.fill(NaN);
      return this;
    }
    if (isNumeric && !(this.group === "parameters" && seen.size <= mostChoices)) return this;
    const texts = new Map();  // equal lists are one choice
    for (const value of [...seen.keys()].sort(byValue)) {
      const text = typeof value === "number" ? String(value) : valueText(value);
      if (!texts.has(text)) texts.set(text, texts.size);
      seen.set(value, texts.get(text));
    }
    this.choices = [...texts.keys()];
    for (let i = 0; i < count; ++i) this.values[i] = seen.get(read(i)) ?? NaN;
    return this;
  }

  /** Least and most; NaN where no trial has it. */
  extent() {
    if (this.range) return this.range;
    let low = Infinity, high = -Infinity;
    for (let i = 0; i < this.values.length; ++i) {
      const value = this.values[i];
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return (this.range = low <= high ? [low, high] : [NaN, NaN]);
  }
  varies() {
    const [low, high] = this.extent();
    return low < high;
  }
  /** Where it is drawn best: a wide range of positive numbers by its logarithm. */
  isLog() {
    const [low, high] = this.extent();
    return !this.choices && this.id !== "order" && low > 0 && high / low > 8;
  }
}

const product = (list) => (Array.isArray(list) ? list.reduce((all, each) => all * each, 1) : undefined);

/** `1024`, `512x1024x256 pad 32`: what tells the problems of a family apart. */
function sizeLabel(sizes, padding) {
  const values = Object.values(sizes);
  const text = values.every((value) => value === values[0]) ? String(values[0] ?? "") : values.join("x");
  return padding ? `${text} pad ${padding}` : text;
}

/** The trials of one family and kind in one environment that may be chosen, and the problems that they solve. */
export class Scope {
  constructor(environment, family) {
    this.environment = environment;
    this.family = family;
    this.headline = environment.headlines[family] ?? "";
    const { count, columns, problems } = environment.trials;
    this.rows = Int32Array.from({ length: count }, (_, i) => i).filter((i) => environment.problems[problems[i]]?.family === family);
    this.count = this.rows.length;
    this.columns = columns;
    this.keyOf = this.reader("trial");
    this.rowOfKey = new Map();
    for (let i = 0; i < this.count; ++i) this.rowOfKey.set(this.keyOf(i), i);
    this.quantities = new Map();
    this.findProblems();
    this.addDerived();
    for (const path of Object.keys(columns)) {
      if (!hidden.test(path) && !this.quantities.has(path)) this.add(path, describe(path), this.reader(path));
    }
    this.parameters = [...this.quantities.values()].filter((q) => q.group === "parameters" && q.choices);
    this.metrics = [...this.quantities.values()].filter((q) => q.id.startsWith("metrics."));
    this.metric = this.metrics[0];
  }

  reader(path) {
    return reader(this.columns[path], this.rows);
  }
  add(id, description, read) {
    const quantity = new Quantity(id, description, this.count).fill(read);
    if (quantity.varies() || id === "measurement.median_ns" || quantity.group === "parameters") this.quantities.set(id, quantity);
    return quantity;
  }
  get(id) {
    return this.quantities.get(id);
  }

  /** Problems in the report's order, with `label`, `row` of their best, and `problem` of each trial. */
  findProblems() {
    const places = new Map();
    this.problems = [];
    for (const [place, one] of this.environment.problems.entries()) {
      if (one.family !== this.family) continue;
      const label = sizeLabel(one.problem.sizes, one.problem.row_padding);
      places.set(place, this.problems.length);
      const extents = Object.values(one.problem.sizes);
      const extent = Math.pow(2, extents.reduce((sum, value) => sum + Math.log2(value), 0) / Math.max(1, extents.length));
      this.problems.push({ ...one, label, extent, row: this.rowOfKey.get(one.best) ?? -1, trials: [] });
    }
    this.problem = this.rows.map((row) => places.get(this.environment.trials.problems[row]));
    this.problem.forEach((place, i) => this.problems[place].trials.push(i));
  }

  /** Quantities that follow from several columns. */
  addDerived() {
    const time = this.reader("measurement.median_ns");
    const bestTime = this.problems.map(({ row, trials }) =>
      row >= 0 ? time(row) : trials.reduce((least, i) => Math.min(least, time(i) ?? Infinity), Infinity));
    const at = (i) => bestTime[this.problem[i]];
    this.slowdown = this.add("slowdown", { label: "time ÷ best of its size", unit: "×" }, (i) => {
      const ns = time(i);
      return ns === undefined || !Number.isFinite(at(i)) ? undefined : ns / at(i);
    });
    this.time = this.add("measurement.median_ns", describe("measurement.median_ns"), time);
    if (this.columns["ceiling_share.fraction"])
      this.add("ceiling_share.fraction", describe("ceiling_share.fraction"), this.reader("ceiling_share.fraction"));
    const size = new Quantity("size", { label: "size", group: "what was tried" }, this.count);
    size.choices = this.problems.map((problem) => problem.label);
    size.values.set(this.problem);
    this.quantities.set("size", size);
    this.add("kernel", { label: "kernel", group: "what was tried" }, this.reader("kernel"));
    const racedAt = this.reader("first_race.measured_at"), measuredAt = this.reader("measured_at");
    const racedNs = this.reader("first_race.median_ns"), inFinal = this.reader("in_final.ratio");
    const race = (i) => racedNs(i) ?? time(i);
    // What the best took in the race, as its finalists together say: a final may be of another clock.
    const raceOfBest = this.problems.map(({ row, trials }, place) => {
      const times = row < 0 ? [] : trials.filter((i) => inFinal(i)).map((i) => (race(i) / inFinal(i)) * inFinal(row)).sort((a, b) => a - b);
      return times[times.length >> 1] || bestTime[place];
    });
    this.searchSlowdown = (i) => {
      const ofBest = inFinal(this.problems[this.problem[i]].row);
      return inFinal(i) && ofBest ? inFinal(i) / ofBest : race(i) / raceOfBest[this.problem[i]];
    };
    const measured = Array.from(this.rows.keys(), (i) => racedAt(i) ?? measuredAt(i));
    const order = [...measured.keys()].filter((i) => measured[i] !== undefined);
    this.order = order.sort((a, b) => (measured[a] < measured[b] ? -1 : measured[a] > measured[b] ? 1 : a - b));
    const turn = new Float64Array(this.count).fill(NaN);
    this.order.forEach((row, place) => (turn[row] = place + 1));
    this.add("order", { label: "order of measurement", group: "what was tried" }, (i) => (turn[i] === turn[i] ? turn[i] : undefined));
    const block = this.reader("block");
    const grid = this.reader("grid");
    this.add("threads", { label: "threads per block", group: "what it takes" }, (i) => product(block(i)));
    this.add("blocks", { label: "blocks", group: "what it takes" }, (i) => product(grid(i)));
    const operations = this.reader("workload.operations");
    const bytes = this.reader("workload.bytes");
    if (this.columns["workload.operations"] && this.columns["workload.bytes"]) {
      this.add("intensity", { label: "operations per byte", unit: "op/B", group: "other figures" },
        (i) => (operations(i) > 0 && bytes(i) > 0 ? operations(i) / bytes(i) : undefined));
    }
    this.rate = new Quantity("rate", { label: "operations a second", unit: "op/s" }, this.count).fill(
      (i) => (operations(i) > 0 && time(i) ? operations(i) / time(i) * 1e9 : undefined));
  }

  /** The configuration of a trial: [name, text] of each parameter that it has. */
  configuration(i) {
    return this.parameters.filter((q) => q.values[i] === q.values[i]).map((q) => [q.label, q.choices[q.values[i]]]);
  }
  /** The time with its marks: `~` approximate, `†` too short to tell from launch latency. */
  timeText(i) {
    const time = this.time.values[i];
    if (time !== time) return "–";
    const mark = (path) => Boolean(this.reader(path)(i));
    return (mark("approximate") ? "~" : "") + withUnit(time, "ns") + (mark("measurement.includes_launch_latency") ? "†" : "") +
      (this.reader("verification.checked")(i) === false ? " unverified" : "");
  }
  text(quantity, i) {
    if (quantity === this.time) return this.timeText(i);
    const value = quantity.values[i];
    return value !== value ? "–" : quantity.choices ? quantity.choices[value] : withUnit(value, quantity.unit);
  }
}

/** A scope for each environment and family of the report, named by what tells it from others of its family. */
export function scopesOf(report) {
  const found = report.environments.flatMap((environment) =>
    [...new Set(environment.problems.map((one) => one.family))].map((family) => ({ environment, family })));
  const partsOf = ({ environment }) => environment.name.split(", ");
  for (const scope of found) {
    const others = found.filter((other) => other !== scope && other.family === scope.family).map(partsOf);
    const telling = partsOf(scope).filter((part) => others.some((parts) => !parts.includes(part)));
    scope.name = [scope.family, telling.join(", ")].filter(Boolean).join(" · ");
  }
  return found;
}
