// main.mjs - the page: input, output, and timing. The simulation runs here between two repaints of the browser, for a limited
// time each; proofs run in a worker (ask.mjs). Uses the global ripstop_core, which emcc makes.
import { ACCOUNT, CHANGE, Core, LINK, NODE } from './core.mjs';
import { Asker } from './ask.mjs';
import { Painter } from './draw.mjs';
import { GUIDES } from './guides.mjs';
import { Plot } from './plot.mjs';
import { fromHash, readChanges, readMore, toCommand, toHash, withChanges, withDefaults, WORDS, writeMore } from './scene.mjs';

const BUDGET = 9; // milliseconds of simulation per repaint
const HURRY = 60; // the same while the simulation catches up with the cycle that the address names
const NUMBERS_SECONDS = 0.25; // between two updates of numbers and plot
const DEFEAT_SETS = 20000; // the most fault sets that the search for the smallest defeat visits
const REACH = 9; // pixels around a link that select it
const METHODS_PORTS = 4000; // fabrics with more ports do not try all methods

const $ = (id) => document.getElementById(id);

const state = {
  core: undefined,
  settings: undefined, // the open scene's
  begun: '', // the scene's own schedule, without clicks
  marks: [],
  playing: false,
  clock: 0, // cycles, with a fraction
  cost: BUDGET, // milliseconds per cycle
  goal: 0, // the cycle that an address names, until it is reached
  seconds: 0, // since the last update of the numbers
  last: undefined, // time of the previous repaint
  numbersStale: true,
};

let painter;
let plot;
let asker;

// ---- running

function setPlaying(playing) {
  state.playing = playing && !state.core.ended;
  $('play').textContent = state.playing ? 'Pause' : 'Play';
  $('play').setAttribute('aria-pressed', String(state.playing));
}

const cyclesASecond = () => Math.round(10 ** Number($('speed').value));

function setSpeed(cycles) {
  $('speed').value = Math.log10(cycles);
  showSpeed();
}

function showSpeed() {
  const cycles = cyclesASecond();
  $('speed-told').textContent = `${cycles.toLocaleString('en')} cycles a second`;
  $('speed').setAttribute('aria-valuetext', $('speed-told').textContent);
}

// Runs to a cycle, or as far as so many milliseconds will do, by what cycles took before. Returns whether it got there.
function runTo(wanted, milliseconds) {
  const { core } = state;
  const now = core.now;
  const until = Math.min(wanted, now + Math.max(1, Math.floor(milliseconds / state.cost)));
  if (until <= now) return true;
  const begun = performance.now();
  core.run(until);
  state.cost = (state.cost + (performance.now() - begun) / (until - now)) / 2 + 1e-6;
  if (core.now < until) finish();
  return until === wanted;
}

// Runs to the clock. If the time per repaint does not suffice, the clock waits for the simulation.
function advance(seconds) {
  state.clock += seconds * cyclesASecond();
  if (!runTo(Math.floor(state.clock), BUDGET)) state.clock = Math.min(state.clock, state.core.now + 1);
}

// One step towards the cycle that the address names; the page can be used meanwhile.
function hurry() {
  const isThere = runTo(state.goal, HURRY) || state.core.ended;
  state.clock = state.core.now;
  state.numbersStale = true;
  if (!isThere) return say(`Running to cycle ${state.goal.toLocaleString('en')}.`);
  state.goal = 0;
  if (!state.core.ended) say('');
}

function finish() {
  setPlaying(false);
  state.goal = 0;
  state.clock = state.core.now;
  state.numbersStale = true;
  say(`The run has ended at cycle ${state.core.now.toLocaleString('en')}: ${verdict()}.`);
}

function frame(time) {
  const seconds = Math.min(0.1, (time - (state.last ?? time)) / 1000);
  state.last = time;
  const wanted = state.playing || state.goal > 0 || state.numbersStale || painter.isWanted;
  if (state.core.isOpen && wanted) guarded(() => paint(seconds));
  requestAnimationFrame(frame);
}

function paint(seconds) {
  if (state.goal > 0) hurry();
  else if (state.playing) advance(seconds);
  const arrays = state.core.look();
  painter.note(arrays, state.core.now, seconds);
  painter.paint(arrays, state.playing ? Math.min(1, state.clock - state.core.now) : 0, seconds);
  state.seconds += seconds;
  if (state.seconds < NUMBERS_SECONDS && !state.numbersStale) return;
  state.seconds = 0;
  showNumbers();
}

// Shows what goes wrong, and stops.
function guarded(call) {
  try {
    return call();
  } catch (error) {
    setPlaying(false);
    state.core.isOpen = false;
    complain(error);
    return undefined;
  }
}

// ---- messages

function say(text) {
  $('said').textContent = text;
}

