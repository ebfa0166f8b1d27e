// lab.mjs - the lab in a real browser: clicks break, slow and repair parts, questions get answers, every scene opens,
// in the light and in the dark, on a desk and on a telephone; there are no errors and no requests to other hosts.
//
//   node lab.mjs URL [AXE]
import assert from 'node:assert/strict';
import { usable } from './axe.mjs';
import { ink, launch } from './drive.mjs';

const [url, axe] = process.argv.slice(2);
const text = (id) => `document.getElementById('${id}').textContent`;
const now = 'lab.state.core.now';

// The place of a link's middle in the window.
const middle = (page, link) =>
  page.evaluate(`(() => {
    const box = document.getElementById('stage').getBoundingClientRect();
    const { x, y } = lab.painter.geometry.middle(${link});
    return [box.x + x, box.y + y];
  })()`);

const linkState = (page, link) => page.evaluate(`lab.state.core.look().linkState[${link}]`);

async function pauseIt(page) {
  await page.evaluate(`lab.state.playing && document.getElementById('play').click()`);
}

// Begins a scene of ours, which the page does only after it is notified of its new address.
async function beginScene(page, settings) {
  await page.evaluate(`before = lab.state.settings; location.hash = ${JSON.stringify(`#${new URLSearchParams(settings)}`)}`);
  await page.until('lab.state.settings !== before && lab.state.core.isOpen');
}

// And stands still in it.
async function openScene(page, settings) {
  await beginScene(page, settings);
  await page.until('lab.state.goal === 0');
}

async function breaksByClicks(page) {
  await openScene(page, { fabric: 'torus:4x4', method: 'immunet', load: '0.3', at: '500' });
  assert.equal(await page.evaluate(now), 500);
  const link = await page.evaluate('lab.state.core.ends + 4');
  const name = await page.evaluate(`lab.state.core.linkName(${link})`);
  const at = await middle(page, link);
  await page.click(...at);
  assert.equal(await linkState(page, link), 1);
  await page.until(`${text('verdict')} === 'Running without ${name}'`);
  assert.match(await page.evaluate(text('said')), new RegExp(`^Cycle 500: link ${name} fails`));
  assert.deepEqual(await page.evaluate('lab.state.marks'), [{ name, kind: 'broken', cycle: 500 }]);
  assert.match(await page.evaluate(text('command')), new RegExp(`^ripstop simulate torus:4x4 .*--faults ${name}@500`));
  await page.click(...at, { shift: true });
  assert.equal(await linkState(page, link), 0);
  await page.until(`${text('verdict')} === 'Running'`);
  await page.click(...at, { shift: true });
  assert.equal(await linkState(page, link), 2);
  await page.until(`${text('verdict')} === 'Running without ${name} (slow)'`);
}

// The same scene from its address, at the same cycle, has the same packets.
async function isShared(browser, page) {
  const [hash, cycle, account] = await page.evaluate(`[location.hash, ${now}, lab.state.core.account()]`);
  const other = await browser.open(`${url}${hash}&at=${cycle}`);
  await other.until(`globalThis.lab && ${now} === ${cycle} && lab.state.goal === 0`);
  assert.deepEqual(await other.evaluate('lab.state.core.account()'), account);
  assert.deepEqual(other.errors, []);
  await other.close();
}

async function answersKeys(page) {
  await page.evaluate(`document.getElementById('stage').focus()`);
  await page.key('ArrowRight');
  const link = await page.evaluate('lab.painter.hover.link');
  await page.key('Enter');
  assert.equal(await linkState(page, link), 1);
  await page.key('Enter');
  assert.equal(await linkState(page, link), 0);
  await page.clickOn('#step');
  const before = await page.evaluate(now);
  await page.clickOn('#step');
  assert.equal(await page.evaluate(now), before + 1);
}

async function answersQuestions(page) {
  await openScene(page, { fabric: 'kary-ntree:k=2,n=2', method: 'updown', load: '0.2' });
  await page.clickOn('#prove');
  await page.until(`/Every packet is delivered/.test(${text('answer-text')})`);
  await page.clickOn('#defeat');
  await page.until(`/1 failed link defeats it/.test(${text('answer-text')})`);
  assert.equal(await page.evaluate('lab.painter.lit.links.reduce((a, b) => a + b)'), 1);
}

async function breakNamed(page, name) {
  await page.evaluate(`document.getElementById('part').value = ${JSON.stringify(name)}`);
  await page.clickOn('#break-part');
}

const shared = (page) => page.evaluate(`Object.fromEntries(new URLSearchParams(location.hash.slice(1)))`);

// Clicks beside a schedule, or a rule, are proved and shared with it, and run again.
async function clicksBesideSchedules(browser, page) {
  await openScene(page, { fabric: 'kary-ntree:k=2,n=2', method: 'updown', load: '0.2', faults: '0/1/2@5000', at: '100' });
  assert.equal((await shared(page)).faults, '0/1/2@5000');
  await breakNamed(page, '0/1/3');
  await page.clickOn('#prove');
  await page.until(`/^4 of 12 pairs of end nodes can lose packets/.test(${text('answer-text')})`);
  const { faults, changes } = await shared(page);
  assert.deepEqual([faults, changes], ['0/1/3@100 0/1/2@5000', undefined]);
  assert.match(await page.evaluate(text('command')), / --faults '0\/1\/3@100 0\/1\/2@5000'/);
  await isShared(browser, page);
  await page.clickOn('#again');
  await pauseIt(page);
  assert.ok(await page.evaluate(`lab.state.core.isOpen && document.getElementById('error').hidden`));
  assert.equal(await page.evaluate('lab.state.core.changes()'), faults);
  await openScene(page, { fabric: 'torus:5x5', method: 'immunet', load: '0.2', faults: 'random:1,from=500', at: '100' });
  assert.equal((await shared(page)).faults, 'random:1,from=500');
  await isShared(browser, page);
  await breakNamed(page, '0.0/0');
  assert.match((await shared(page)).faults, /^0\.0\/0@100 \S+@500$/);
  await isShared(browser, page);
}

// Every part is found by its name, however many there are, and a run is not longer than it is.
async function findsParts(page) {
  await openScene(page, { fabric: 'torus:40x40', method: 'dor', load: '0.01' });
  await breakNamed(page, '0.0/0');
  assert.equal(await linkState(page, await page.evaluate(`lab.state.core.part('0.0/0').link`)), 1);
  await breakNamed(page, '0.0/00');
  assert.match(await page.evaluate(text('error')), /no link '0\.0\/00' in torus:.*did you mean '/);
  await breakNamed(page, 'switch:1.1');
  assert.equal(await page.evaluate(`lab.state.core.look().nodeState[lab.state.core.part('switch:1.1').node]`), 1);
  await openScene(page, { fabric: 'torus:3x3', method: 'dor', load: '0.1', 'measure.warmup': '0', 'measure.cycles': '500', at: '1e999' });
  assert.ok(await page.evaluate('lab.state.core.ended'));
}

// An address of a cycle far ahead does not keep the page from being used, and clicks before that cycle count.
async function isUsableOnTheWay(page) {
  const far = { fabric: 'torus:8x8', method: 'dor:bubble=on', load: '0.2', at: '1000000000', 'measure.cycles': '1000000000' };
  await beginScene(page, far);
  await page.until(`${now} > 200 && /^Running to cycle 1,000,000,000/.test(${text('said')})`);
  await breakNamed(page, '0.0/0');
  assert.match((await shared(page)).changes, /^0\.0\/0@\d+$/);
  assert.ok(await page.evaluate('lab.state.goal > 0'));
}

async function refuses(page) {
  await page.evaluate(`document.getElementById('faults').value = 'rnadom:1,from=500'`);
  await page.clickOn('#scene button');
  await page.until(`/process 'rnadom' is unknown; did you mean 'random'/.test(${text('error')})`);
  await page.evaluate(`document.getElementById('faults').value = ''`);

  await page.evaluate(`document.getElementById('fabric').value = 'torsu:4x4'`);
  await page.clickOn('#scene button');
  await page.until(`/did you mean 'torus'/.test(${text('error')})`);
  await page.evaluate(`document.getElementById('fabric').value = 'torus:4x4'`);
  await page.evaluate(`document.getElementById('method').value = 'dor'`);
  await page.clickOn('#scene button');
  await page.until(`lab.state.core.isOpen && lab.state.playing && document.getElementById('error').hidden`);
  await pauseIt(page);
}

async function guides(page) {
  const ids = await page.evaluate(`[...document.getElementById('guide').options].map((o) => o.value).filter(Boolean)`);
  assert.equal(ids.length, 7);
  for (const id of ids) {
    await page.evaluate(`(() => {
      const guide = document.getElementById('guide');
      guide.value = '${id}';
      guide.dispatchEvent(new Event('change'));
    })()`);
    assert.ok(await page.evaluate('lab.state.playing'), id);
    await page.until(`${now} > 0`);
    await pauseIt(page);
    assert.ok(await page.evaluate(`document.getElementById('error').hidden`), id);
  }
}

// A run that comes to its end while it plays is shown as it ended, and what was said of it is gone with it. It shows what its text
// says: packets are lost in the third round.
async function showsTheEnd(page) {
  await page.evaluate(`(() => {
    for (const [id, value, event] of [['guide', 'allreduce', 'change'], ['speed', '5', 'input']]) {
      document.getElementById(id).value = value;
      document.getElementById(id).dispatchEvent(new Event(event));
    }
  })()`);
  await page.until('lab.state.core.ended');
  await page.until(`${text('verdict')} === 'Ended: steady'`, 10);
  assert.match(await page.evaluate(text('said')), /^The run has ended at cycle [0-9,]+: steady\.$/);
  const [account, shown, round, broken] = await page.evaluate(`[lab.state.core.account(),
    ['generated', 'delivered', 'in-flight', 'waiting', 'lost'].map((id) => Number(document.getElementById(\`now-\${id}\`).textContent.replaceAll(',', ''))),
    lab.state.core.numbers()['workload.ideal-cycles'] / 12, lab.state.marks[0].cycle]`);
  assert.deepEqual(shown, account);
  assert.ok(account[4] > 0 && broken > 2 * round && broken < 3 * round, `${account}, ${round}, ${broken}`);
  await openScene(page, { fabric: 'torus:4x4', method: 'dor', load: '0.2' });
  assert.equal(await page.evaluate(text('said')), '');
}

async function showsDeadlock(page) {
  await openScene(page, { fabric: 'torus:8x8', method: 'dor', load: '0.8', 'switch.in_queue': '1', 'measure.warmup': '0', at: '9000' });
  await page.until(`/^Deadlocked: /.test(${text('verdict')})`);
  assert.ok((await page.evaluate('lab.state.core.look().stuck.reduce((a, b) => a + b)')) > 3);
}

await launch(async (browser) => {
  const page = await browser.open(url, { width: 1000, height: 700 });
  await page.until(`globalThis.lab && ${now} > 20`); // it plays by itself
  assert.ok(await page.evaluate('isSecureContext && "clipboard" in navigator'), 'from a file, the address cannot be copied');
  assert.ok(ink(await page.screenshot()).colours > 50);
  await pauseIt(page);
  await breaksByClicks(page);
  await isShared(browser, page);
  await answersKeys(page);
  await answersQuestions(page);
  await findsParts(page);
  await clicksBesideSchedules(browser, page);
  await isUsableOnTheWay(page);
  await refuses(page);
  await guides(page);
  await showsTheEnd(page);
  await showsDeadlock(page);
  await usable(page, axe);
  await page.colours('dark');
  await page.resize(375, 700);
  await page.until(`lab.painter.canvas.clientWidth < 375`);
  const dark = ink(await page.screenshot());
  assert.equal(dark.paper, '14191f');
  assert.ok(dark.ink > 0.02);
  await usable(page, axe);
  assert.ok((await page.evaluate('document.documentElement.scrollWidth')) <= 375, 'it is wider than the telephone');
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests, [url]);
});
