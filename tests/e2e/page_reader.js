// A reader's hands and eyes. The test appends this and one of the scripts beside it to a page, and runs it in a browser.

const failed = [];
addEventListener("error", (event) => failed.push(`script error: ${event.message}`));
addEventListener("unhandledrejection", (event) => failed.push(`rejected: ${event.reason}`));
for (const kind of ["error", "warn"]) console[kind] = (...said) => failed.push(`console.${kind}: ${said.join(" ")}`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const frame = () => new Promise(requestAnimationFrame);
/** Until all that follows from an act is drawn. */
const settled = async () => {
  await pause(200);
  await frame();
  await frame();
  await pause(200);
};
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const text = (selector) => document.querySelector(selector)?.textContent ?? "";
const check = (is, what) => { if (!is) failed.push(what); };
const passing = () => Number(text(".filters b").split(" of ")[0].replaceAll(",", ""));
const byText = (selector, wanted, root = document) => all(selector, root).find((each) => each.textContent.trim() === wanted);
const choose = async (label, value) => {
  const select = all(".chooser").find((each) => each.querySelector("span").textContent === label).querySelector("select");
  select.value = value;
  select.dispatchEvent(new Event("change"));
  await settled();
};
/** Presses, moves and lets go, at shares of a chart's width and height, a step a frame. */
const drag = async (plot, from, to, steps = 3) => {
  plot.scrollIntoView({ block: "center" });
  await settled();
  const over = plot.querySelector(".u-over");
  const box = over.getBoundingClientRect();
  const event = (type, [x, y]) => new MouseEvent(type, { bubbles: true, button: 0, buttons: 1, movementX: 1, movementY: 1,
    clientX: box.left + x * box.width, clientY: box.top + y * box.height });
  over.dispatchEvent(event("mouseenter", from));
  over.dispatchEvent(event("mousemove", from));
  over.dispatchEvent(event("mousedown", from));
  for (let step = 1; step <= steps; ++step) {
    const place = from.map((value, i) => value + (step / steps) * (to[i] - value));
    over.dispatchEvent(event("mousemove", place));
    document.dispatchEvent(event("mousemove", place));
    await frame();
  }
  document.dispatchEvent(event("mouseup", to));
  await settled();
};
const say = (outcome) => console.log("outcome: " + JSON.stringify(outcome));
/** Does one act after the other, and says how many were as they must be. */
const perform = async (acts) => {
  const done = [];
  for (const [name, act] of Object.entries(acts)) {
    const before = failed.length;
    try {
      await act();
    } catch (error) {
      failed.push(String(error));
    }
    if (failed.length === before) done.push(name);
    else failed.splice(before, 0, `${name}:`);
  }
  say({ done: done.length, failed, of: Object.keys(acts).length });
};
