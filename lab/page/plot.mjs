// plot.mjs - throughput and latency while it runs, one above the other, with a mark for each fault and repair.
const POINT = 4; // numbers of a point: cycle, throughput, latency, lost
const LEFT = 46;
const BOTTOM = 18;
const GAP = 16;

export class Plot {
  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = canvas.getContext('2d');
    this.readColours();
  }

  readColours() {
    const style = getComputedStyle(this.canvas);
    const names = ['ink', 'soft', 'line', 'packet', 'detour', 'lost', 'good'];
    this.colour = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`)]));
  }

  resize() {
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(this.canvas.clientWidth * this.ratio);
    this.canvas.height = Math.round(this.canvas.clientHeight * this.ratio);
  }

  // `marks`: [{ cycle, kind }]. The last point is not over yet and left out.
  paint(series, window, now, marks) {
    const { ctx } = this;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    const points = Math.max(0, Math.min(series.length / POINT, Math.floor(now / window)));
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    const each = (height - BOTTOM - 2 * GAP) / 2;
    const scale = { left: LEFT, width: width - LEFT - 8, cycles: Math.max(now, 20 * window) };
    this.panel(series, points, { top: GAP, height: each, ...scale }, 1, 'flits a node and cycle', this.colour.packet);
    this.panel(series, points, { top: 2 * GAP + each, height: each, ...scale }, 2, 'latency in cycles', this.colour.detour);
    this.marks(marks, now, scale, height);
    this.axis(scale, height);
    return points;
  }

  panel(series, points, box, which, title, colour) {
    const { ctx } = this;
    let most = 0;
    for (let i = 0; i < points; i++) if (series[POINT * i + which] > most) most = series[POINT * i + which];
    most = roundUp(most);
    ctx.font = '11px system-ui, sans-serif';
    ctx.fillStyle = this.colour.soft;
    ctx.textAlign = 'left';
    ctx.fillText(title, box.left, box.top - 4);
    ctx.textAlign = 'right';
    ctx.fillText(String(most), box.left - 5, box.top + 9);
    ctx.fillText('0', box.left - 5, box.top + box.height);
    ctx.strokeStyle = this.colour.line;
    ctx.lineWidth = 1;
    ctx.strokeRect(box.left, box.top, box.width, box.height);
    ctx.beginPath();
    this.curve(series, points, box, which, most);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.6;
    ctx.stroke();
  }

  // One point per pixel at most: the mean of the values that fall on it. No line where no packet arrived.
  curve(series, points, box, which, most) {
    const { ctx } = this;
    const each = Math.max(1, Math.ceil(points / box.width));
    let pen = false;
    for (let i = 0; i < points; i += each) {
      let sum = 0;
      let count = 0;
      for (let k = i; k < Math.min(points, i + each); k++) {
        const value = series[POINT * k + which];
        if (Number.isNaN(value)) continue;
        sum += value;
        count++;
      }
      const last = Math.min(points, i + each) - 1;
      const cycle = (series[POINT * i] + series[POINT * last]) / 2;
      const x = box.left + (cycle / box.cycles) * box.width;
      const y = box.top + box.height * (1 - sum / count / most);
      if (count && pen) ctx.lineTo(x, y);
      else if (count) ctx.moveTo(x, y);
      pen = count > 0;
    }
  }

  // A line through both, with a cross for a fault, a dot for a slow link and a ring for a repair.
  marks(marks, now, scale, height) {
    const { ctx } = this;
    for (const { cycle, kind } of marks) {
      if (cycle > now) continue;
      const x = scale.left + (cycle / scale.cycles) * scale.width;
      ctx.strokeStyle = kind === 'repaired' ? this.colour.good : kind === 'slow' ? this.colour.detour : this.colour.lost;
      ctx.lineWidth = 1;
      ctx.setLineDash(kind === 'repaired' ? [2, 3] : []);
      ctx.beginPath();
      ctx.moveTo(x, GAP);
      ctx.lineTo(x, height - BOTTOM);
      ctx.stroke();
      ctx.setLineDash([]);
    }
  }

  axis(scale, height) {
    const { ctx } = this;
    ctx.fillStyle = this.colour.soft;
    ctx.textAlign = 'left';
    ctx.fillText('0', scale.left, height - 5);
    ctx.textAlign = 'right';
    ctx.fillText(`cycle ${Math.round(scale.cycles).toLocaleString('en')}`, scale.left + scale.width, height - 5);
  }
}

// 1, 2 or 5 times a power of ten.
export function roundUp(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((s) => s * power >= value * 0.9999);
  return Number((step * power).toPrecision(3));
}
