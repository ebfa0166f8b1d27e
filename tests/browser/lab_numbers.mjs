// lab_numbers.mjs - the core in the lab's page has the same numbers as the program, to the packet: whole runs of several
// fabrics, methods and kinds of fault, with changes made by clicks while it runs.
//
//   node lab_numbers.mjs CORE.js RIPSTOP
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { CHANGE, Core } from '../../lab/page/core.mjs';

const [file, ripstop] = process.argv.slice(2);
const core = new Core(await createRequire(import.meta.url)(file)());

const short = { 'measure.warmup': 500, 'measure.cycles': 4000 };
const scenes = [
  // Features that only the engine has.
  { fabric: 'torus:4x4', method: 'dor:bubble=on', load: 0.3, ...short },
  { fabric: 'torus:4x4', method: 'dor', load: 0.9, seed: 7, 'switch.in_queue': 1, ...short }, // it deadlocks
  { fabric: 'kary-ntree:k=4,n=2', method: 'updown', load: 0.5, pattern: 'transpose', 'switch.out_queue': 2, ...short },
  { fabric: 'kary-ntree:k=4,n=2', method: 'misroute', load: 0.2, 'traffic.packet': '3:0.8/19:0.2', 'measure.cycles': 3000 },
  { fabric: 'torus:16x16', method: 'minimal-adaptive', load: 0.4, 'measure.warmup': 200, 'measure.cycles': 600 },
  // The seed papers' methods, with faults.
  { fabric: 'kary-ntree:k=4,n=2', method: 'misroute', load: 0.4, clicks: click, ...short },
  { fabric: 'mport-ntree:m=4,n=3', method: 'link-fault-messages', load: 0.3, clicks: click, ...short },
  { fabric: 'kns:k=4,n=2', method: 'intermediate-nodes', load: 0.2, faults: '2', ...short },
  { fabric: 'kary-ntree:k=4,n=2', method: 'reprioritise', load: 0.4, clicks: click, ...short },
  { fabric: 'torus:4x4', method: 'immunet', load: 0.4, clicks: click, ...short },
  // Other sources of faults, rates, static reconfiguration, jobs.
  { fabric: 'dragonfly:a=4,p=2,h=2', method: 'ugal', load: 0.3, faults: 'flap:2,from=800,until=4000,down=300,up=500', ...short },
  { fabric: 'torus:4x4', method: 'mend', load: 0.3, clicks: click, 'reaction.model': 'static', 'reaction.detect': 50, ...short },
  { fabric: 'torus:4x4', method: 'minimal-adaptive', load: 0.3, clicks: slow, ...short },
  { fabric: 'kary-ntree:k=4,n=2', method: 'misroute', workload: 'allreduce:bytes=65536', clicks: click, 'workload.packet': 64 },
];

// A few clicks: links break, slow down and come back, some of them twice in a cycle, and a switch dies.
function click() {
  const link = (i) => core.links - 1 - i;
  core.run(700);
  core.changeLink(link(0), CHANGE.BREAK);
  core.run(900);
  core.changeLink(link(2), CHANGE.BREAK);
  core.changeLink(link(2), CHANGE.REPAIR); // taken back
  core.run(1500);
  core.changeLink(link(0), CHANGE.REPAIR);
  core.changeLink(link(1), CHANGE.BREAK);
}

function slow() {
  core.run(600);
  core.changeLink(core.links - 1, CHANGE.SLOW);
  core.run(1200);
  core.changeLink(core.links - 2, CHANGE.SLOW);
  core.changeLink(core.links - 1, CHANGE.REPAIR);
  core.run(1800);
  core.changeLink(core.links - 3, CHANGE.BREAK);
}

function run({ clicks, ...settings }) {
  core.open(settings);
  clicks?.();
  core.run(1e9);
  assert.ok(core.ended);
  return { numbers: core.numbers(), changes: core.changes() };
}

function native({ clicks, fabric, method, load, pattern, workload, faults, ...more }, changes) {
  const flags = { method, load, pattern, workload, faults: clicks ? changes : faults };
  const args = ['simulate', fabric, '--json', '--set', 'switch.preset=plain']; // the switch of the page
  for (const [name, value] of Object.entries(flags)) if (value !== undefined) args.push(`--${name}`, String(value));
  for (const [key, value] of Object.entries(more)) args.push('--set', `${key}=${value}`);
  return JSON.parse(execFileSync(ripstop, args, { encoding: 'utf8' }));
}

// The program prints nine digits of a value that is no count.
const near = (a, b) => a === b || Math.abs(a - b) <= 1e-8 * Math.max(Math.abs(a), Math.abs(b));

function check(page, program, what) {
  // `transient` and `model` are the program's words on a run's numbers, and none of them.
  const { fabric: _fabric, method: _method, model: _model, faults: _faults, transient: _transient, units, 'half-widths': halves, 'no-interval': without, ...values } = program;
  const { 'half-widths': ours, 'no-interval': why } = page;
  for (const [name, value] of Object.entries(values)) {
    if (!(name in page)) {
      // Values of the plan, which the method has, and not of the run; and the preset, which the page has given key by key.
      assert.ok(['not-tolerated', 'pairs.lost', 'switch.preset', 'switch.preset.keys'].includes(name) || units[name] === '', `${what}: ${name} is missing`);
      continue;
    }
    const same = typeof value !== 'number' || Number.isInteger(value) ? value === page[name] : near(value, page[name]);
    assert.ok(same, `${what}: ${name} is ${page[name]}, not ${value}`);
  }
  for (const [name, half] of Object.entries(halves)) assert.ok(half === null ? ours[name] === null : near(half, ours[name]), `${what}: half-width of ${name}`);
  for (const [name, text] of Object.entries(without)) assert.equal(why[name], text, `${what}: ${name}`);
  assert.ok(values['account.delivered'] > 0 && values['run.hops'] > 0, what);
}

// The proof is of the live fabric: after the clicks and the schedule.
core.open({ fabric: 'kary-ntree:k=2,n=2', method: 'updown', load: 0.2, faults: '0/1/2@5000' });
core.run(100);
core.changeLink(core.part('0/1/3').link, CHANGE.BREAK);
assert.ok(core.scheduled);
assert.match(core.prove(200), /^4 of 12 pairs/);
assert.throws(() => core.open({ fabric: 'torus:4x4', method: 'dor', load: 0.1, seed: 'x' }), /^Error: seed: /);
core.open({ fabric: 'torus:4x4', method: 'dor', load: 0.1, faults: '1' });
assert.ok(!core.scheduled);

for (const scene of scenes) {
  const { numbers, changes } = run(scene);
  check(numbers, native(scene, changes), `${scene.fabric}, ${scene.method}, ${changes}`);
}
