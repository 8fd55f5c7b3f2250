import { copyable, element, interval, valueText, withUnit } from "./format.js";

// A trial's card: how it did, what differs from the winner, and all that is recorded of it.

function standing(app, i) {
  const { scope } = app;
  const status = scope.reader("status")(i);
  const time = scope.time.values[i];
  if (time !== time) return [`${status}: no time.`, scope.reader("detail")(i) || scope.reader("compile_log")(i) || ""];
  const problem = scope.problems[scope.problem[i]];
  const lines = [];
  if (problem?.row === i) lines.push(`The one to use at ${problem.label}.`);
  else if (problem?.row >= 0) lines.push(`${withUnit(scope.slowdown.values[i], "×")} the time of the best at ${problem.label}, ${app.id(problem.row)}.`);
  const entry = problem?.final?.entries.find((each) => each.trial === scope.keyOf(i));
  if (entry && entry.trial !== problem.final.fastest) lines.push(`In the final: ${interval(entry.ratio, entry.ratio_low, entry.ratio_high)} the time of the fastest${entry.tied ? ", tied with it" : ""}.`);
  else if (entry) lines.push("The fastest of the final.");
  if (scope.reader("approximate")(i)) lines.push("Dropped after a few samples: the time is approximate.");
  return lines;
}

/** Parameters and figures that differ, a row each; and by name what only one of them has. */
function differences(scope, i, winner) {
  const rows = [], onlyThis = [], onlyWinner = [];
  for (const q of scope.quantities.values()) {
    if (!["parameters", "what it takes"].includes(q.group) && !["kernel", "measurement.median_ns", "measurement.sm_clock_mhz"].includes(q.id)) continue;
    const [own, best] = [scope.text(q, i), scope.text(q, winner)];
    if (own === best) continue;
    if (best === "–" && q.group === "parameters") onlyThis.push(`${q.label}=${own}`);
    else if (own === "–" && q.group === "parameters") onlyWinner.push(`${q.label}=${best}`);
    else rows.push([q.label, own, best]);
  }
  return { rows, onlyThis, onlyWinner };
}

function diffTable(app, i) {
  const winner = app.scope.problems[app.scope.problem[i]]?.row ?? -1;
  if (winner < 0 || winner === i) return null;
  const { rows, onlyThis, onlyWinner } = differences(app.scope, i, winner);
  const only = (who, names) => (names.length ? element("p", { className: "hint" }, `Only ${who} has: ${names.join(" ")}`) : null);
  const table = element("table", {}, element("caption", {}, "What differs from the winner"),
    element("thead", {}, element("tr", {}, ["", "this trial", "the winner"].map((text) => element("th", { scope: "col" }, text)))),
    element("tbody", {}, rows.map(([name, own, best]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, own), element("td", {}, best)))));
  return element("div", {}, table, only("the winner", onlyWinner), only("this trial", onlyThis));
}

/** Everything that the report holds of the trial, as it is written in its JSON. */
function everything(scope, i) {
  const rows = [];
  for (const path of Object.keys(scope.columns)) {
    const value = scope.reader(path)(i);
    if (value !== undefined && value !== null) rows.push(element("tr", {}, element("th", { scope: "row" }, path), element("td", {}, valueText(value))));
  }
  return element("details", {}, element("summary", {}, "All that is recorded"), element("table", { className: "record" }, element("tbody", {}, rows)));
}

export class Card {
  constructor(app) {
    this.app = app;
    this.root = element("aside", { className: "card", hidden: true, "aria-label": "Trial" });
    this.root.addEventListener("keydown", (event) => { if (event.key === "Escape") app.openTrial(null); });
  }

  show(i) {
    this.root.hidden = i === null;
    if (i === null) {
      (this.opener?.isConnected ? this.opener : document.querySelector("h1")).focus();
      return;
    }
    const { scope } = this.app;
    if (!this.root.contains(document.activeElement)) this.opener = document.activeElement;
    const title = element("h2", { tabIndex: -1 }, `Trial ${this.app.id(i)}`);
    const time = scope.time.values[i];
    const metric = scope.metric && scope.metric.values[i] === scope.metric.values[i] ? ` · ${withUnit(scope.metric.values[i], scope.metric.label)}` : "";
    this.root.replaceChildren(
      element("div", { className: "bar" }, title, element("button", { type: "button", "aria-label": "Close the card", onclick: () => this.app.openTrial(null) }, "✕")),
      element("p", { className: "lead" }, `${scope.text(scope.get("size"), i)} · ${scope.kernelOf(i)}${time === time ? ` · ${scope.timeText(i)}${metric}` : ""}`),
      ...standing(this.app, i).filter(Boolean).map((line) => element("p", {}, line)),
      diffTable(this.app, i) ?? "",
      element("p", {}, this.app.configurationText(i) || "It has no parameters."),
      copyable(`tuner show ${this.app.id(i)}${this.app.report.database_flag}`, "command that shows this trial"),
      everything(scope, i));
    title.focus({ preventScroll: true });
  }
}
