import { chooser, element, withUnit } from "./format.js";
import { rampColour } from "./chart.js";
import { settings } from "./state.js";
import { binned } from "./spread.js";

// What each value of each parameter does to the time, and what two parameters do together.

/** Of the trials that pass and have each choice: how many, and their slowdowns by bin. */
function tally(scope, filters, quantity) {
  const { of } = binned(scope);
  const out = quantity.choices.map(() => ({ count: 0, bins: new Int32Array(128) }));
  const { values } = quantity;
  for (let i = 0; i < values.length; ++i) {
    if (filters.fails[i] !== 0 || values[i] !== values[i]) continue;
    const one = out[values[i]];
    ++one.count;
    if (of[i] >= 0) ++one.bins[of[i]];
  }
  return out;
}

/** The slowdown below which a share of them lies; NaN where none has a time. */
function quantile(scope, { bins }, share) {
  const total = bins.reduce((sum, count) => sum + count, 0);
  if (total === 0) return NaN;
  let rest = share * total;
  for (let bin = 0; bin < bins.length; ++bin) if ((rest -= bins[bin]) < 0 || rest === 0) return binned(scope).middle(bin);
  return NaN;
}

/** The least slowdown of each choice, exactly. */
function leasts(scope, filters, quantity) {
  const least = quantity.choices.map(() => Infinity);
  scope.slowdown.values.forEach((value, i) => {
    const place = quantity.values[i];
    if (filters.fails[i] === 0 && place === place && value < least[place]) least[place] = value;
  });
  return least.map((value) => (Number.isFinite(value) ? value : NaN));
}

/** What is offered as a parameter: those that vary, the kernel first. */
export function varying(scope) {
  return [scope.get("kernel"), ...scope.parameters].filter((q) => q && q.choices.length > 1);
}

/** How much the best of a quantity's worst value loses to that of its best. */
function weight(scope, filters, quantity) {
  const least = leasts(scope, filters, quantity).filter(Number.isFinite);
  return least.length ? Math.max(...least) / Math.min(...least) : 0;
}

export function each(app) {
  const { scope, filters } = app;
  if (varying(scope).length === 0) return null;
  const root = element("div", { className: "panel wide" });
  const weights = new Map(varying(scope).map((quantity) => [quantity, weight(scope, filters, quantity)]));
  const blocks = [...weights.keys()].sort((a, b) => weights.get(b) - weights.get(a)).map((quantity) => block(app, quantity));
  root.append(
    element("p", { className: "hint" }, "Those first whose wrong value costs most. A bar goes from the best to the median, a thin line on to the slowest tenth, on a logarithmic scale. Choose values to keep their trials."),
    element("div", { className: "parameters" }, blocks.map((one) => one.root)));
  return {
    root, slow: true,
    draw() {
      const tallies = blocks.map((one) => one.tally());
      const high = Math.max(1.02, ...tallies.flat().map((one) => one.tail).filter(Number.isFinite));
      const low = Math.min(high / 1.02, ...tallies.flat().map((one) => one.least).filter(Number.isFinite));
      blocks.forEach((one, i) => one.draw(tallies[i], (slowdown) => 100 * Math.log(slowdown / low) / Math.log(high / low)));
    },
  };
}

function block(app, quantity) {
  const { scope, filters } = app;
  const rows = quantity.choices.map((text, place) => {
    const box = element("input", { type: "checkbox", checked: true, onchange: () => { filters.toggle(quantity.id, place); app.changed(true); } });
    const only = element("button", { type: "button", className: "only", title: `Keep ${text} alone`,
      onclick: () => { filters.set(quantity.id, { keep: new Set([place]) }); app.changed(true); } }, "only");
    const bar = element("span", { className: "range" }, element("span", { className: "tail" }), element("span", { className: "half" }), element("span", { className: "middle" }));
    const cells = [element("td", { className: "number" }), element("td", { className: "number" }), element("td", { className: "number" })];
    const row = element("tr", {}, element("th", { scope: "row" }, element("label", {}, box, text), only), ...cells, element("td", { className: "bar" }, bar));
    return { box, bar, cells, row };
  });
  const heading = element("caption", {}, quantity.label);
  const root = element("table", { className: "values" }, heading,
    element("thead", {}, element("tr", {}, ["value", "trials", "best", "median"].map((text, i) => element("th", { scope: "col", className: i ? "number" : "" }, text)), element("th", { scope: "col" }, element("span", { className: "unseen" }, "range")))),
    element("tbody", {}, rows.map((one) => one.row)));
  /** Of each value: how many pass, their least slowdown, its median and where the slowest tenth begins. */
  function figures() {
    const least = leasts(scope, filters, quantity);
    return tally(scope, filters, quantity).map((one, place) => ({
      count: one.count, least: least[place], median: Math.max(least[place], quantile(scope, one, 0.5)), tail: Math.max(least[place], quantile(scope, one, 0.9)) }));
  }
  /** `at`: where a slowdown lies on the scale of all blocks, in per cent. */
  function draw(tallies, at) {
    const keep = filters.get(quantity.id)?.keep;
    const total = tallies.reduce((sum, one) => sum + one.count, 0);
    root.hidden = total === 0 && !keep;
    rows.forEach(({ box, bar, cells, row }, place) => {
      const { count, least, median, tail } = tallies[place];
      box.checked = !keep || keep.has(place);
      row.hidden = count === 0 && box.checked;
      row.classList.toggle("none", count === 0);
      cells[0].textContent = count.toLocaleString("en");
      cells[1].textContent = withUnit(least, "×");
      cells[2].textContent = withUnit(median, "×");
      bar.hidden = !(median > 0);
      if (bar.hidden) return;
      const place0 = at(least);
      const [thin, thick, middle] = bar.children;
      thin.style.cssText = `left:${place0}%;width:${Math.max(0.5, at(tail) - place0)}%`;
      thick.style.cssText = `left:${place0}%;width:${Math.max(0.5, at(median) - place0)}%`;
      middle.style.left = `${at(median)}%`;
    });
  }
  return { root, tally: figures, draw };
}

