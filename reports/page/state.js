// What the reader has chosen: filters over the trials and settings of the views. The link holds all of it.

/**
 * The filters of a scope, by quantity: {low, high} keeps what lies between, {keep} a set of choices. `fails[i]`
 * is the number of filters that trial i does not pass, so changing one costs one pass over its quantity.
 */
export class Filters {
  constructor(scope) {
    this.scope = scope;
    this.by = new Map();
    this.fails = new Uint8Array(scope.count);
    this.passing = scope.count;
  }

  set(id, filter) {
    const quantity = this.scope.get(id);
    if (!quantity) return;
    const before = this.by.get(id)?.out;
    const { values } = quantity;
    const out = filter ? new Uint8Array(values.length) : null;
    if (filter?.keep) for (let i = 0; i < values.length; ++i) out[i] = filter.keep.has(values[i]) ? 0 : 1;
    else if (filter) for (let i = 0; i < values.length; ++i) out[i] = values[i] >= filter.low && values[i] <= filter.high ? 0 : 1;
    if (filter) this.by.set(id, { ...filter, out });
    else this.by.delete(id);
    const { fails } = this;
    let passing = 0;
    for (let i = 0; i < fails.length; ++i) {
      if (before) fails[i] -= before[i];
      if (out) fails[i] += out[i];
      if (fails[i] === 0) ++passing;
    }
    this.passing = passing;
  }
  /** Keeps or drops one choice; all of them kept is no filter. */
  toggle(id, choice) {
    const { choices } = this.scope.get(id);
    const keep = new Set(this.by.get(id)?.keep ?? choices.keys());
    if (!keep.delete(choice)) keep.add(choice);
    this.set(id, keep.size === choices.length ? null : { keep });
  }
  clear() {
    for (const id of [...this.by.keys()]) this.set(id, null);
  }
  get(id) {
    return this.by.get(id);
  }
  text(id, write) {
    const { choices, unit } = this.scope.get(id);
    const { keep, low, high } = this.by.get(id);
    if (keep && keep.size > 4) return `${keep.size} of ${choices.length}`;
    if (keep) return [...keep].sort((a, b) => a - b).map((place) => choices[place]).join(", ") || "none";
    return `${write(low, unit)} to ${write(high, unit)}`;
  }
}

/** Settings that a link keeps, with what holds where it says nothing. */
const defaults = { scope: "0", x: "", y: "", colour: "", along: "", a: "", b: "", cell: "best", sort: "", trial: "", axes: "" };

export const settings = { ...defaults };

/** Filters as they stand in a link: `f.kernel=sgemm~naive`, `f.slowdown=1..1.05`; choices by their text. */
export function filtersFromLink(filters) {
  for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
    if (!name.startsWith("f.")) continue;
    const id = name.slice(2);
    const quantity = filters.scope.get(id);
    const range = /^(-?[\d.e+-]+)\.\.(-?[\d.e+-]+)$/.exec(text);
    if (quantity?.choices) {
      const wanted = new Set(text.split("~"));
      const keep = new Set([...quantity.choices.keys()].filter((place) => wanted.has(quantity.choices[place])));
      if (keep.size) filters.set(id, { keep });
    } else if (quantity && range) {
      filters.set(id, { low: Number(range[1]), high: Number(range[2]) });
    }
  }
}

export function settingsFromLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(defaults)) settings[name] = link.get(name) ?? defaults[name];
}

export function writeLink(filters) {
  const link = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) if (value !== defaults[name]) link.set(name, value);
  for (const [id, filter] of filters.by) {
    const { choices } = filters.scope.get(id);
    const short = (value) => String(Number(value.toPrecision(6)));
    link.set("f." + id, filter.keep ? [...filter.keep].map((place) => choices[place]).join("~") : `${short(filter.low)}..${short(filter.high)}`);
  }
  const text = link.toString();
  if (location.hash.slice(1) !== text) history.replaceState(null, "", "#" + text);
}

/**
 * Views are drawn once a frame at most, and only while they can be seen. A view is {root, draw()}; one that is
 * `slow` (text, tables) waits until the reader pauses.
 */
export class Views {
  constructor() {
    this.views = [];
    this.watcher = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const view = this.views.find((each) => each.root === target);
        if (view) view.isSeen = isIntersecting;
        if (view?.isSeen && view.isStale) this.draw(view);
      }
    }, { rootMargin: "100px" });
  }

  add(view) {
    view.isStale = true;
    this.views.push(view);
    this.watcher.observe(view.root);
    return view.root;
  }
  draw(view) {
    view.isStale = false;
    view.draw();
  }
  /** Filters changed; `now`: the slow ones need not wait for a pause. */
  changed(now = false) {
    for (const view of this.views) view.isStale = true;
    this.schedule(now);
  }
  /** What is marked in charts changed, or what the link says. */
  touched() {
    for (const view of this.views) view.isStale ||= !view.slow;
    this.schedule(true);
  }
  schedule(now) {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      for (const view of this.views) if (view.isSeen && view.isStale && !view.slow) this.draw(view);
    });
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.drawSlow(), now ? 0 : 120);
  }
  drawSlow() {
    for (const view of this.views) if (view.isSeen && view.isStale) this.draw(view);
    this.settled?.();
  }
  /** All of them, seen or not: for print. */
  drawAll() {
    for (const view of this.views) if (view.isStale) this.draw(view);
  }
  stop() {
    this.watcher.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.pause);
  }
}
