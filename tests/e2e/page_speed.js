// How soon a page can be used, and how long its frames are while a rectangle grows over all points.

const ready = performance.getEntriesByName("ready")[0].startTime;
const of = passing();
const plot = document.querySelector(".explore .plot");
plot.scrollIntoView({ block: "center" });
await settled();
const frames = [];
let last = performance.now(), isDragging = true;
const tick = (now) => {
  frames.push(now - last);
  last = now;
  if (isDragging) requestAnimationFrame(tick);
};
requestAnimationFrame(tick);
await drag(plot, [0.02, 0.02], [0.7, 0.98], 120);
isDragging = false;
frames.sort((a, b) => a - b);
say({ failed, ready, of, kept: passing(), frame: frames[frames.length >> 1], slowest: frames[Math.floor(0.95 * frames.length)] });
