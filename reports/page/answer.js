import { copyable, counted, element, interval, significant, withUnit } from "./format.js";
import { SortableTable } from "./table.js";

// The first screen: what is best, how much better, how sure, and the code to use it.

/** A problem's default trial by its winner's time, where that is known. */
const overDefault = (problem) => (problem.default !== null && problem.default === problem.best ? 1 : problem.speedup_over_default);

/** A number with what it says below. */
function figure(value, words, detail = "") {
  return element("div", { className: "figure" }, element("b", {}, value), element("span", {}, words), detail ? element("small", {}, detail) : null);
}

/** Joules of a launch; NaN where they were not measured. */
const energyOf = (scope, row) => scope.get("energy.mean_j")?.values[row] ?? NaN;
/** What a rate is at the device's mean power; empty where no metric is one. */
function perWatt(scope, row) {
  const rate = scope.metrics.find((metric) => metric.label.endsWith("/s") && metric.values[row] === metric.values[row]);
  return rate ? `${significant((rate.values[row] * scope.time.values[row] * 1e-9) / energyOf(scope, row))} ${rate.label} per W` : "";
}

/** Behind the time of a problem's best. */
const finalMarks = ({ final }) => (!final ? " *" : (final.off_clock ? " ‡" : "") + (final.settled ? "" : " unsettled"));

const isLibrary = (problem, entry) => problem.baselines.some((one) => one.trial === entry.trial);
/** The fastest finalist that is not tied and may be chosen. */
const nextOf = (problem) => problem.final?.entries.find((each) => !each.tied && !isLibrary(problem, each));
const lead = (problem) => nextOf(problem)?.ratio;

function sureText(problem) {
  const { final, tied } = problem;
  if (problem.approximate) return "Its time is approximate: it was dropped early, or is out of the race.";
  if (!final) return "It was not measured again after the race: the lowest of many medians, so optimistic.";
  const entry = final.entries.find((each) => each.trial === problem.best);
  const libraries = final.entries.filter((each) => isLibrary(problem, each)).length;
  const rivals = final.entries.length - libraries - 1;
  const beside = [rivals > 0 && counted(rivals, "rival"), libraries > 0 && (libraries === 1 ? "1 library" : `${libraries} libraries`)].filter(Boolean);
  const next = nextOf(problem);
  const text = `It took ${counted(final.rounds, "turn")} ${beside.length ? `with ${beside.join(" and ")}` : "alone"}` +
    (entry && entry.trial !== final.fastest ? `, at ${interval(entry.ratio, entry.ratio_low, entry.ratio_high)} the time of the fastest` : "") +
    (tied.length ? `, and cannot be told from ${tied.length} of them` : "") +
    (next ? `. The next one takes ${interval(next.ratio, next.ratio_low, next.ratio_high)} the time of the fastest.` : ".");
  const newer = problem.newcomers ? ` ${counted(problem.newcomers, "trial")} that are nearly as fast came later and took no part.` : "";
  const clock = final.off_clock ? ` The clock had changed by its last rounds: in turn with its rivals the fastest took ${withUnit(final.fastest_in_turn_ns, "ns")}.` : "";
  const doubt = final.settled ? "" : " It is unsettled, since race and final disagree.";
  return text + clock + doubt + newer;
}

const abouts = { binds: "What binds it", runner_up: "What the runner-up lacks", parameter: "Which parameters matter", next: "What to try next" };

/** Why it is as fast as it is, as `tuner explain` says it. */
function why(problem) {
  const groups = Object.entries(abouts).map(([about, heading]) => [heading, (problem.explanation ?? []).filter((each) => each.about === about)]);
  if (!groups.some(([, all]) => all.length)) return null;
  return element("details", { open: true }, element("summary", {}, "Why it is as fast as it is"),
    groups.filter(([, all]) => all.length).map(([heading, all]) => element("div", {}, element("h4", {}, heading),
      element("ul", {}, all.map((each) => element("li", {}, `${each.text} [${each.from}]`, each.next ? element("p", { className: "hint" }, `→ ${each.next}`) : null))))));
}