function complain(error) {
  $('error').textContent = error.message;
  $('error').hidden = false;
}

// Drops insignificant digits.
const brief = (value) => (Number.isInteger(value) ? value.toLocaleString('en') : Number(value.toPrecision(4)).toString());

function verdict() {
  const { verdict: word, reason } = state.core.numbers();
  return reason ? `${word}, ${reason}` : word;
}

function showNumbers() {
  const { core } = state;
  const series = core.series();
  const points = plot.paint(series, core.window, core.now, state.marks);
  const last = Math.max(0, points - 1) * 4;
  const account = core.account();
  const rows = [['cycle', core.now], ['throughput', points ? series[last + 1] : 0], ['latency', points ? series[last + 2] : NaN]];
  ACCOUNT.forEach((name, i) => rows.push([name, account[i]]));
  for (const [name, value] of rows) $(`now-${name.replace(' ', '-')}`).textContent = Number.isNaN(value) ? '–' : brief(value);
  $('plot').setAttribute('aria-label', `Throughput ${$('now-throughput').textContent} flits a node and cycle, latency ${$('now-latency').textContent} cycles, at cycle ${core.now}`);
  showState(core);
  if ($('all').open && (state.numbersStale || !state.playing)) showAll();
  state.numbersStale = false;
}

function showState(core) {
  const box = $('verdict');
  if (core.deadlocked) {
    box.textContent = `Deadlocked: ${core.numbers().reason}`;
    box.className = 'bad';
  } else if (core.ended) {
    box.textContent = `Ended: ${verdict()}`;
    box.className = '';
  } else {
    const dead = deadParts();
    box.textContent = dead ? `Running without ${dead}` : 'Running';
    box.className = dead ? 'warn' : '';
  }
}

// By name, from the last changes of each.
function deadParts() {
  const last = new Map();
  for (const { name, kind, cycle } of state.marks) if (cycle <= state.core.now) last.set(name, kind);
  const names = [...last].filter(([, kind]) => kind !== 'repaired').map(([name, kind]) => (kind === 'slow' ? `${name} (slow)` : name));
  return names.length > 4 ? `${names.length} parts` : names.join(', ');
}

function showAll() {
  const { units, 'half-widths': halves, 'no-interval': without, reason, ...values } = state.core.numbers();
  const body = $('all-rows');
  body.replaceChildren();
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue;
    const row = body.insertRow();
    const unit = units[name] && !/^(1|0 or 1)$/.test(units[name]) ? units[name] : '';
    const half = halves[name] ? (value === 0 ? ` (at most ${brief(halves[name])})` : ` ± ${brief(halves[name])}`) : '';
    const why = without[name] ? ` (${without[name]})` : '';
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    row.append(head);
    row.insertCell().textContent = typeof value === 'number' ? `${brief(value)}${half} ${unit}${why}` : value;
  }
}

// ---- scenes

function readForm() {
  const settings = {};
  for (const word of WORDS) if ($(word).value.trim()) settings[word] = $(word).value.trim();
  return { ...settings, ...readMore($('more').value) };
}

function writeForm(settings) {
  for (const word of WORDS) $(word).value = settings[word] ?? '';
  $('more').value = writeMore(settings);
}

// Opens a scene, which then runs to the cycle `at`; with an error the old one is gone, and the form says why.
function open(given, at = 0) {
  const settings = withDefaults(given);
  $('error').hidden = true;
  say('');
  asker.stop();
  writeForm(settings);
  state.settings = settings;
  try {
    state.core.open(settings);
  } catch (error) {
    setPlaying(false);
    complain(error);
    return false;
  }
  state.clock = 0;
  state.cost = BUDGET;
  state.goal = at;
  state.begun = state.core.changes();
  state.marks = readChanges(state.begun);
  state.numbersStale = true;
  $('answer').hidden = true;
  painter.setScene(state.core);
  $('fabric-told').textContent = `${state.core.fabricName()}, ${settings.method}: ${state.core.ends} end nodes, ${state.core.nodes - state.core.ends} switches, ${state.core.links} links`;
  $('stage').setAttribute('aria-label', `The fabric ${state.core.fabricName()} with its packets`);
  listParts();
  share();
  offerMethods();
  return true;
}

const settingsNow = () => (state.core.isOpen ? withChanges(state.settings, state.core, state.begun) : state.settings);

function share() {
  history.replaceState(null, '', toHash(settingsNow()));
  $('command').textContent = toCommand(settingsNow());
}

function setGuide(id) {
  const guide = GUIDES.find((g) => g.id === id);
  $('guide').value = guide ? id : '';
  $('guide-text').textContent = guide ? guide.text.replace(/\s+/g, ' ') : 'A scene with changed settings.';
  return guide;
}

function openGuide(id, play) {
  const guide = setGuide(id);
  if (!guide || !open({ ...guide.settings })) return;
  setSpeed(guide.speed);
  setPlaying(play);
}

