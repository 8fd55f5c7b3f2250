import { element, withUnit } from "./format.js";

// uPlot with this page's colours, its axes for each kind of quantity, and areas that are brushed.

const colourNames = ["paper", "ink", "soft", "rule", "faded", "accent", "mark", "c0", "c1", "c2", "c3", "c4", "c5", "c6"];

/** The page's colours as they are now, light or dark. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(colourNames.map((name) => [name, style.getPropertyValue("--" + name).trim()]));
}

/** `#rrggbb` as [r, g, b]. */
export const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** From violet to yellow as a share rises, after viridis; both ends are seen on light and on dark paper. */
const ramp = [[96, 56, 140], [58, 104, 166], [33, 150, 145], [104, 200, 92], [240, 200, 33]];
export function rampColour(share) {
  const place = Math.min(Math.max(share, 0), 0.9999) * (ramp.length - 1);
  const low = ramp[Math.floor(place)], high = ramp[Math.floor(place) + 1];
  return low.map((value, i) => Math.round(value + (high[i] - value) * (place % 1)));
}

/** How a quantity lies on an axis. Choices have a place each; `spread` moves points that share one. */
export function axisOf(quantity) {
  if (quantity.choices) {
    return { label: quantity.label, unit: "", log: false, min: -0.6, max: quantity.choices.length - 0.4, choices: quantity.choices };
  }
  let [min, max] = quantity.extent();
  const log = quantity.isLog();
  if (!(min < max)) [min, max] = min > 0 ? [0, 1.25 * max] : [min - 1, max + 1];
  else if (log) [min, max] = [min / Math.pow(max / min, 0.03), max * Math.pow(max / min, 0.03)];
  else [min, max] = [min >= 0 && min < 0.4 * max ? -0.02 * max : min - 0.03 * (max - min), max + 0.03 * (max - min)];
  return { label: quantity.label, unit: quantity.unit, log, min, max, choices: null };
}

