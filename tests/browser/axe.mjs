// axe.mjs - what keeps people from using a page, by axe-core; nothing of it may be serious.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const NAMES = `v.id + ': ' + v.nodes.slice(0, 2).map((n) => n.html.slice(0, 200)).join(' ')`;

// `axe`: the path of axe.min.js; without it nothing is looked at.
export async function usable(page, axe) {
  if (!axe) return;
  if (!(await page.evaluate('!!globalThis.axe'))) await page.evaluate(`${readFileSync(axe, 'utf8')}; undefined`);
  const { found, passed } = await page.evaluate(`axe.run({ preload: false }).then((r) => ({ passed: r.passes.length,
    found: r.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => ${NAMES}) }))`);
  assert.deepEqual(found, []);
  assert.ok(passed > 10, `${passed} rules were looked at`);
}
