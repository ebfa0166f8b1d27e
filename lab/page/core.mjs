// core.mjs - the core (lab/scene.h) as JavaScript sees it: settings in, arrays and numbers out, errors as exceptions.
// The same for the page, its worker, and the tests under node.

// lab_array_kind in scene.h, in its order: name, type, how many, for each of what.
const ARRAYS = [
  ['place', Float32Array, 2, 'nodes'],
  ['linkNode', Uint32Array, 2, 'links'],
  ['linkPort', Uint32Array, 2, 'links'],
  ['bend', Float32Array, 1, 'links'],
  ['linkState', Uint8Array, 1, 'links'],
  ['nodeState', Uint8Array, 1, 'nodes'],
  ['age', Float32Array, 1, 'nodes'],
  ['moving', Uint8Array, 1, 'ports'],
  ['from', Float32Array, 1, 'ports'],
  ['step', Float32Array, 1, 'ports'],
  ['target', Uint32Array, 1, 'ports'],
  ['fill', Float32Array, 1, 'ports'],
  ['flits', Float32Array, 1, 'ports'],
  ['stuck', Uint8Array, 1, 'ports'],
  ['litPort', Uint8Array, 1, 'ports'],
  ['litLink', Uint8Array, 1, 'links'],
];
const SERIES = 4; // doubles of a point of the time series

export const LINK = { UP: 0, DEAD: 1, SLOW: 2 };
export const NODE = { UP: 0, DEAD: 1, HOLDS: 2 };
export const MOVING = { NOTHING: 0, PACKET: 1, DETOUR: 2, MESSAGE: 3 };
export const CHANGE = { BREAK: 0, SLOW: 1, REPAIR: 2 };
export const ACCOUNT = ['generated', 'delivered', 'in flight', 'waiting', 'lost'];

export class Core {
  // `module`: what the function that emcc has made promises.
  constructor(module) {
    this.module = module;
  }

  text() {
    return this.module.UTF8ToString(this.module._lab_text());
  }

  check(status) {
    if (status) throw new Error(this.text());
  }

  // Hands a text over for one call.
  giving(text, call) {
    const at = this.module.allocateUTF8(text);
    try {
      return call(at);
    } finally {
      this.module._free(at);
    }
  }

  // Settings: { fabric, method, load, ..., 'measure.cycles': 20000 }; what is empty is not given.
  open(settings) {
    const lines = Object.entries(settings).filter(([, value]) => value !== '' && value !== undefined);
    this.views = undefined;
    this.isOpen = false;
    const text = lines.map(([key, value]) => `${key}=${String(value).replaceAll('\n', ' ')}`).join('\n');
    this.check(this.giving(text, (at) => this.module._lab_open(at)));
    this.isOpen = true;
    this.nodes = this.module._lab_nodes();
    this.ends = this.module._lab_ends();
    this.links = this.module._lab_links();
    this.ports = this.module._lab_ports();
    this.width = this.module._lab_width();
    this.window = this.module._lab_series_window();
  }

  // All arrays, by name. They are views of the core's memory, good until its next call.
  arrays() {
    const { buffer } = this.module.HEAPU8;
    if (this.views?.buffer === buffer) return this.views;
    this.views = { buffer };
    ARRAYS.forEach(([name, Type, count, what], kind) => {
      this.views[name] = new Type(buffer, this.module._lab_array(kind), count * this[what]);
    });
    return this.views;
  }

  look() {
    this.module._lab_look();
    return this.arrays();
  }

  run(until) {
    this.check(this.module._lab_run(until));
  }

  get now() {
    return this.module._lab_now();
  }

  get ended() {
    return Boolean(this.module._lab_ended());
  }

  get deadlocked() {
    return Boolean(this.module._lab_deadlocked());
  }

  checkChange(status) {
    this.isOpen = Boolean(this.module._lab_is_open());
    this.check(status);
  }

  changeLink(link, kind) {
    this.checkChange(this.module._lab_change_link(link, kind));
  }

  changeSwitch(node, kind) {
    this.checkChange(this.module._lab_change_switch(node, kind));
  }

  // Returns a schedule: "0/2.1/3@5000 0/2.1/3+@9000".
  changes() {
    this.module._lab_changes();
    return this.text();
  }

  // True if the faults of the settings were a schedule or a rule; changes() then contains them.
  get scheduled() {
    return Boolean(this.module._lab_scheduled());
  }

  // { link } or, of "switch:NAME", { node }.
  part(name) {
    const at = this.giving(name, (text) => this.module._lab_find_part(text));
    this.check(at < 0);
    return at < this.links ? { link: at } : { node: at - this.links };
  }

  linkName(link) {
    this.module._lab_link_name(link);
    return this.text();
  }

  nodeName(node) {
    this.module._lab_node_name(node);
    return this.text();
  }

  fabricName() {
    this.module._lab_fabric_name();
    return this.text();
  }

  // Verdict, account and all values, by the names of `ripstop simulate --json`.
  numbers() {
    this.check(this.module._lab_numbers());
    return JSON.parse(this.text());
  }

  account() {
    return ACCOUNT.map((_, which) => this.module._lab_account(which));
  }

  // Points [cycle, throughput, latency, lost] one after the other.
  series() {
    const points = this.module._lab_series();
    return new Float64Array(this.module.HEAPU8.buffer, this.module._lab_series_data(), points * SERIES);
  }

  // The names of a kind (families, methods, ...): [{ name, summary, example }].
  words(kind) {
    this.giving(kind, (at) => this.module._lab_words(at));
    const lines = this.text().split('\n').filter(Boolean);
    return lines.map((line) => line.split('\t')).map(([name, summary, example]) => ({ name, summary, example }));
  }

  // The methods, and why one does not serve this fabric: [{ name, why }].
  methods() {
    this.check(this.module._lab_methods());
    const lines = this.text().split('\n').filter(Boolean);
    return lines.map((line) => line.split('\t')).map(([name, why]) => ({ name, why }));
  }

  prove(cycle) {
    this.check(this.module._lab_prove(cycle));
    return this.text();
  }

  defeat(sets) {
    this.check(this.module._lab_defeat(sets));
    return this.text();
  }
}