/** Marks at steps of 1, 2 or 5 times a power of ten. */
function evenSplits(min, max, most) {
  const power = Math.pow(10, Math.floor(Math.log10((max - min) / most)));
  const step = power * [1, 2, 5, 10].find((factor) => (max - min) / (factor * power) <= most);
  const first = Math.ceil(min / step - 1e-9);
  return Array.from({ length: Math.floor(max / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
}

/**
 * Marks of a logarithmic axis: 1, 2, 5 of each power of ten, powers alone where that is too many, even steps where it
 * is too few.
 */
function logSplits(min, max, most) {
  const all = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); ++power) {
    for (const step of [1, 2, 5]) all.push([step, step * Math.pow(10, power)]);
  }
  const inside = all.filter(([, value]) => value >= min && value <= max);
  const powers = inside.filter(([step]) => step === 1);
  if (inside.length < 4) return evenSplits(min, max, Math.max(2, Math.min(most, 8)));
  if (inside.length <= most) return inside.map(([, value]) => value);
  const every = Math.ceil(powers.length / most);
  return powers.filter((_, i) => i % every === 0).map(([, value]) => value);
}

function uplotAxis(axis, side, colours, font) {
  const room = side === 2 ? 90 : 34;
  const out = {
    side, font, labelFont: font, stroke: colours.soft, space: side === 2 ? 80 : 34, size: 28, show: axis.show ?? true,
    label: axis.unit && !["×", "share", "bytes", "ns", "ms", "op/s", "op/B"].includes(axis.unit) ? `${axis.label} (${axis.unit})` : axis.label,
    labelSize: axis.label ? 20 : 0, labelGap: 2,
    grid: { stroke: colours.rule, width: 1 }, ticks: { stroke: colours.rule, width: 1, size: 4 },
    values: (_, splits) => {
      const step = Math.abs(splits.at(-1) - splits[0]) / Math.max(1, splits.length - 1);
      const digits = Math.max(3, Math.ceil(Math.log10(Math.abs(splits.at(-1)) / step || 1)) + 1);
      const write = axis.format ?? ((value) => withUnit(Number(value.toPrecision(10)), axis.unit, digits));
      return splits.map((value) => (value === null ? null : write(value)));
    },
  };
  const lengthOf = (u) => (side === 2 ? u.bbox.width : u.bbox.height) / devicePixelRatio;
  if (axis.choices) {
    const widest = Math.max(...axis.choices.map((text) => text.length)) * 7 + 14;
    out.splits = (u) => {
      const every = Math.ceil((axis.choices.length * (side === 2 ? widest : 18)) / lengthOf(u)) || 1;
      return [...axis.choices.keys()].filter((place) => place % every === 0);
    };
    out.values = (_, splits) => splits.map((place) => axis.choices[place]);
    out.grid.show = false;
  } else if (axis.splits) {
    out.splits = () => axis.splits;
    out.filter = (_, splits) => splits;
  } else if (axis.log) {
    out.splits = (u) => logSplits(axis.min, axis.max, lengthOf(u) / room);
    out.filter = (_, splits) => splits;
  }
  if (side === 3) {
    out.size = (u, values) => {
      const longest = Math.max(0, ...(values ?? []).map((text) => String(text ?? "").length));
      return Math.min(Math.max(30, longest * 6.8 + 16), u.width * 0.35);
    };
  }
  return out;
}

/**
 * A chart in a figure. `options`:
 *   x, y: axes (axisOf); `series` and `data` as uPlot takes them, or none where `under` and `over` draw;
 *   under(u, ctx), over(u, ctx): drawn below and above the lines, in device pixels;
 *   brush: "x", "y" or "xy"; brushed({x: [low, high], y: [low, high]} or null) while and after it is drawn;
 *   brushedAt(): the same of what is kept, so that the area is shown again;
 *   at(u, left, top): the trial at a place, or null; picked(trial); says(trial): lines of text;
 *   height; label: for those who do not see it.
 */
export class Chart {
  constructor(options) {
    this.options = options;
    this.note = element("div", { className: "note", hidden: true });
    this.place = element("div", { className: "plot", role: "img", "aria-label": options.label });
    this.place.style.minHeight = `${options.height ?? 320}px`;  // what is below does not move once it is drawn
    this.root = element("div", { className: "chart" }, this.place, this.note);
    new ResizeObserver(() => this.resize()).observe(this.place);
  }

  /** Makes it anew, with today's axes and colours. */
  make() {
    this.plot?.destroy();
    const { x, y, series = [{}, { show: true, paths: () => null, points: { show: false } }], brush } = this.options;
    const colours = palette();
    const font = "12px system-ui, sans-serif";
    const scale = (axis) => ({ time: false, distr: axis.log ? 3 : 1, auto: false, range: () => [axis.min, axis.max] });
    this.plot = new uPlot({
      width: Math.max(200, this.place.clientWidth), height: this.options.height ?? 320,
      padding: [10, 12, 0, 0], legend: { show: false },
      scales: { x: scale(x), y: scale(y) },
      axes: [uplotAxis(x, 2, colours, font), uplotAxis(y, 3, colours, font)],
      series: series.map((each) => ({ ...each, stroke: each.colour ? colours[each.colour] : each.stroke })),
      cursor: {
        x: false, y: false, points: { show: false }, lock: false,
        drag: { x: Boolean(brush?.includes("x")), y: Boolean(brush?.includes("y")), setScale: false, dist: 4 },
      },
      hooks: {
        drawAxes: [(u) => this.options.under?.(u, u.ctx)],
        draw: [(u) => this.options.over?.(u, u.ctx)],
        setCursor: [(u) => this.moved(u)],
        ready: [(u) => this.listen(u)],
      },
    }, this.options.data ?? [[x.min, x.max], [null, null]], this.place);
    this.showBrush();
  }
  resize() {
    const width = this.place.clientWidth;
    if (!this.plot || width === 0 || Math.abs(width - this.plot.width) < 1) return;
    this.plot.setSize({ width, height: this.plot.height });
    this.options.resized?.(this.plot);
    this.showBrush();
  }
  draw() {
    if (!this.plot) this.make();
    else if (this.options.data) this.plot.setData(this.options.data);
    else this.plot.redraw(false, false);
    if (!this.isBrushing) this.showBrush();
  }

  listen(u) {
    u.over.addEventListener("mousedown", (from) => {
      this.isBrushing = Boolean(this.options.brush);
      addEventListener("mouseup", (event) => {
        this.isBrushing = false;
        if (Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) < 4) this.clicked(u);
        else this.brush(u);
      }, { once: true });
    });
    u.over.addEventListener("mouseenter", () => u.syncRect(true));  // the page may have moved since
    u.over.addEventListener("mouseleave", () => (this.note.hidden = true));
  }
  clicked(u) {
    const { left, top } = u.cursor;
    const trial = this.options.at?.(u, left, top) ?? null;
    if (trial !== null) this.options.picked(trial);
    else this.options.brushed?.(null, [left, top], u);
    this.showBrush();
  }
  brush(u) {
    const { left, top, width, height } = u.select;
    if (!this.options.brushed || (width < 2 && height < 2)) return;
    const { brush } = this.options;
    this.options.brushed({
      x: brush.includes("x") ? [u.posToVal(left, "x"), u.posToVal(left + width, "x")] : null,
      y: brush.includes("y") ? [u.posToVal(top + height, "y"), u.posToVal(top, "y")] : null,
      area: u.select,
    }, null, u);
  }
  moved(u) {
    if (this.isBrushing) return this.brush(u);
    const { left, top } = u.cursor;
    const found = left >= 0 ? this.options.at?.(u, left, top) ?? null : null;
    this.note.hidden = found === null;
    if (found === null) return;
    this.note.replaceChildren(...this.options.says(found).map((line) => element("div", {}, line)));
    const offset = this.plot.over.offsetLeft;
    const isRight = left > u.over.clientWidth / 2;
    this.note.style.left = isRight ? "" : `${left + offset + 14}px`;
    this.note.style.right = isRight ? `${this.place.clientWidth - left - offset + 14}px` : "";
    this.note.style.top = `${Math.max(0, top - 10)}px`;
  }
  showBrush() {
    const kept = this.options.brushedAt?.();
    const u = this.plot;
    if (!u || !this.options.brush) return;
    const { x, y } = this.options;
    if (!kept) return u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    const clamp = (value, axis) => Math.min(Math.max(value, axis.min), axis.max);
    const [left, right] = kept.x ? kept.x.map((value) => u.valToPos(clamp(value, x), "x")) : [0, u.over.clientWidth];
    const [bottom, top] = kept.y ? kept.y.map((value) => u.valToPos(clamp(value, y), "y")) : [u.over.clientHeight, 0];
    u.setSelect({ left, top, width: right - left, height: bottom - top }, false);
  }
}

/** Names of lines or colours with a swatch each. */
export function legend(entries) {
  return element("ul", { className: "legend" }, entries.map(([name, colour]) =>
    element("li", {}, element("span", { className: "swatch", style: `background:${colour}` }), name)));
}
