import { counted, element, plain } from "./format.js";
import { settings } from "./state.js";

// Tables whose headings sort them.

/**
 * `columns`: [{id, label, number, value(row), cell(row)}]; `value` sorts and `cell` is shown, by default the
 * value. `rows()`: what is shown, of any kind. `sort`: a column's id, with `-` before it for falling order.
 */
export class SortableTable {
  constructor({ caption, columns, rows, sort = "", sorted, most = 50, row }) {
    Object.assign(this, { columns, rows, sort, sorted, most, shown: most, makeRow: row ?? (() => ({})) });
    this.body = element("tbody");
    this.headings = columns.map((column) => {
      const button = element("button", { type: "button", onclick: () => this.sortBy(column) }, column.label);
      return element("th", { scope: "col", className: column.number ? "number" : "" }, button);
    });
    this.more = element("button", { type: "button", className: "more", onclick: () => { this.shown *= 4; this.draw(); } });
    this.root = element("div", {},
      element("div", { className: "scroll" }, element("table", {}, element("caption", { className: caption.hidden ? "unseen" : "" }, caption.text),
        element("thead", {}, element("tr", {}, this.headings)), this.body)), this.more);
  }
  sortBy(column) {
    this.sort = this.sort === column.id ? "-" + column.id : column.id;
    this.shown = this.most;
    this.sorted?.(this.sort);
    this.draw();
  }
  draw() {
    const isFalling = this.sort.startsWith("-");
    const by = this.columns.find((column) => column.id === this.sort.replace(/^-/, ""));
    let rows = this.rows();
    if (by) {
      const keys = new Map(Array.from(rows, (row) => [row, by.value(row)]));
      const missing = (key) => key === undefined || key === null || key !== key;
      rows = Array.from(rows).sort((a, b) => {
        const p = keys.get(a), q = keys.get(b);
        if (missing(p) || missing(q)) return missing(p) - missing(q);
        return (typeof p === "number" && typeof q === "number" ? p - q : String(p).localeCompare(String(q), "en", { numeric: true })) * (isFalling ? -1 : 1);
      });
    }
    this.columns.forEach((column, i) => this.headings[i].setAttribute("aria-sort", column === by ? (isFalling ? "descending" : "ascending") : "none"));
    const shown = Array.from(rows.slice(0, this.shown));
    this.body.replaceChildren(...shown.map((row) => element("tr", this.makeRow(row), this.columns.map((column, i) => {
      const content = (column.cell ?? column.value)(row) ?? "–";
      return element(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : undefined, className: column.number ? "number" : "" }, content);
    }))));
    const rest = rows.length - shown.length;
    this.more.hidden = rest <= 0;
    this.more.textContent = `Show more (${counted(rest, "row")} left)`;
  }
}

/** The trials that pass, as text: what every view above draws. */
export function trialTable(app) {
  const { scope, filters } = app;
  const ids = ["size", "kernel", "measurement.median_ns", "slowdown", scope.metric?.id, "ceiling_share.fraction", "occupancy.fraction",
    "resources.registers", "status"];
  const quantities = ids.map((id) => scope.get(id)).filter((q) => q && (q.varies() || q === scope.time));
  const table = new SortableTable({
    caption: { text: "Trials that pass the filters", hidden: true },
    columns: [
      { id: "trial", label: "trial", value: scope.keyOf,
        cell: (i) => element("button", { type: "button", className: "link", onclick: () => app.openTrial(i) }, app.id(i)) },
      ...quantities.map((q) => ({ id: q.id, label: q.label, number: !q.choices || q.id === "size", value: (i) => q.values[i], cell: (i) => scope.text(q, i) })),
      { id: "configuration", label: "configuration", value: (i) => app.configurationText(i),
        cell: (i) => element("span", { className: "one-line", title: app.configurationText(i) }, app.configurationText(i)) },
    ],
    rows: () => {
      const kept = new Int32Array(filters.passing);
      let n = 0;
      for (let i = 0; i < scope.count; ++i) if (filters.fails[i] === 0) kept[n++] = i;
      return kept;
    },
    sort: settings.sort || (scope.get("slowdown") ? "slowdown" : "status"),
    sorted: (sort) => { settings.sort = sort; app.views.touched(); },
  });
  const count = element("p", { className: "hint" });
  const root = element("div", { className: "panel wide" }, count, table.root);
  return {
    root, slow: true,
    draw() {
      count.textContent = `${counted(filters.passing, "trial")} of ${plain(scope.count)}.`;
      table.draw();
    },
  };
}

/** Failures by status, with an example of each. What was skipped was not run. */
export function failureTable(app) {
  const { scope } = app;
  const status = scope.reader("status");
  const reason = (i) => (scope.reader("detail")(i) ?? scope.reader("compile_log")(i) ?? "").split("\n")[0];
  const groups = new Map();
  for (let i = 0; i < scope.count; ++i) {
    const one = status(i);
    if (["ok", "dropped", "skipped"].includes(one)) continue;
    if (!groups.has(one)) groups.set(one, []);
    groups.get(one).push(i);
  }
  if (groups.size === 0) return null;
  const table = new SortableTable({
    caption: { text: "Failures by status", hidden: true },
    columns: [
      { id: "status", label: "status", value: ([name]) => name },
      { id: "trials", label: "trials", number: true, value: ([, rows]) => rows.length, cell: ([, rows]) => plain(rows.length) },
      { id: "example", label: "example", value: ([, [i]]) => scope.keyOf(i),
        cell: ([, [i]]) => element("button", { type: "button", className: "link", onclick: () => app.openTrial(i) }, app.id(i)) },
      { id: "reason", label: "reason of the example", value: ([, [i]]) => reason(i) || "–" },
    ],
    rows: () => [...groups], sort: "-trials",
  });
  table.draw();
  return table.root;
}