function libraryFigures(problem) {
  return problem.baselines.map((one) => figure(withUnit(one.ratio, "×"), `the speed of ${one.name}`,
    one.paired ? `95 %: ${significant(one.ratio_low)}–${significant(one.ratio_high)}` : "not in one final, so approximate"));
}

function one(app, problem) {
  const { scope } = app;
  const { row } = problem;
  if (row < 0) return element("section", { className: "answer" }, element("p", { className: "lead" }, `No trial at ${problem.label} may be used: ${counted(problem.trials.length, "trial")} failed or were dropped.`));
  const faster = overDefault(problem);
  const share = scope.get("ceiling_share.fraction")?.values[row];
  const joules = energyOf(scope, row);
  const spread = [scope.reader("measurement.low_ns")(row), scope.reader("measurement.high_ns")(row)];
  const figures = [
    figure(scope.timeText(row), "median time", spread[0] < spread[1] ? `95 %: ${withUnit(spread[0], "ns")}–${withUnit(spread[1], "ns")}` : ""),
    scope.metric ? figure(significant(scope.metric.values[row]), scope.metric.label) : null,
    faster ? figure(faster === 1 ? "1×" : withUnit(faster, "×"), faster === 1 ? "is the default" : "the speed of the default") : null,
    ...libraryFigures(problem),
    share > 0 ? figure(withUnit(share, "share"), `of the ${scope.reader("ceiling_share.ceiling")(row) ?? ""} ceiling`) : null,
    joules > 0 ? figure(withUnit(joules, "J"), "energy of a launch", perWatt(scope, row)) : null,
  ];
  return element("section", { className: "answer" },
    element("p", { className: "lead" }, `Best at ${problem.label}: `, element("b", {}, scope.kernelOf(row)), " ",
      element("button", { type: "button", className: "link", onclick: () => app.openTrial(row) }, app.id(row))),
    element("div", { className: "figures" }, figures),
    element("p", {}, app.configurationText(row)),
    element("p", {}, `${sureText(problem)} ${problem.searched_text ? `Of the space: ${problem.searched_text}.` : ""}`),
    why(problem));
}

/** The code of one problem's answer; null: of all sizes together. */
function use(app, problem) {
  const { scope } = app;
  const selection = scope.problems.find((each) => each.selection)?.selection;
  if (!selection || (problem && !problem.command)) return null;
  const file = scope.family.replace(/[^\w.-]/g, "_");
  const said = (words, text) => [element("p", { className: "hint" }, words), copyable(text, words)];
  return element("section", { "aria-label": "Use it" },
    element("h3", {}, "Use it"),
    ...(problem ? [
      ...said("Build it with its flags", `nvcc $(${problem.command} --format flags) -c kernel.cu`),
      ...said("A header of its macros", `${problem.command} --format header > best.h`),
      ...(problem.flags ? [element("details", {}, element("summary", {}, "The flags themselves"), copyable(problem.flags, "Flags of nvcc"))] : []),
    ] : said("A C++ header that picks by size", `tuner cover${selection} --format header > ${file}.h`)),
    ...said("A pack of few configurations for all sizes, with binaries", `tuner pack${selection} -o ${file}.tuned`));
}

/** Which ceilings the shares of a table are of, that of most sizes first. */
function ceilingNote(scope) {
  const shares = scope.get("ceiling_share.fraction");
  const sizes = new Map();
  for (const problem of shares ? scope.problems : []) {
    if (!(shares.values[problem.row] > 0)) continue;
    const kind = scope.reader("ceiling_share.ceiling")(problem.row);
    sizes.set(kind, [...(sizes.get(kind) ?? []), problem.label]);
  }
  const [usual, ...others] = [...sizes].sort((a, b) => b[1].length - a[1].length);
  return usual ? [`of ceiling: ${usual[0]}${others.map(([kind, labels]) => `, at ${labels.join(", ")} ${kind}`).join("")}`] : [];
}

