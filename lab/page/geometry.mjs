// geometry.mjs - converts the core's drawing of height 1 to pixels: positions of nodes, bends of links, and the part at a given
// point.
const SAMPLES = 8; // points on a bent link that measure the distance to it

export class Geometry {
  // `core` with an open scene, `box`: { width, height } in CSS pixels.
  constructor(core, box) {
    this.core = core;
    this.zoom = 1;
    this.shift = [0, 0];
    this.spacing = spacingOf(core);
    this.resize(box);
  }

  resize({ width, height }) {
    const margin = Math.min(28, width / 14);
    this.box = { width, height };
    this.fit = Math.min((width - 2 * margin) / this.core.width, height - 2 * margin);
    this.place();
  }

  // Computes the pixels of all nodes, and the sizes that depend on the distance between nodes.
  place() {
    const { place } = this.core.arrays();
    const scale = this.fit * this.zoom;
    const left = (this.box.width - this.core.width * scale) / 2 + this.shift[0];
    const top = (this.box.height - scale) / 2 + this.shift[1];
    this.x = new Float32Array(this.core.nodes);
    this.y = new Float32Array(this.core.nodes);
    for (let v = 0; v < this.core.nodes; v++) {
      this.x[v] = left + place[2 * v] * scale;
      this.y[v] = top + place[2 * v + 1] * scale;
    }
    this.radius = clamp(this.spacing * scale * 0.22, 1.5, 11);
    this.lane = this.radius > 3 ? Math.min(this.radius / 2.5, 3) : 0; // between the two directions of a link
  }

  // Zooms by a factor round a place that stays where it is.
  zoomAt(factor, x, y) {
    const zoom = clamp(this.zoom * factor, 1, 40);
    const change = zoom / this.zoom;
    const centre = [this.box.width / 2, this.box.height / 2];
    this.shift = this.shift.map((s, i) => ([x, y][i] - centre[i]) * (1 - change) + s * change);
    if (zoom === 1) this.shift = [0, 0];
    this.zoom = zoom;
    this.place();
  }

  move(dx, dy) {
    this.shift = [this.shift[0] + dx, this.shift[1] + dy];
    this.place();
  }

  // The curve from node a to node b: its ends, its control point, and the offset to the right for moving packets.
  curve(link, side, out) {
    const { linkNode, bend } = this.core.arrays();
    const a = linkNode[2 * link + side];
    const b = linkNode[2 * link + 1 - side];
    const dx = this.x[b] - this.x[a];
    const dy = this.y[b] - this.y[a];
    const length = Math.hypot(dx, dy) || 1;
    const bow = (side ? -1 : 1) * bend[link] * 2; // a curve comes half as far as the point that it is drawn to
    out.length = length;
    out.x0 = this.x[a];
    out.y0 = this.y[a];
    out.x2 = this.x[b];
    out.y2 = this.y[b];
    out.x1 = (out.x0 + out.x2) / 2 + dy * bow;
    out.y1 = (out.y0 + out.y2) / 2 - dx * bow;
    out.rightX = (-dy / length) * this.lane;
    out.rightY = (dx / length) * this.lane;
    return out;
  }

  // The link or switch at a place: { link } or { node }, or nothing within reach.
  at(x, y, reach) {
    const { nodes, ends, links } = this.core;
    for (let node = ends; node < nodes; node++)
      if (Math.hypot(this.x[node] - x, this.y[node] - y) <= this.radius + 1) return { node };
    let best = { distance: reach };
    const c = {};
    for (let link = 0; link < links; link++) {
      const distance = distanceTo(this.curve(link, 0, c), x, y);
      if (distance < best.distance) best = { link, distance };
    }
    return best.link === undefined ? undefined : { link: best.link };
  }

  middle(link) {
    return pointOn(this.curve(link, 0, {}), 0.5, {});
  }
}

export function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}

// The point of a curve at t from 0 to 1.
export function pointOn(c, t, out) {
  const s = 1 - t;
  out.x = s * s * c.x0 + 2 * s * t * c.x1 + t * t * c.x2;
  out.y = s * s * c.y0 + 2 * s * t * c.y1 + t * t * c.y2;
  return out;
}

function distanceToPiece(ax, ay, bx, by, x, y) {
  const dx = bx - ax;
  const dy = by - ay;
  const t = clamp(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1), 0, 1);
  return Math.hypot(ax + t * dx - x, ay + t * dy - y);
}

function distanceTo(c, x, y) {
  let least = Infinity;
  let before = pointOn(c, 0, {});
  for (let i = 1; i <= SAMPLES; i++) {
    const next = pointOn(c, i / SAMPLES, {});
    least = Math.min(least, distanceToPiece(before.x, before.y, next.x, next.y, x, y));
    before = next;
  }
  return least;
}

// How far apart nodes are that stand closest: of a few hundred, since fabrics are regular.
function spacingOf(core) {
  const { place } = core.arrays();
  const every = Math.ceil(core.nodes / 400);
  const nearest = [];
  for (let a = 0; a < core.nodes; a += every) {
    let least = Infinity;
    for (let b = 0; b < core.nodes; b++) {
      if (a === b) continue;
      least = Math.min(least, Math.hypot(place[2 * a] - place[2 * b], place[2 * a + 1] - place[2 * b + 1]));
    }
    nearest.push(least);
  }
  nearest.sort((a, b) => a - b);
  return nearest[nearest.length >> 2] ?? 1;
}
