import { chooser, counted, element, plain, withUnit } from "./format.js";
import { Scope, scopesOf } from "./trials.js";
import { Filters, Views, filtersFromLink, settings, settingsFromLink, writeLink } from "./state.js";
import { answer } from "./answer.js";
import { alongSizes, roofline } from "./sizes.js";
import { quantityOptions, scatter } from "./scatter.js";
import { distribution, progress } from "./spread.js";
import { each, pairs } from "./parameters.js";
import { parallel } from "./parallel.js";
import { failureTable, trialTable } from "./table.js";
import { Card } from "./card.js";

// Puts the page together and answers what the reader does.

const report = JSON.parse(document.getElementById("data").textContent);
const scopes = scopesOf(report);
const main = document.getElementById("page");
let app = null;

/** Everything about the trials of one scope that views share. */
class App {
  constructor(scope) {
    this.report = report;
    this.scope = scope;
    this.filters = new Filters(scope);
    this.views = new Views();
    this.open = null;
    this.card = new Card(this);
    this.openTrial = (i) => {
      this.open = i;
      settings.trial = i === null ? "" : this.id(i);
      this.card.show(i);
      this.views.touched();
    };
    this.says = (i) => [
      `${this.id(i)} · ${scope.text(scope.get("size"), i)} · ${scope.kernelOf(i)}`,
      `${scope.timeText(i)}, ${withUnit(scope.slowdown.values[i], "×")} the best`,
      this.configurationText(i),
    ];
  }
  id(i) {
    return this.scope.keyOf(i).slice(0, report.id_digits);
  }
  configurationText(i) {
    return this.scope.configuration(i).map(([name, value]) => `${name}=${value}`).join(" ");
  }
  filter(id, filter, announce = true) {
    this.filters.set(id, filter);
    if (announce) this.changed();
  }
  chooseSize(label) {
    const place = this.scope.get("size").choices.indexOf(label);
    this.filter("size", place < 0 ? null : { keep: new Set([place]) }, false);
    this.changed(true);
    scrollTo({ top: 0 });
  }
  changed(now = false) {
    this.views.changed(now);
  }
}

/** Filters without a mouse: bounds of a number, or one of its choices. */
function filterForm(app) {
  const { scope } = app;
  const number = (label) => element("label", { className: "chooser" }, element("span", {}, label), element("input", { type: "number", step: "any" }));
  const low = number("from"), high = number("to"), only = element("span", {});
  const valueOf = (label, otherwise) => { const { value } = label.querySelector("input"); return value === "" ? otherwise : Number(value); };
  let quantity, place = "0";
  const take = (id) => {
    quantity = scope.get(id);
    const { choices, unit } = quantity;
    place = "0";
    low.hidden = high.hidden = Boolean(choices);
    low.firstChild.textContent = `from${unit ? ` (${unit === "share" ? "0 to 1" : unit})` : ""}`;
    only.replaceChildren(choices ? chooser("is", choices.map((text, i) => [String(i), text]), "0", (value) => (place = value)) : "");
  };
  const first = scope.get("slowdown") ? "slowdown" : "size";
  take(first);
  return element("form", { className: "choosers", onsubmit: (event) => {
    event.preventDefault();
    app.filter(quantity.id, quantity.choices ? { keep: new Set([Number(place)]) } : { low: valueOf(low, quantity.extent()[0]), high: valueOf(high, quantity.extent()[1]) }, false);
    app.changed(true);
  } }, chooser("Filter", quantityOptions(scope), first, take), only, low, high, element("button", { type: "submit" }, "Keep"));
}

/** What is kept, each with a button that takes it back. */
function filterBar(app) {
  const { filters, scope } = app;
  const count = element("b", { role: "status" });
  const chips = element("ul", { className: "chips" });
  const root = element("div", { className: "filters" }, count, chips, element("details", {}, element("summary", {}, "Add a filter"), filterForm(app)));
  return {
    root,
    draw() {
      count.textContent = `${plain(filters.passing)} of ${counted(scope.count, "trial")}`;
      const chip = (id) => element("li", {}, element("button", { type: "button", title: "Take this filter back",
        onclick: () => { filters.set(id, null); app.changed(true); } }, `${scope.get(id).label}: ${filters.text(id, withUnit)} ✕`));
      const made = [...filters.by.keys()].map(chip);
      if (made.length > 1) made.push(element("li", {}, element("button", { type: "button", onclick: () => { filters.clear(); app.changed(true); } }, "Clear all")));
      chips.replaceChildren(...made);
    },
  };
}

function section(title, intro, ...views) {
  const shown = views.filter(Boolean);
  if (shown.length === 0) return null;
  const id = title.toLowerCase().replace(/[^a-z]+/g, "-");
  return element("section", { "aria-labelledby": id }, element("h2", { id }, title), intro ? element("p", {}, intro) : null,
    element("div", { className: "grid" }, shown.map((view) => app.views.add(view))));
}

