// bundle.mjs - the page's files as one: styles, scripts and the core, all inside lab.html, so that it can be opened from a
// disk, served by anything, or carried by the program.
//
//   node bundle.mjs PAGE-FOLDER CORE.js OUTPUT.html LICENSE...
//
// The licenses stand in a comment at its end: the page has the program's code in it, and that of the libraries that were compiled in.
//
// Modules become plain scripts: their imports are left out, and what they import comes before them. So every name at the
// top of a module is there once in the whole page, which this checks. In index.html {{page.css}} is the text of a file,
// {{main.mjs}} a module with all that it imports, and {{core}} the core.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [folder, core, output, ...licenses] = process.argv.slice(2);
const IMPORT = /^import .* from '\.\/(.*)';\n/gm;

// The module's file and those that it imports, each after those that it needs itself.
function withImports(file, found = []) {
  const text = readFileSync(join(folder, file), 'utf8');
  for (const [, name] of text.matchAll(IMPORT)) if (!found.includes(name)) withImports(name, found);
  if (!found.includes(file)) found.push(file);
  return found;
}

function scriptOf(file) {
  const texts = withImports(file).map((name) => readFileSync(join(folder, name), 'utf8'));
  const script = texts.map((text) => text.replace(IMPORT, '').replace(/^export /gm, '')).join('\n');
  const names = [...script.matchAll(/^(?:async )?(?:const|let|class|function) (\w+)/gm)].map(([, name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice) throw new Error(`${file}: ${twice} is there twice`);
  return script;
}

function textOf(name) {
  if (name === 'core') return readFileSync(core, 'utf8');
  return name.endsWith('.mjs') ? scriptOf(name) : readFileSync(join(folder, name), 'utf8');
}

function inside(name) {
  const text = textOf(name);
  if (/<\/(script|style)/i.test(text)) throw new Error(`${name} would end the element that it stands in`);
  return text;
}

function licenseOf(file) {
  const text = readFileSync(file, 'utf8');
  if (/--!?>/.test(text)) throw new Error(`${file} would end the comment that it stands in`);
  return `${basename(file, '.txt')}\n\n${text}`;
}

const page = readFileSync(join(folder, 'index.html'), 'utf8').replace(/\{\{([\w.]+)\}\}/g, (_, name) => inside(name));
writeFileSync(output, `${page}<!--\nLicenses of what is in this page\n\n${licenses.map(licenseOf).join('\n\n')}-->\n`);
