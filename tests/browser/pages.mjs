// pages.mjs - the pages of a book do in a browser what they say.
//
//   node pages.mjs BOOK-URL [AXE]
import assert from 'node:assert/strict';
import { usable } from './axe.mjs';
import { ink, launch } from './drive.mjs';

const [book, axe] = process.argv.slice(2);
const $ = (selector) => `document.querySelector(${JSON.stringify(selector)})`;
const all = (selector, of) => `[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => ${of})`;

// Collects a page's requests, errors, and contents out of sight.
async function plain(page, url) {
  assert.deepEqual([page.errors, page.requests], [[], [url]]);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${url} is too wide`);
  assert.deepEqual(await cutLabels(page, '.live'), [], `${url}: labels are cut`);
}

// On a telephone: wide contents scroll in their own box, first columns leave space, and text is large enough.
async function phonely(page, path) {
  const beyond = `[...document.querySelectorAll('figure svg')].filter((svg) => svg.clientWidth > svg.parentElement.clientWidth + 1
    && getComputedStyle(svg.parentElement).overflowX !== 'auto').length`;
  assert.equal(await page.evaluate(beyond), 0, `${path}: a figure is cut off`);
  const broad = `[...document.querySelectorAll('.table')].filter((t) => t.scrollWidth > t.clientWidth + 1)
    .filter((t) => t.querySelector('tbody tr > *').offsetWidth > t.clientWidth / 2).length`;
  assert.equal(await page.evaluate(broad), 0, `${path}: a first column leaves no room`);
  const small = `[...document.querySelectorAll('figure svg text')].filter((e) => e.getClientRects().length).filter((e) => {
    const { b, d } = e.getScreenCTM();
    return parseFloat(getComputedStyle(e).fontSize) * Math.hypot(b, d) < 8;
  }).map((e) => e.textContent)`;
  assert.deepEqual(await page.evaluate(small), [], `${path}: letters are too small`);
}

const cutLabels = (page, where) => page.evaluate(`[...document.querySelectorAll('figure ${where} svg text')].filter((text) => {
  const own = text.getBoundingClientRect(), all = text.ownerSVGElement.getBoundingClientRect();
  return own.left < all.left - 1 || own.right > all.right + 1 || own.top < all.top - 1 || own.bottom > all.bottom + 1;
}).map((text) => text.textContent)`);

const live = 'figure[data-id] .live svg';
const open = async (browser, path, options) => {
  const page = await browser.open(`${book}/${path}`, options);
  if (options?.scripts !== false && path !== 'index.html') await page.until($(`${live} text`) + ' !== null');
  return page;
};

async function hoverAndRuns(page) {
  const at = await page.evaluate(`(() => {
    const circle = ${$('figure[data-id="lost"] g[data-curve="updown, load 0.9"] circle:last-of-type')};
    circle.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { x, y, width, height } = circle.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  })()`);
  await page.hover(...at);
  const tip = `${$('figure[data-id="lost"] .tip')}`;
  assert.equal(await page.evaluate(`${tip}.hidden`), false);
  const cell = await page.evaluate(`${$('#lost ~ .table tbody tr:last-child td:nth-of-type(2)')}.textContent`);
  const text = await page.evaluate(`${tip}.textContent`);
  assert.match(text, /updown, load 0\.9.*5 runs/);
  assert.ok(text.includes(cell), `${text} has not what the table says, ${cell}`);
  await page.click(...at);
  const told = await page.evaluate(`${$('figure[data-id="lost"] .told')}.textContent`);
  assert.equal(told.match(/run [0-9a-f]{32}: /g)?.length, 5, told);
}

async function curvesAndAxes(page) {
  const button = 'figure[data-id="accepted"] button.curve:nth-of-type(2)', names = all('figure[data-id="accepted"] g[data-curve]', 'e.dataset.curve');
  const before = await page.evaluate(names);
  assert.equal(before.length, 4);
  await page.clickOn(button);
  assert.deepEqual(await page.evaluate(names), before.filter((name) => name !== 'updown, load 0.9'));
  assert.equal(await page.evaluate(`${$(button)}.getAttribute('aria-pressed')`), 'false');
  await page.clickOn(button);
  assert.deepEqual(await page.evaluate(names), before);

  const ticks = all('figure[data-id="accepted"] svg text', 'e.textContent');
  const plainly = await page.evaluate(ticks);
  await page.clickOn('figure[data-id="accepted"] label:last-of-type input');
  assert.notDeepEqual(await page.evaluate(ticks), plainly);
  await page.clickOn('figure[data-id="accepted"] label:last-of-type input');
  assert.deepEqual(await page.evaluate(ticks), plainly);
  await page.clickOn('figure[data-id="accepted"] button[aria-label="zoom in"]');
  assert.notDeepEqual(await page.evaluate(ticks), plainly);
  const press = (name, times) => page.evaluate(`{ const button = ${$(`figure[data-id="accepted"] button[aria-label="${name}"]`)};
    for (let i = 0; i < ${times}; i++) button.click(); }`);
  await press('zoom in', 60);
  const inside = await page.evaluate(ticks);
  assert.ok(inside.length > 2 && inside.length < 30, `zoomed in as far as it goes: ${inside}`);
  await press('zoom out', 1200);
  assert.ok((await page.evaluate(ticks)).every((text) => !/NaN|Infinity/.test(text)));
  await page.clickOn('figure[data-id="accepted"] button[aria-label="show all"]');
  assert.deepEqual(await page.evaluate(ticks), plainly);
}

async function keyboard(page) {
  await page.evaluate(`${$('figure[data-id="latency"] .live svg')}.focus()`);
  const said = `${$('figure[data-id="latency"] .told')}.textContent`;
  await page.key('ArrowRight');
  const first = await page.evaluate(said);
  assert.match(first, /^updown: mean latency \(cycles\) .* at failed links 0$/);
  await page.key('ArrowRight');
  assert.match(await page.evaluate(said), /at failed links 3$/);
  await page.key('ArrowDown');
  assert.match(await page.evaluate(said), /^misroute: .* at failed links 3$/);
  await page.key('Enter');
  assert.match(await page.evaluate(said), /run [0-9a-f]{32}/);
}

// On paper nothing scrolls: names of curves stand there, and tables are whole.
// A page of what-if: each number of the drawing is explained below it, and a table sorts by the head that is clicked.
async function foresees(browser, path) {
  const page = await browser.open(`${book}/${path}`);
  await plain(page, `${book}/${path}`);
  await usable(page, axe);
  const numbers = await page.evaluate(all('#fabric svg circle + text', 'Number(e.textContent)'));
  const list = await page.evaluate(all('#marks li', 'e.textContent'));
  assert.ok(list.length >= 3 && list.every((text) => text.includes(': ')), `${path}: ${list}`);
  assert.deepEqual(numbers.sort((a, b) => a - b), list.map((_, i) => i + 1), path);
  const load = all('#parts + p + .table tbody tr', 'Number(e.cells[3].textContent)');
  await page.clickOn('#parts + p + .table th:nth-child(4)');
  const sorted = await page.evaluate(load);
  const rising = sorted.every((value, i) => !i || value >= sorted[i - 1]), falling = sorted.every((value, i) => !i || value <= sorted[i - 1]);
  assert.ok(sorted.length > 10 && (rising || falling), `${path}: not in order: ${sorted}`);
  const phone = await browser.open(`${book}/${path}`, { width: 375, height: 700, dark: true });
  await plain(phone, `${book}/${path}`);
  await phonely(phone, path);
  await usable(phone, axe);
}

async function prints(browser) {
  for (const path of ['quick.html', 'words.html']) {
    const paper = await open(browser, path, { width: 660, height: 900 });
    await paper.print();
    const seen = (selector) => paper.evaluate(all(selector, 'e.getClientRects().length > 0'));
    const curves = await seen('figure[data-id] .tools .curve');
    assert.ok(curves.length > 3 && curves.every(Boolean), `${path}: curves without names`);
    assert.ok(!(await seen('.tools label, .tools button:not(.curve)')).some(Boolean), `${path}: buttons on paper`);
    const cut = await paper.evaluate(all('.table, pre', 'e.scrollWidth > e.clientWidth + 1'));
    assert.ok(cut.length > 3 && !cut.some(Boolean), `${path}: cut off on paper`);
    assert.equal(await paper.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${path} is wider than paper`);
    const broken = await paper.evaluate(all('thead th', `(() => {
      const text = document.createRange();
      text.selectNodeContents(e);
      return /^[a-z]{1,9}$/.test(e.textContent) && new Set([...text.getClientRects()].map((box) => Math.round(box.top))).size > 1 && e.textContent;
    })()`));
    assert.ok(!broken.some(Boolean), `${path}: words broken on paper: ${broken.filter(Boolean)}`);
  }
}