/** The choice of environment and size, in the page's head. */
function head() {
  const { scope, filters } = app;
  const place = filters.get("size")?.keep?.size === 1 ? [...filters.get("size").keep][0] : -1;
  const choosers = [];
  if (scopes.length > 1) choosers.push(chooser("Trials of", scopes.map((each, i) => [String(i), each.name]), settings.scope, (value) => start(value)));
  if (scope.problems.length > 1) {
    choosers.push(chooser("Size", [["", "all sizes"], ...scope.problems.map((problem) => [problem.label, problem.label])], scope.problems[place]?.label ?? "", (label) => app.chooseSize(label)));
  }
  return element("div", { className: "choosers" }, choosers);
}

/** Below the title: what was tuned, and where. */
function subtitle() {
  document.getElementById("about").textContent = `${app.scope.family} on ${app.scope.environment.name}`;
}

function reproduce() {
  const commands = [...new Set([...report.runs.map((run) => run.command_line), report.command].filter(Boolean))];
  const runs = report.runs.map((run) => run.device).filter((device, i, all) => all.findIndex((other) => other.uuid === device.uuid) === i);
  return element("section", {}, element("h2", {}, "Where this is from"),
    element("p", {}, app.scope.environment.name),
    runs.map((device) => element("p", {}, `${device.name}${device.architecture ? `, ${device.architecture}` : ""}${device.limits?.multiprocessors ? `, ${device.limits.multiprocessors} multiprocessors` : ""}${device.memory_bytes ? `, ${withUnit(device.memory_bytes, "bytes")}` : ""}`)),
    app.scope.environment.ceilings.length ? element("p", {}, "Ceilings: " + app.scope.environment.ceilings.map((each) => `${each.kind}${each.kind === "arithmetic" ? " " + each.type : ""} ${each.kind === "launch" ? withUnit(each.value * 1e9, "ns") : withUnit(each.value, "op/s").replace(each.kind === "arithmetic" ? "" : "op/s", each.kind === "arithmetic" ? "" : "B/s")}`).join(", ") + ".") : null,
    commands.length ? element("pre", { tabIndex: 0 }, commands.join("\n")) : null,
    report.generated_at ? element("p", { className: "hint" }, `Written ${report.generated_at.replace("T", " ").replace("Z", " UTC")}.`) : null);
}

function start(place) {
  app?.views.stop();
  if (settings.scope !== place) {  // others have other names: nothing is kept
    history.replaceState(null, "", "#scope=" + place);
    settingsFromLink();
  }
  const { environment, family } = scopes[Number(place)] ?? scopes[0];
  const scope = new Scope(environment, family);
  const kernel = scope.reader("kernel");
  scope.kernelOf = (i) => kernel(i) ?? "";
  app = new App(scope);
  filtersFromLink(app.filters);
  const hasTimes = scope.slowdown.extent()[0] > 0;
  const failures = failureTable(app);
  const bar = filterBar(app);
  const headOf = document.getElementById("scope");
  const along = hasTimes ? alongSizes(app) : null;
  const first = answer(app, along && app.views.add(along));
  const draw = [first, bar];
  const views = element("div", {}, ...[
    element("div", { className: "explore" }, bar.root, ...[
      section("Any figure against any other", "", scatter(app)),
      hasTimes ? section("Roofline", "", roofline(app)) : null,
      hasTimes ? section("All configurations, and the search", "", distribution(app), progress(app)) : null,
      hasTimes ? section("Each parameter", "", each(app)) : null,
      hasTimes ? section("Parameters in pairs", "", pairs(app)) : null,
      hasTimes ? section("Parallel coordinates", "", parallel(app)) : null,
      failures ? element("section", {}, element("h2", {}, "Failures"), failures) : null,
      section("Trials", "", trialTable(app)),
    ].filter(Boolean)),
  ].filter(Boolean));
  main.replaceChildren(...report.notes.map((note) => element("p", {}, note)), first.root, views, reproduce(), app.card.root);
  app.views.settled = () => {
    for (const view of draw) view.draw();
    headOf.replaceChildren(head());
    writeLink(app.filters);
  };
  app.views.settled();
  subtitle();
  const trial = settings.trial ? [...scope.rows.keys()].find((i) => app.id(i) === settings.trial) : undefined;
  if (trial !== undefined) app.openTrial(trial);
}

function recolour() {
  for (const view of app?.views.views ?? []) view.recolour?.();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
/** On paper all is light and as wide as a page; charts are drawn anew for it. */
function forPaper(isOn) {
  document.documentElement.classList.toggle("printing", isOn);
  recolour();
  if (isOn) app?.views.drawAll();
}
addEventListener("beforeprint", () => forPaper(true));
addEventListener("afterprint", () => forPaper(false));
addEventListener("hashchange", () => {
  settingsFromLink();
  if (scopes.length) start(settings.scope);
});

settingsFromLink();
if (scopes.length) start(settings.scope);
else main.replaceChildren(element("p", { className: "lead" }, "There are no trials to report."));
performance.mark("ready");
