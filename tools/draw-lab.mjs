#!/usr/bin/env node
// draw-lab.mjs - the picture of the lab in the README and docs/lab.md: packets of its first guided scene, around a failed
// link, in a headless browser.
//
//   tools/draw-lab.mjs [PAGE.html [PNG]]      after `make lab`
import { realpathSync, writeFileSync } from 'node:fs';
import { launch } from '../tests/browser/drive.mjs';

const [file = 'build/lab/lab.html', png = 'docs/images/lab.png'] = process.argv.slice(2);
const setSpeed = (cycles) => `{ const slider = document.getElementById('speed'); slider.value = ${Math.log10(cycles)};
  slider.dispatchEvent(new Event('input')); }`;

await launch(async (browser) => {
  const page = await browser.open(`file://${realpathSync(file)}`, { width: 1180, height: 990 });
  await page.until('!!globalThis.lab && lab.state.core.isOpen');
  await page.evaluate(`{ const guide = document.getElementById('guide'); guide.value = 'misroute';
    guide.dispatchEvent(new Event('change')); }`);
  await page.evaluate(setSpeed(1000));
  await page.until('lab.state.core.now >= 4900');
  await page.evaluate(setSpeed(300));
  await page.evaluate("lab.state.playing && document.getElementById('play').click()");
  await page.evaluate('new Promise((done) => setTimeout(done, 500))');
  writeFileSync(png, await page.screenshot());
});
