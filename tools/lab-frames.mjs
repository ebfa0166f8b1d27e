#!/usr/bin/env node
// lab-frames.mjs - how many repaints a second the lab's page achieves on large fabrics, in a headless browser without a graphics
// card: their number, the time between two, and the share of the page's script. For docs/lab.md.
//
//   tools/lab-frames.mjs [PAGE.html [SECONDS]]      after `make lab`; 5 s for each fabric
import { realpathSync } from 'node:fs';
import { launch } from '../tests/browser/drive.mjs';

const [file = 'build/lab/lab.html', seconds = '5'] = process.argv.slice(2);
const SCENES = [
  { fabric: 'torus:8x8', method: 'dor:bubble=on', load: '0.3' },
  { fabric: 'torus:32x32', method: 'dor:bubble=on', load: '0.2' },
  { fabric: 'kary-ntree:k=8,n=3', method: 'misroute', load: '0.5' },
  { fabric: 'kary-ntree:k=16,n=3', method: 'updown', load: '0.5' },
];
const SPEEDS = [60, 1000]; // cycles a second

const COUNTING = `(() => {
  const ask = globalThis.requestAnimationFrame.bind(globalThis);
  globalThis.counted = { at: [], work: [] };
  globalThis.requestAnimationFrame = (call) => ask((time) => {
    const begun = performance.now();
    call(time);
    counted.at.push(time);
    counted.work.push(performance.now() - begun);
  });
})()`;

const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
const sort = (values) => [...values].sort((a, b) => a - b);

async function measure(page, settings, speed) {
  await page.evaluate(`before = lab.state.settings; location.hash = ${JSON.stringify(`#${new URLSearchParams(settings)}&at=500`)}`);
  await page.until('lab.state.settings !== before && lab.state.core.isOpen && lab.state.goal === 0');
  await page.evaluate(`{ const slider = document.getElementById('speed'); slider.value = ${Math.log10(speed)};
    slider.dispatchEvent(new Event('input')); document.getElementById('play').click(); }`);
  await page.evaluate('new Promise((done) => setTimeout(done, 1000))');
  await page.evaluate('counted.at.length = counted.work.length = 0');
  const before = await page.evaluate('lab.state.core.now');
  await page.evaluate(`new Promise((done) => setTimeout(done, ${1000 * Number(seconds)}))`);
  const { at, work, cycles, ports, moving } = await page.evaluate(`({ ...counted, cycles: lab.state.core.now - ${before}, ports: lab.state.core.ports,
    moving: lab.state.core.look().moving.filter(Boolean).length })`);
  const between = sort(at.slice(1).map((time, i) => time - at[i]));
  const script = sort(work);
  const told = (values) => [0.5, 0.95].map((part) => share(values, part).toFixed(1).padStart(6)).join('');
  const rate = ((at.length - 1) * 1000) / (at.at(-1) - at[0]);
  console.log(`${settings.fabric.padEnd(22)}${String(ports).padStart(7)}${String(moving).padStart(8)}${String(speed).padStart(8)}${(cycles / Number(seconds)).toFixed(0).padStart(8)}${rate.toFixed(1).padStart(8)} ${told(between)} ${told(script)}`);
}

console.log('                        ports  moving  cycles a second  frames   between, ms  script, ms');
console.log('fabric                                  asked    done  a second  half  95 %   half  95 %');
await launch(async (browser) => {
  const page = await browser.open(`file://${realpathSync(file)}`, { width: 1280, height: 900 });
  await page.until('!!globalThis.lab');
  await page.evaluate(COUNTING);
  for (const settings of SCENES) for (const speed of SPEEDS) await measure(page, settings, speed);
});
