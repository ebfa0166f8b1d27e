// docs.mjs - the site of the manual: every link of every page leads somewhere, and to a heading that is there; in a browser it is
// searched and read from a disk, without any other request.
//
//   node docs.mjs FOLDER [AXE]
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { usable } from './axe.mjs';
import { ink, launch } from './drive.mjs';

const [folder, axe] = process.argv.slice(2);
const unescaped = (text) => text.replace(/&(amp|lt|gt|quot|#x27|#39);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? "'");

const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html'));
const pages = new Map(files.map((name) => [join(folder, name), readFileSync(join(folder, name), 'utf8')]));
const names = new Map([...pages].map(([file, text]) => [file, new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => unescaped(id)))]));
assert.ok(files.length > 100, `${files.length} pages`);

let links = 0;
const lost = [];
for (const [file, text] of pages) {
  for (const [, raw] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
    const link = unescaped(raw);
    if (/^(https?|mailto|data):/.test(link)) continue;
    links++;
    const [path, place] = link.split('#');
    const target = path ? join(dirname(file), decodeURIComponent(path)) : file;
    const there = existsSync(target) && (place === undefined || !pages.has(target) || names.get(target).has(decodeURIComponent(place)));
    if (!there) lost.push(`${relative(folder, file)}: ${link}`);
  }
}
assert.deepEqual(lost, []);
assert.ok(links > 10000, `${links} links`);

const search = async (page, words) => {
  await page.evaluate(`{ const field = document.getElementById('search'); field.value = ${JSON.stringify(words)}; field.dispatchEvent(new Event('input')); }`);
  await page.until(`!document.getElementById('found').hidden && /found:|of \\d+:|Nothing/.test(document.getElementById('found').textContent)`);
  return page.evaluate(`[...document.querySelectorAll('#found a')].map((a) => a.textContent)`);
};

await launch(async (browser) => {
  const page = await browser.open(`file://${folder}/index.html`, { width: 1200, height: 800 });
  assert.ok(ink(await page.screenshot()).ink > 0.02);
  const first = (await search(page, 'transient states'))[0];
  assert.match(first, /transient states/i);
  assert.deepEqual(await search(page, 'xyzzyxyzzy'), []);
  assert.ok((await search(page, 'transient states prot')).length > 0); // a beginning of a word
  await page.clickOn('#found a');
  await page.until(`location.pathname.endsWith('.html') && !location.pathname.endsWith('index.html') && document.readyState === 'complete'`);
  assert.ok(await page.evaluate('document.querySelector(`[id="${decodeURIComponent(location.hash.slice(1))}"]`) !== null'));
  assert.ok((await search(page, 'valleys')).length > 3); // from another folder
  await usable(page, axe);
  assert.deepEqual(page.errors, []);
  assert.ok(page.requests.every((url) => url.startsWith(`file://${folder}/`)), String(page.requests));

  const phone = await browser.open(`file://${folder}/docs/prove.html`, { width: 375, height: 700, dark: true });
  assert.ok(Number(`0x${ink(await phone.screenshot()).paper}`) < 0x303030);
  assert.ok(await phone.evaluate('document.documentElement.scrollWidth <= 375'), 'it is wider than the telephone');
  await usable(phone, axe);
  assert.deepEqual(phone.errors, []);
});