/** A row for each size, as the headings sort them. */
function bySize(app) {
  const { scope } = app;
  const timed = (problem) => (problem.row < 0 ? NaN : scope.time.values[problem.row]);
  const libraries = [...new Set(scope.problems.flatMap((problem) => problem.baselines.map((one) => one.name)))];
  const ratio = (name) => (problem) => problem.baselines.find((one) => one.name === name)?.ratio ?? NaN;
  const ceiling = scope.get("ceiling_share.fraction");
  const columns = [
    { id: "size", label: "size", number: true, value: (problem) => scope.problems.indexOf(problem),
      cell: (problem) => element("button", { type: "button", className: "link", onclick: () => app.chooseSize(problem.label) }, problem.label) },
    { id: "kernel", label: "kernel", value: (problem) => (problem.row < 0 ? "–" : scope.kernelOf(problem.row)) },
    { id: "time", label: "median time", number: true, value: timed, cell: (problem) => (problem.row < 0 ? "–" : scope.timeText(problem.row) + finalMarks(problem)) },
    scope.metric && { id: "metric", label: scope.metric.label, number: true, value: (p) => scope.metric.values[p.row] ?? NaN, cell: (p) => significant(scope.metric.values[p.row] ?? NaN) },
    ...libraries.map((name) => ({ id: "x" + name, label: `× ${name}`, number: true, value: ratio(name), cell: (p) => withUnit(ratio(name)(p), "×") })),
    scope.problems.some(overDefault) && { id: "default", label: "× default", number: true, value: (p) => overDefault(p) ?? NaN, cell: (p) => withUnit(overDefault(p) ?? NaN, "×") },
    ceiling && { id: "ceiling", label: "of ceiling", number: true, value: (p) => ceiling.values[p.row] ?? NaN, cell: (p) => withUnit(ceiling.values[p.row] ?? NaN, "share") },
    scope.problems.some((p) => energyOf(scope, p.row) > 0) && { id: "energy", label: "energy", number: true, value: (p) => energyOf(scope, p.row), cell: (p) => withUnit(energyOf(scope, p.row), "J") },
    { id: "tied", label: "tied", number: true, value: (p) => p.tied.length },
    scope.problems.some(lead) && { id: "next", label: "next", number: true, value: (p) => lead(p) ?? NaN, cell: (p) => (lead(p) ? `+${significant(100 * (lead(p) - 1), 2)} %` : "–") },
    { id: "trial", label: "trial", value: (p) => (p.row < 0 ? "–" : scope.keyOf(p.row)),
      cell: (p) => (p.row < 0 ? "–" : element("button", { type: "button", className: "link", onclick: () => app.openTrial(p.row) }, app.id(p.row))) },
  ].filter(Boolean);
  const table = new SortableTable({ caption: { text: "The best of each size", hidden: true }, columns, rows: () => scope.problems, sort: "size", most: 12 });
  table.draw();
  const meanings = { "*": "* not measured again after the race, so optimistic", "~": "~ approximate: dropped early", "†": "† too short to tell from launch latency",
    "‡": "‡ the clock had changed by the last rounds of its final", "unsettled": "unsettled: race and final disagree",
    "unverified": "unverified: its results were not checked" };
  const said = columns.some((column) => column.id === "next") ? ["tied: others that cannot be told from it; next: how much longer the first other takes"] : [];
  said.push(...ceilingNote(scope));
  said.push(...Object.keys(meanings).filter((mark) => table.root.textContent.includes(mark)).map((mark) => meanings[mark]));
  return element("div", {}, table.root, element("p", { className: "hint" }, said.join("; ")));
}

/** `along`: the chart along sizes, beside the answer; null: of one size there is none. */
export function answer(app, along) {
  const { scope, filters } = app;
  const root = element("div", {}), code = element("div", {});
  const first = element("div", { className: "first" }, root, element("div", {}, along, code));
  let shown;
  return {
    root: first,
    draw() {
      const keep = filters.get("size")?.keep;
      const problem = scope.problems.length === 1 ? scope.problems[0] : keep?.size === 1 ? scope.problems[[...keep][0]] : null;
      const name = problem?.label ?? "";
      if (shown === name) return;
      shown = name;
      code.replaceChildren(use(app, problem) ?? "");
      if (problem) {
        root.replaceChildren(one(app, problem));
      } else {
        root.replaceChildren(element("p", { className: "lead" }, scope.headline || "No trial may be used."), bySize(app),
          element("p", { className: "hint" }, "Choose a size for its configuration, how sure it is, and its flags."));
      }
    },
  };
}
