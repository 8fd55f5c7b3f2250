// Points of a chart, drawn pixel by pixel, so that a hundred thousand of them are filtered as fast as they are drawn.

/** 0xbbggrr. */
export const packed = ([r, g, b]) => (b << 16) | (g << 8) | r;

/** Places on a chart that many points take, and a picture of them: all faded, and those that pass in colour. */
export class PointLayer {
  /** `xOf(i)`, `yOf(i)`: axis values of point i, NaN where it has none. */
  constructor(count, xOf, yOf) {
    Object.assign(this, { count, xOf, yOf, canvas: document.createElement("canvas") });
  }

  /** Where the points lie in today's plot. */
  measure(u) {
    const { width, height } = u.bbox;
    const key = `${width},${height}`;
    if (this.key === key) return;
    this.key = key;
    Object.assign(this.canvas, { width, height });
    this.px = new Float32Array(this.count).fill(NaN);
    this.py = new Float32Array(this.count).fill(NaN);
    const { left, top } = u.bbox;
    for (let i = 0; i < this.count; ++i) {
      const x = this.xOf(i), y = this.yOf(i);
      if (x !== x || y !== y) continue;
      this.px[i] = u.valToPos(x, "x", true) - left;
      this.py[i] = u.valToPos(y, "y", true) - top;
    }
    const ctx = this.canvas.getContext("2d", { willReadFrequently: true });
    this.image = ctx.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.faded = null;
  }

  /** A disc with a soft edge, smaller the more there are: offsets and how much of each pixel it covers, of 256. */
  makeDot(count) {
    const radius = devicePixelRatio * (count < 1500 ? 3 : count < 8000 ? 2.3 : count < 40000 ? 1.7 : 1.1);
    this.dot = [];
    const reach = Math.ceil(radius);
    for (let y = -reach; y <= reach; ++y) {
      for (let x = -reach; x <= reach; ++x) {
        const cover = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(x, y)));
        if (cover > 0.05) this.dot.push([x, y, Math.round(cover * 215)]);
      }
    }
  }

  /** `colours[i]`: 0xbbggrr of each point; `paper`, `grey`: of the same form. */
  draw(u, ctx, { fails, passing }, colours, paper, grey) {
    this.measure(u);
    const { pixels } = this;
    if (!this.faded || this.greyOf !== grey) {
      this.makeDot(this.count);
      pixels.fill(paper);  // transparent, so that the grid is seen between the points
      for (let i = 0; i < this.count; ++i) this.splat(i, grey);
      this.faded = pixels.slice();
      this.greyOf = grey;
    }
    pixels.set(this.faded);
    this.makeDot(passing);
    for (let i = 0; i < this.count; ++i) if (fails[i] === 0) this.splat(i, colours[i]);
    this.canvas.getContext("2d").putImageData(this.image, 0, 0);
    ctx.drawImage(this.canvas, u.bbox.left, u.bbox.top);
  }

  splat(i, colour) {
    const x = Math.round(this.px[i]), y = Math.round(this.py[i]);
    if (x !== x || y !== y) return;
    const { width, height } = this.canvas;
    const { pixels, dot } = this;
    const r = colour & 255, g = (colour >> 8) & 255, b = (colour >> 16) & 255;
    for (let k = 0; k < dot.length; ++k) {
      const at = dot[k];
      const px = x + at[0], py = y + at[1];
      if (px < 0 || py < 0 || px >= width || py >= height) continue;
      const place = py * width + px;
      const old = pixels[place];
      const a = at[2];
      const or = old & 255, og = (old >> 8) & 255, ob = (old >> 16) & 255;
      pixels[place] = 0xff000000 | ((ob + (((b - ob) * a) >> 8)) << 16) | ((og + (((g - og) * a) >> 8)) << 8) | (or + (((r - or) * a) >> 8));
    }
  }

  /** The point that passes and lies nearest, in CSS pixels of the plot; null: none within reach. */
  nearest(left, top, fails, reach = 12) {
    if (!this.px) return null;
    const x = left * devicePixelRatio, y = top * devicePixelRatio;
    let best = (reach * devicePixelRatio) ** 2, found = null;
    for (let i = 0; i < this.count; ++i) {
      if (fails[i] !== 0) continue;
      const distance = (this.px[i] - x) ** 2 + (this.py[i] - y) ** 2;
      if (distance < best) [best, found] = [distance, i];
    }
    return found;
  }

  /** A ring around a point. */
  ring(u, ctx, i, colour, radius = 6) {
    if (!this.px || this.px[i] !== this.px[i]) return;
    ctx.save();
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.strokeStyle = colour;
    ctx.beginPath();
    ctx.arc(this.px[i] + u.bbox.left, this.py[i] + u.bbox.top, radius * devicePixelRatio, 0, 2 * Math.PI);
    ctx.stroke();
    ctx.restore();
  }
}