function openHash() {
  const shared = fromHash(location.hash);
  if (!shared) return false;
  setGuide('');
  open(shared.settings, shared.at);
  setPlaying(false);
  return true;
}

function offer(list, words) {
  const options = words.map(({ value, label }) => {
    const option = document.createElement('option');
    option.value = value;
    option.label = label;
    return option;
  });
  $(list).replaceChildren(...options);
}

// Lists the methods that serve this fabric, unless it is too large to try all.
async function offerMethods() {
  if (state.core.ports > METHODS_PORTS) return;
  const fabric = state.settings.fabric;
  const summaries = new Map(state.core.words('method').map(({ name, summary }) => [name, summary]));
  try {
    const answer = await asker.ask({ question: 'methods', settings: state.settings });
    if (!answer || state.settings.fabric !== fabric) return;
    offer('methods', answer.text.filter(({ why }) => !why).map(({ name }) => ({ value: name, label: summaries.get(name) })));
  } catch {
    // the list stays as it was
  }
}

// ---- parts

const isSwitch = (node) => node >= state.core.ends;
const nameOf = (part) => (part.link !== undefined ? state.core.linkName(part.link) : state.core.nodeName(part.node));
const titleOf = (part) => (part.link !== undefined ? `link ${nameOf(part)}` : `${isSwitch(part.node) ? 'switch' : 'end node'} ${nameOf(part)}`);

// Lists links by name, for use without a pointer; of many links only the last ones. Others can be typed.
function listParts() {
  const { core } = state;
  const links = Array.from({ length: Math.min(core.links, 3000) }, (_, i) => ({ value: core.linkName(core.links - 1 - i), label: 'link' }));
  offer('parts', links);
  $('part').value = '';
}

function describe(part) {
  const { linkState, nodeState } = state.core.arrays();
  if (part.link === undefined) return `${titleOf(part)}: ${['up', 'failed', 'stalls packets until it has a route'][nodeState[part.node]]}`;
  return `${titleOf(part)}: ${['up', 'failed', 'slow'][linkState[part.link]]}`;
}

// Breaks or slows a part that is up; repairs one that is not.
function change(part, slow) {
  const { core } = state;
  const { linkState, nodeState } = core.look();
  $('error').hidden = true;
  try {
    let kind;
    if (part.link !== undefined) {
      kind = linkState[part.link] !== LINK.UP ? CHANGE.REPAIR : slow ? CHANGE.SLOW : CHANGE.BREAK;
      core.changeLink(part.link, kind);
    } else if (isSwitch(part.node)) {
      kind = nodeState[part.node] === NODE.DEAD ? CHANGE.REPAIR : CHANGE.BREAK;
      core.changeSwitch(part.node, kind);
    } else return;
    say(`Cycle ${core.now.toLocaleString('en')}: ${titleOf(part)} ${['fails', 'slows down to a quarter', 'is repaired'][kind]}.`);
  } catch (error) {
    if (!core.isOpen) setPlaying(false);
    complain(error);
    return;
  }
  state.marks = readChanges(core.changes());
  state.numbersStale = true;
  // The change happens in the next cycle; it is run now so that the page shows the change at once.
  if (!state.playing) step();
  painter.setLit(undefined);
  painter.stale = true;
  share();
}

function step() {
  guarded(() => state.core.run(state.core.now + 1));
  state.clock = state.core.now;
  state.numbersStale = true;
  if (state.core.ended) finish();
}

function partUnder(event) {
  const box = $('stage').getBoundingClientRect();
  const reach = event.pointerType === 'touch' ? 2 * REACH : REACH;
  return painter.geometry.at(event.clientX - box.left, event.clientY - box.top, reach);
}

function hover(part) {
  painter.setHover(part);
  $('under').textContent = part ? describe(part) : '';
  $('stage').style.cursor = part && !(part.node < state.core.ends) ? 'pointer' : '';
}

// ---- proofs

async function ask(question, more, title) {
  const box = $('answer');
  box.hidden = false;
  $('answer-title').textContent = title;
  $('answer-text').textContent = 'Computing ...';
  try {
    const answer = await asker.ask({ question, settings: settingsNow(), ...more });
    if (!answer) return;
    $('answer-text').textContent = answer.text.trim();
    painter.setLit({ ports: answer.ports, links: answer.links });
  } catch (error) {
    $('answer-text').textContent = error.message;
  }
}

// ---- input

const KEYS = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

