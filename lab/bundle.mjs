// bundle.mjs - puts the page's files into one: lab.html contains styles, scripts and the core, so it can be opened from a disk,
// served by any server, or embedded in the program.
//
//   node bundle.mjs PAGE-FOLDER CORE.js OUTPUT.html LICENSE...
//
// A comment at its end has the licenses of the program and of the libraries that are compiled in.
//
// Modules become plain scripts, in the order of their imports, without the import lines. So a name at the top level of a module
// must be unique in the whole page, which this checks. In index.html {{page.css}} is the text of a file, {{main.mjs}} a module
// with all that it imports, and {{core}} the core.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [folder, core, output, ...licenses] = process.argv.slice(2);
const IMPORT = /^import .* from '\.\/(.*)';\n/gm;

// The module's file and its imports, each after the modules that it imports itself.
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
