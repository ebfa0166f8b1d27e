// drive_check.mjs - the driver itself: errors and requests are noticed, clicks and keys arrive, colours and widths change.
//
//   node drive_check.mjs URL [AXE]
import assert from 'node:assert/strict';
import { usable } from './axe.mjs';
import { ink, launch } from './drive.mjs';

const [url, axe] = process.argv.slice(2);

await launch(async (browser) => {
  const good = await browser.open(url, { width: 375, height: 600, dark: true });
  assert.deepEqual([good.errors, good.requests], [[], [url]]);
  await good.clickOn('button', { shift: true });
  assert.equal(await good.evaluate('document.title'), 'shifted');
  await good.clickOn('input');
  for (const key of 'abc') await good.key(key);
  assert.equal(await good.evaluate('document.querySelector("input").value'), 'abc');
  const dark = ink(await good.screenshot());
  assert.equal(dark.paper, '111111');
  assert.ok(dark.ink > 0.001 && dark.colours > 2);
  assert.ok((await good.evaluate('document.querySelector("button").offsetWidth')) > 300);
  await good.colours('light');
  await good.resize(800, 600);
  assert.equal(ink(await good.screenshot()).paper, 'ffffff');
  assert.ok((await good.evaluate('document.querySelector("button").offsetWidth')) < 300);
  await assert.rejects(good.until('false', 0.1));
  const { evaluate } = good;
  good.evaluate = () => { // once as a page that is about to go
    good.evaluate = evaluate;
    return Promise.reject(new Error('Inspected target navigated or closed'));
  };
  assert.equal(await good.until('1'), 1);
  await assert.rejects(good.evaluate('nothing.there'));
  if (axe) await assert.rejects(usable(good, axe), /html-has-lang/);

  const bad = await browser.open(`${url}#bad`);
  await bad.until('document.title');
  await assert.rejects(browser.open('file:///nowhere/at/all.html'));
  for (const end = Date.now() + 10000; bad.errors.length < 2 && Date.now() < end; ) await bad.evaluate('1');
  assert.equal(bad.errors[0], 'a complaint');
  assert.match(bad.errors[1], /example\.com/);
  assert.equal(bad.requests[1], 'http://example.com/elsewhere');
});