// On the fabric: arrows go from link to link, Enter breaks or repairs, s slows, + and - zoom.
function onKey(event) {
  const { core } = state;
  if (!core.isOpen) return;
  if (event.key in KEYS) {
    const at = painter.hover?.link ?? (KEYS[event.key] > 0 ? -1 : core.links);
    hover({ link: (at + KEYS[event.key] + core.links) % core.links });
    say(describe(painter.hover));
  } else if ((event.key === 'Enter' || event.key === 's') && painter.hover) change(painter.hover, event.key === 's');
  else if (event.key === '+' || event.key === '-') zoom(event.key === '+' ? 1.25 : 0.8);
  else return;
  event.preventDefault();
}

function zoom(factor, x = $('stage').clientWidth / 2, y = $('stage').clientHeight / 2) {
  painter.geometry.zoomAt(factor, x, y);
  painter.stale = true;
}

// A press that does not move is a click; one that does moves a drawing that is larger than its place.
function listenToPointer() {
  const stage = $('stage');
  let pressed;
  stage.addEventListener('pointerdown', (event) => {
    pressed = { x: event.clientX, y: event.clientY, moved: false };
  });
  stage.addEventListener('pointermove', (event) => {
    if (!state.core.isOpen) return;
    if (!pressed || event.buttons === 0) return hover(partUnder(event));
    const [dx, dy] = [event.clientX - pressed.x, event.clientY - pressed.y];
    if (!pressed.moved && Math.hypot(dx, dy) < 5) return;
    pressed = { x: event.clientX, y: event.clientY, moved: true };
    if (painter.geometry.zoom === 1) return;
    painter.geometry.move(dx, dy);
    painter.stale = true;
  });
  stage.addEventListener('pointerleave', () => hover(undefined));
  stage.addEventListener('click', (event) => {
    const part = state.core.isOpen && !pressed?.moved && partUnder(event);
    pressed = undefined;
    if (part) change(part, event.shiftKey || $('slow').checked);
  });
  stage.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey && painter.geometry.zoom === 1 && event.deltaY > 0) return; // the page scrolls
    event.preventDefault();
    const box = stage.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
}

function changeNamed(slow) {
  if (!state.core.isOpen) return;
  try {
    change(state.core.part($('part').value.trim()), slow);
  } catch (error) {
    complain(error);
  }
}

function listen() {
  $('play').addEventListener('click', () => {
    if (state.core.isOpen) setPlaying(!state.playing);
  });
  $('step').addEventListener('click', () => {
    setPlaying(false);
    if (state.core.isOpen) step();
  });
  $('again').addEventListener('click', () => {
    if (open(settingsNow())) setPlaying(true);
  });
  $('speed').addEventListener('input', showSpeed);
  $('guide').addEventListener('change', () => openGuide($('guide').value, true));
  $('scene').addEventListener('submit', (event) => {
    event.preventDefault();
    setGuide('');
    try {
      if (open(readForm())) setPlaying(true);
    } catch (error) {
      complain(error);
    }
  });
  $('break-part').addEventListener('click', () => changeNamed(false));
  $('slow-part').addEventListener('click', () => changeNamed(true));
  $('prove').addEventListener('click', () => ask('prove', { cycle: state.core.now }, `Proof, with what is alive at cycle ${state.core.now}`));
  $('defeat').addEventListener('click', () => ask('defeat', { sets: DEFEAT_SETS }, 'Smallest defeat of the method here'));
  $('all').addEventListener('toggle', () => (state.numbersStale = true));
  $('copy').addEventListener('click', async () => {
    await navigator.clipboard?.writeText(location.href);
    say('The address of this scene is in the clipboard.');
  });
  $('stage').addEventListener('keydown', onKey);
  listenToPointer();
  window.addEventListener('hashchange', openHash);
  new ResizeObserver(resize).observe($('stage'));
  new ResizeObserver(resize).observe($('plot'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    painter.readColours();
    plot.readColours();
    state.numbersStale = true;
  });
}

function resize() {
  painter.resize();
  plot.resize();
  state.numbersStale = true;
}

function fillLists() {
  const guides = GUIDES.map(({ id, title }) => new Option(title, id));
  $('guide').append(...guides);
  const { core } = state;
  offer('fabrics', core.words('fabric').map(({ example, summary }) => ({ value: example, label: summary })));
  offer('methods', core.words('method').map(({ name, summary }) => ({ value: name, label: summary })));
  offer('patterns', core.words('pattern').map(({ name, summary }) => ({ value: name, label: summary })));
  offer('workloads', core.words('workload').map(({ name, summary }) => ({ value: name, label: summary })));
}

async function start() {
  state.core = new Core(await globalThis.ripstop_core());
  asker = new Asker();
  painter = new Painter($('stage'));
  plot = new Plot($('plot'));
  resize();
  fillLists();
  listen();
  setSpeed(300);
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (!openHash()) openGuide(GUIDES[0].id, !still);
  globalThis.lab = { state, get painter() { return painter; } }; // for tests and for the browser's console
  requestAnimationFrame(frame);
}

start().catch(complain);