/** Two parameters, a cell for each pair of values. */
export function pairs(app) {
  const { scope, filters } = app;
  const root = element("div", { className: "panel wide" });
  const offered = [...varying(scope), ...(scope.problems.length > 1 ? [scope.get("size")] : [])];
  if (offered.length < 2) return null;
  const find = (id, other) => offered.find((q) => q.id === id) ?? offered.find((q) => q !== other);

  function cellsOf(a, b) {
    const least = new Float64Array(a.choices.length * b.choices.length).fill(Infinity);
    const counts = new Int32Array(least.length), lists = settings.cell === "median" ? Array.from(least, () => []) : null;
    const slowdown = scope.slowdown.values;
    for (let i = 0; i < scope.count; ++i) {
      const cell = a.values[i] * b.choices.length + b.values[i];
      if (filters.fails[i] !== 0 || cell !== cell || slowdown[i] !== slowdown[i]) continue;
      ++counts[cell];
      if (slowdown[i] < least[cell]) least[cell] = slowdown[i];
      lists?.[cell].push(slowdown[i]);
    }
    if (lists) lists.forEach((list, cell) => { if (list.length) least[cell] = list.sort((p, q) => p - q)[list.length >> 1]; });
    return { values: least, counts };
  }

  function draw() {
    const a = find(settings.a, null), b = find(settings.b, a);
    const { values, counts } = cellsOf(a, b);
    const finite = values.filter(Number.isFinite);
    const high = Math.log(Math.max(1.2, finite.reduce((most, value) => Math.max(most, value), 0)));
    const paint = (value) => {
      const colour = rampColour(1 - Math.log(Math.max(1, value)) / high);
      const isBright = colour[0] * 0.3 + colour[1] * 0.6 + colour[2] * 0.1 > 120;
      return `background:rgb(${colour});color:${isBright ? "#111" : "#fff"}`;
    };
    const cell = (p, q) => {
      const at = p * b.choices.length + q;
      if (!counts[at]) return element("td", { className: "empty" }, "–");
      return element("td", {}, element("button", {
        type: "button", style: paint(values[at]), title: `${a.label} ${a.choices[p]}, ${b.label} ${b.choices[q]}: ${counts[at]} trials. Keep them alone`,
        onclick: () => { app.filter(a.id, { keep: new Set([p]) }, false); app.filter(b.id, { keep: new Set([q]) }, false); app.changed(true); },
      }, withUnit(values[at], "×").replace("×", "")));
    };
    const used = (q, other, isRow) => [...q.choices.keys()].filter((p) => [...other.choices.keys()].some((o) => counts[isRow ? p * other.choices.length + o : o * q.choices.length + p]));
    const down = used(a, b, true), across = used(b, a, false);
    const choose = (label, name, value) => chooser(label, offered.map((q) => [q.id, q.label]), value, (id) => { settings[name] = id; app.changed(true); });
    root.replaceChildren(
      element("div", { className: "choosers" }, choose("Down", "a", a.id), choose("Across", "b", b.id),
        chooser("Cell", [["best", "best"], ["median", "median"]], settings.cell, (cell) => { settings.cell = cell; app.changed(true); })),
      element("p", { className: "hint" }, "Time ÷ best of its size, over all trials of a pair that pass. Choose a cell to keep its trials."),
      a === b || down.length === 0 ? element("p", {}, "No trial that passes has both.") :
      element("div", { className: "scroll" }, element("table", { className: "pairs", "aria-label": `Time ÷ best of its size by ${a.label} and ${b.label}` },
        element("thead", {}, element("tr", {}, element("td", {}, ""), across.map((q) => element("th", { scope: "col" }, b.choices[q])))),
        element("tbody", {}, down.map((p) => element("tr", {}, element("th", { scope: "row" }, a.choices[p]), across.map((q) => cell(p, q))))))));
  }
  return { root, slow: true, draw };
}
