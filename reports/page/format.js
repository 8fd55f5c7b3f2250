// Numbers with their units, and elements made of text.

/** `value` with `digits` significant digits, never fewer than its integer part has: 20,913, 876.1, 0.5030. */
export function significant(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  if (exponent < -6 || exponent > 14) return value.toExponential(digits - 1);
  const decimals = Math.max(0, digits - 1 - exponent);
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Whole numbers as they are; others with four digits. */
export function plain(value) {
  return Number.isInteger(value) ? value.toLocaleString("en") : significant(value);
}

const prefixed = (steps) => (value, digits) => {
  let [factor, name] = steps[0];
  for (const step of steps) if (Math.abs(value) >= step[0]) [factor, name] = step;
  return `${significant(value / factor, digits)} ${name}`;
};
const timeText = prefixed([[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]]);
const energyText = prefixed([[1e-6, "µJ"], [1e-3, "mJ"], [1, "J"], [1e3, "kJ"]]);
const rateText = prefixed([[1, ""], [1e3, "K"], [1e6, "M"], [1e9, "G"], [1e12, "T"]]);
const binaryText = prefixed([[1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"]]);

/** How a value of each unit is written; a unit without an entry stands behind a plain number. */
const writers = {
  "": plain,
  ns: (value, digits = 4) => (value === 0 ? "0 ns" : timeText(value, digits)),
  ms: (value, digits = 4) => (value === 0 ? "0 ms" : timeText(value * 1e6, digits)),
  J: (value, digits = 4) => (value === 0 ? "0 J" : energyText(value, digits)),
  bytes: (value) => (Math.abs(value) < 1024 ? `${plain(value)} B` : binaryText(value, 3).replace(/\.0+ /, " ")),
  share: (value) => `${significant(100 * value, value < 0.1 ? 2 : 3).replace(/\.0+$/, "")} %`,
  "×": (value) => `${value < 10 ? value.toFixed(2) : significant(value, 2)}×`,
  "op/s": (value) => `${rateText(value, 3)}op/s`,
  "op/B": (value) => `${significant(value, 3)} op/B`,
};

/** `digits`: significant ones of a time, where neighbours would read alike with fewer. */
export function withUnit(value, unit = "", digits = undefined) {
  if (!Number.isFinite(value)) return "–";
  const write = writers[unit];
  return write ? write(value, digits) : `${plain(value)} ${unit}`;
}

/** `1.083× (1.071–1.095)`. */
export function interval(ratio, low, high) {
  return `${significant(ratio)}× (${significant(low)}–${significant(high)})`;
}

export function counted(count, one, many = one + "s") {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A value of JSON as text: `32×8×1`, `yes`, `row`. */
export function valueText(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.map(valueText).join(value.every((v) => typeof v === "number") ? "×" : ", ");
  return String(value);
}

/**
 * An element. What `properties` holds is set as a property where the element has one, else as an attribute;
 * `on…` are listeners. Children are elements or text, never markup.
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !name.startsWith("aria")) made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A text that a click copies. */
export function copyable(text, what) {
  const button = element("button", { className: "copy", type: "button", title: `Copy ${what}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // a page from disk may not be allowed to
      const range = document.createRange();
      range.selectNodeContents(button.previousElementSibling);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return element("div", { className: "code" }, element("pre", { tabIndex: 0, "aria-label": what }, text), button);
}

/** A labelled select; `options`: [value, text] pairs, or {label, options} for a group. */
export function chooser(label, options, value, changed) {
  const option = ([each, text]) => element("option", { value: each, selected: each === value }, text);
  const select = element(
    "select",
    { onchange: () => changed(select.value) },
    options.map((each) =>
      Array.isArray(each) ? option(each) : element("optgroup", { label: each.label }, each.options.map(option))),
  );
  return element("label", { className: "chooser" }, element("span", {}, label), select);
}