await launch(async (browser) => {
  const quick = await open(browser, 'quick.html', { width: 1200, height: 900 });
  await plain(quick, `${book}/quick.html`);
  assert.equal(await quick.evaluate(all(live, '1') + '.length'), 4);
  assert.equal(await quick.evaluate(all('figure[data-id] .still', '1') + '.length'), 0);
  assert.ok(ink(await quick.screenshot()).ink > 0.02);
  await hoverAndRuns(quick);
  await curvesAndAxes(quick);
  await keyboard(quick);
  await usable(quick, axe);
  assert.deepEqual(quick.errors, []);

  for (const path of ['quick.html', 'words.html', 'dead.html', 'index.html']) {
    const phone = await open(browser, path, { width: 375, height: 700, dark: true });
    await plain(phone, `${book}/${path}`);
    const { ink: drawn, paper } = ink(await phone.screenshot());
    assert.ok(drawn > 0.02 && Number(`0x${paper}`) < 0x303030, `${path}: ${drawn}, ${paper}`);
    await phonely(phone, path);
    await usable(phone, axe);
  }

  const words = await open(browser, 'words.html');
  await plain(words, `${book}/words.html`);
  assert.equal(await words.evaluate(all('figure[data-id="time"] text.small', 'e.textContent') + '.join()'), 'fault');
  assert.equal(await words.evaluate($('#field ~ figure .still svg') + ' !== null'), true); // fields stay as they are drawn

  const dead = await open(browser, 'dead.html', { width: 700 });
  await plain(dead, `${book}/dead.html`);
  const changes = await dead.evaluate(all('figure[data-id="time"] text.small', '[e.textContent, e.getAttribute("y")].join()'));
  assert.equal(changes.length, 3, `the third of three close by each other has no room: ${changes}`);
  assert.notEqual(changes[0].split(',')[1], changes[1].split(',')[1]);
  assert.deepEqual(await dead.evaluate(all('figure[data-id="time"] line title', 'e.textContent')), ['fault at 50', 'fault at 400', 'repair at 450', 'fault at 7700']);

  for (const path of ['odd.html', 'many.html', 'whole.html', 'spare.html']) await foresees(browser, path);

  await prints(browser);

  const drawn = await open(browser, 'words.html', { scripts: false });
  await drawn.send('Emulation.setScriptExecutionDisabled', { value: false });
  assert.ok((await drawn.evaluate(all('.still svg text', '1') + '.length')) > 50);
  assert.deepEqual(await cutLabels(drawn, '.still'), [], 'labels of drawings are cut');

  const still = await open(browser, 'quick.html', { scripts: false });
  assert.ok(ink(await still.screenshot()).ink > 0.02);
  await still.send('Emulation.setScriptExecutionDisabled', { value: false });
  assert.deepEqual([await still.evaluate(all('.still svg', '1') + '.length'), await still.evaluate(all('.tools', '1') + '.length')], [4, 0]);

  const index = await open(browser, 'index.html');
  await plain(index, `${book}/index.html`);
  await usable(index, axe);
  await index.clickOn('a[href^="quick.html"]');
  await index.until('document.title === "A fat tree that loses links"');
  await index.clickOn('nav a');
  await index.until('document.title === "The book of experiments"');
});
