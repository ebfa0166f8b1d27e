// draw.mjs - paints the fabric on its canvas. Links, switches and the use of links change seldom: they are painted on a second
// canvas and copied. Moving packets are painted at every repaint, those of one kind as one path, so thousands of queues take a
// few milliseconds.
//
// Kinds differ in shape as well as in colour.
import { LINK, MOVING, NODE } from './core.mjs';
import { clamp, Geometry, pointOn } from './geometry.mjs';

const HEAT = ['--heat-0', '--heat-1', '--heat-2', '--heat-3', '--heat-4'];
const NAMES = ['--paper', '--ink', '--soft', '--line', '--packet', '--detour', '--lost', '--message', '--full', '--lit', '--held'];
const GLOW_SECONDS = 0.9;
const STALE_SECONDS = 0.4; // the second canvas is painted again after this time,
const STALE_COSTS = 40; // or this many times the duration of the last painting, if that is longer
const FORGET_CYCLES = 300; // time constant of the average use of links

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = canvas.getContext('2d');
    this.still = document.createElement('canvas');
    this.stillCtx = this.still.getContext('2d');
    this.patience = STALE_SECONDS;
    this.curve = {};
    this.point = {};
    this.readColours();
  }

  readColours() {
    const style = getComputedStyle(this.canvas);
    this.colour = Object.fromEntries([...NAMES, ...HEAT].map((name) => [name.slice(2), style.getPropertyValue(name)]));
    this.stale = true;
  }

  setScene(core) {
    this.core = core;
    this.geometry = new Geometry(core, this.size());
    this.use = new Float32Array(core.ports);
    this.glow = new Float32Array(core.nodes);
    this.lit = undefined;
    this.hover = undefined;
    this.lookedAt = 0;
    this.stale = true;
  }

  size() {
    return { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
  }

  resize() {
    const { width, height } = this.size();
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    for (const canvas of [this.canvas, this.still]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
    }
    this.geometry?.resize({ width, height });
    this.stale = true;
  }

  // True if something has changed while no packet moves.
  get isWanted() {
    return this.stale || this.touched || this.glow.some((glow) => glow > 0);
  }

  setHover(part) {
    this.touched ||= this.hover?.link !== part?.link || this.hover?.node !== part?.node;
    this.hover = part;
  }

  // Marks the ports and links of a result: { ports, links }, as flags; undefined: none.
  setLit(lit) {
    this.lit = lit;
    this.stale = true;
  }

  // Records the flits that links carried since the last call, and the switches that have new candidates.
  note(arrays, now, seconds) {
    const cycles = now - this.lookedAt;
    this.lookedAt = now;
    for (let v = 0; v < this.glow.length; v++) if (this.glow[v] > 0) this.glow[v] -= seconds / GLOW_SECONDS;
    if (cycles <= 0) return;
    const share = Math.min(1, cycles / FORGET_CYCLES);
    const { flits, age } = arrays;
    for (let port = 0; port < flits.length; port++) this.use[port] += (flits[port] / cycles - this.use[port]) * share;
    for (let v = 0; v < age.length; v++) if (age[v] <= cycles) this.glow[v] = 1;
  }

  // `ahead`: the fraction of a cycle that has gone by since the arrays were filled.
  paint(arrays, ahead, seconds) {
    this.age = (this.age ?? 0) + seconds;
    this.touched = false;
    if (this.stale || this.age > this.patience) this.paintStill(arrays);
    const { ctx } = this;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    ctx.drawImage(this.still, 0, 0);
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    this.paintStuck(ctx, arrays);
    this.paintQueues(ctx, arrays);
    this.paintMoving(ctx, arrays, ahead);
    this.paintNodes(ctx, arrays);
    this.paintHover(ctx);
  }

  // ---- static parts

  trace(ctx, link) {
    const c = this.geometry.curve(link, 0, this.curve);
    ctx.moveTo(c.x0, c.y0);
    ctx.quadraticCurveTo(c.x1, c.y1, c.x2, c.y2);
  }

  strokeLinks(ctx, wanted, colour, width, dash = []) {
    ctx.beginPath();
    for (let link = 0; link < this.core.links; link++) if (wanted(link)) this.trace(ctx, link);
    ctx.setLineDash(dash);
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.stroke();
    ctx.setLineDash([]);
  }

  paintStill(arrays) {
    const ctx = this.stillCtx;
    const { linkState, linkPort } = arrays;
    const begun = performance.now();
    this.age = 0;
    this.stale = false;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.still.width, this.still.height);
    const heat = (link) => {
      const use = Math.max(this.use[linkPort[2 * link]], this.use[linkPort[2 * link + 1]]);
      return Math.min(HEAT.length - 1, Math.floor(use * HEAT.length));
    };
    const width = clamp(this.geometry.radius / 5, 0.6, 1.8);
    HEAT.forEach((name, i) =>
      this.strokeLinks(ctx, (link) => linkState[link] === LINK.UP && heat(link) === i, this.colour[name.slice(2)], width * (1 + i / 4)),
    );
    this.strokeLinks(ctx, (link) => linkState[link] === LINK.SLOW, this.colour.detour, width * 1.8, [2, 3]);
    this.strokeLinks(ctx, (link) => linkState[link] === LINK.DEAD, this.colour.lost, width * 1.2, [5, 5]);
    this.paintCrosses(ctx, linkState);
    if (this.lit) this.paintLit(ctx, arrays, width);
    this.paintPlaces(ctx, arrays);
    this.patience = Math.max(STALE_SECONDS, (STALE_COSTS * (performance.now() - begun)) / 1000);
  }

  cross(ctx, x, y, r) {
    ctx.moveTo(x - r, y - r);
    ctx.lineTo(x + r, y + r);
    ctx.moveTo(x + r, y - r);
    ctx.lineTo(x - r, y + r);
  }

  paintCrosses(ctx, linkState) {
    ctx.beginPath();
    for (let link = 0; link < this.core.links; link++) {
      if (linkState[link] !== LINK.DEAD) continue;
      const { x, y } = this.geometry.middle(link);
      this.cross(ctx, x, y, 5);
    }
    ctx.strokeStyle = this.colour.lost;
    ctx.lineWidth = 2.5;
    ctx.stroke();
  }

  paintLit(ctx, { linkPort }, width) {
    const { ports, links } = this.lit;
    const wanted = (link) => links[link] || ports[linkPort[2 * link]] || ports[linkPort[2 * link + 1]];
    ctx.globalAlpha = 0.55;
    this.strokeLinks(ctx, wanted, this.colour.lit, width + 5);
    ctx.globalAlpha = 1;
  }

  // Switches are squares, end nodes discs.
  paintPlaces(ctx, { nodeState }) {
    const { x, y, radius } = this.geometry;
    const { ends, nodes } = this.core;
    ctx.beginPath();
    for (let v = ends; v < nodes; v++) ctx.rect(x[v] - radius, y[v] - radius, 2 * radius, 2 * radius);
    ctx.fillStyle = this.colour.paper;
    ctx.strokeStyle = this.colour.ink;
    ctx.lineWidth = clamp(radius / 4, 0.6, 1.6);
    ctx.fill();
    ctx.stroke();
    ctx.beginPath();
    for (let v = 0; v < ends; v++) circle(ctx, x[v], y[v], radius * 0.55);
    ctx.fill();
    ctx.strokeStyle = this.colour.soft;
    ctx.stroke();
    ctx.beginPath();
    for (let v = 0; v < nodes; v++) if (nodeState[v] === NODE.DEAD) this.cross(ctx, x[v], y[v], radius * 1.2);
    ctx.strokeStyle = this.colour.lost;
    ctx.lineWidth = 2.5;
    ctx.stroke();
  }

  // ---- moving parts

  // The point of the link's direction `side` at t from 0 to 1, moved to the right.
  at(link, side, t) {
    const c = this.geometry.curve(link, side, this.curve);
    const p = pointOn(c, t, this.point);
    p.x += c.rightX;
    p.y += c.rightY;
    return p;
  }

  // Adds `shape` for each moving packet or message of a kind to the path.
  pathOf(ctx, kind, arrays, ahead, shape) {
    const { moving, from, step, linkPort } = arrays;
    ctx.beginPath();
    for (let i = 0; i < linkPort.length; i++) {
      const port = linkPort[i];
      if (moving[port] !== kind) continue;
      const { x, y } = this.at(i >> 1, i & 1, clamp(from[port] + step[port] * ahead, 0, 1));
      shape(x, y);
    }
  }

  paintMoving(ctx, arrays, ahead) {
    const r = clamp(this.geometry.radius * 0.5, 1.4, 4.5);
    const square = (x, y) => ctx.rect(x - r, y - r, 2 * r, 2 * r);
    const dot = r > 2 ? (x, y) => circle(ctx, x, y, r) : square;
    const diamond = (x, y) => {
      ctx.moveTo(x, y - 1.7 * r);
      ctx.lineTo(x + 1.7 * r, y);
      ctx.lineTo(x, y + 1.7 * r);
      ctx.lineTo(x - 1.7 * r, y);
      ctx.closePath();
    };
    this.pathOf(ctx, MOVING.PACKET, arrays, ahead, dot);
    ctx.fillStyle = this.colour.packet;
    ctx.fill();
    this.pathOf(ctx, MOVING.DETOUR, arrays, ahead, diamond);
    ctx.fillStyle = this.colour.detour;
    ctx.fill();
    this.pathOf(ctx, MOVING.MESSAGE, arrays, ahead, (x, y) => circle(ctx, x, y, 1.4 * r));
    ctx.strokeStyle = this.colour.message;
    ctx.lineWidth = 2;
    ctx.stroke();
  }

  // Bars beside the end of a link: how full the queues are that it leads into. Full ones have a colour of their own.
  paintQueues(ctx, { fill, linkPort }) {
    if (this.geometry.lane === 0) return;
    ctx.lineWidth = clamp(this.geometry.radius / 3, 1.5, 3);
    for (const full of [false, true]) {
      ctx.beginPath();
      for (let i = 0; i < linkPort.length; i++) {
        const share = fill[linkPort[i ^ 1]];
        if (share <= 0 || share >= 0.999 !== full) continue;
        this.bar(ctx, i >> 1, i & 1, share);
      }
      ctx.strokeStyle = full ? this.colour.full : this.colour.packet;
      ctx.globalAlpha = full ? 0.9 : 0.5;
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }

  bar(ctx, link, side, share) {
    const c = this.geometry.curve(link, side, this.curve);
    const end = Math.max(0.55, 1 - (this.geometry.radius + 2) / c.length);
    const begin = end - Math.min(0.3, 26 / c.length) * share;
    const a = pointOn(c, end, this.point);
    ctx.moveTo(a.x + 2 * c.rightX, a.y + 2 * c.rightY);
    const b = pointOn(c, begin, this.point);
    ctx.lineTo(b.x + 2 * c.rightX, b.y + 2 * c.rightY);
  }

  // The queues of a deadlock.
  paintStuck(ctx, { stuck, linkPort }) {
    ctx.globalAlpha = 0.45;
    this.strokeLinks(ctx, (link) => stuck[linkPort[2 * link]] || stuck[linkPort[2 * link + 1]], this.colour.full, 7);
    ctx.globalAlpha = 1;
  }

  // Switches with new candidates, switches that hold packets, and end nodes with waiting packets.
  paintNodes(ctx, { nodeState, fill }) {
    const { x, y, radius } = this.geometry;
    ctx.strokeStyle = this.colour.message;
    for (let v = 0; v < this.core.nodes; v++) {
      if (this.glow[v] <= 0) continue;
      ctx.globalAlpha = Math.min(1, this.glow[v]);
      ctx.lineWidth = 3;
      ctx.strokeRect(x[v] - radius - 2, y[v] - radius - 2, 2 * radius + 4, 2 * radius + 4);
    }
    ctx.globalAlpha = 1;
    ctx.beginPath();
    for (let v = this.core.ends; v < this.core.nodes; v++)
      if (nodeState[v] === NODE.HOLDS) ctx.rect(x[v] - radius / 2, y[v] - radius / 2, radius, radius);
    ctx.fillStyle = this.colour.held;
    ctx.fill();
    ctx.beginPath();
    for (let v = 0; v < this.core.ends; v++) if (fill[v] > 0) circle(ctx, x[v], y[v], radius * 0.4);
    ctx.fillStyle = this.colour.soft;
    ctx.fill();
  }

  paintHover(ctx) {
    if (!this.hover) return;
    ctx.strokeStyle = this.colour.ink;
    ctx.lineWidth = 3;
    ctx.beginPath();
    if (this.hover.link !== undefined) this.trace(ctx, this.hover.link);
    else {
      const { x, y, radius } = this.geometry;
      ctx.rect(x[this.hover.node] - radius - 3, y[this.hover.node] - radius - 3, 2 * radius + 6, 2 * radius + 6);
    }
    ctx.stroke();
  }
}

function circle(ctx, x, y, r) {
  ctx.moveTo(x + r, y);
  ctx.arc(x, y, r, 0, 2 * Math.PI);
}
