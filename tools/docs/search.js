// search.js - finds the parts of pages that contain all words of a query, or words that begin with them; parts with the words in
// their headings come first. The index (index.js) is a script, loaded at the first input.
(() => {
  const MOST = 20; // results shown
  const AROUND = 70; // characters shown before and after a match
  const root = document.body.dataset.root;
  const field = document.getElementById('search');
  const found = document.getElementById('found');
  let loading;

  function load() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${root}index.js`;
      script.onload = () => resolve(globalThis.searchIndex);
      script.onerror = reject;
      document.head.append(script);
    });
    return loading;
  }

  const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const count = (text, patterns) => patterns.reduce((sum, pattern) => sum + (pattern.test(text) ? 1 : 0), 0);

  // The rank of a part: 0 if some word is missing.
  function worth([, page, heading, text], patterns) {
    const all = `${page} ${heading} ${text}`;
    if (count(all, patterns) < patterns.length) return 0;
    return 1 + 8 * count(heading, patterns) + 3 * count(page, patterns) + (count(text.slice(0, 300), patterns) > 0 ? 1 : 0);
  }

  function excerpt(text, patterns) {
    const at = patterns.map((pattern) => text.search(pattern)).find((place) => place >= 0) ?? 0;
    const from = Math.max(0, at - AROUND);
    return `${from > 0 ? '... ' : ''}${text.slice(from, at + 2 * AROUND)}${at + 2 * AROUND < text.length ? ' ...' : ''}`;
  }

  function item([address, page, heading, text], patterns) {
    const element = document.createElement('li');
    const link = element.appendChild(document.createElement('a'));
    link.href = root + address;
    link.textContent = heading === page ? page : `${page}: ${heading}`;
    element.appendChild(document.createElement('p')).textContent = excerpt(text, patterns);
    return element;
  }

  async function search() {
    const words = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    found.hidden = words.length === 0;
    if (found.hidden) return;
    const index = await load();
    const patterns = words.map((word) => new RegExp(`(?<![\\p{L}\\d])${escaped(word)}`, 'iu'));
    const hits = index.map((part) => [worth(part, patterns), part]).filter(([value]) => value > 0);
    hits.sort(([a], [b]) => b - a);
    const told = document.createElement('p');
    told.textContent = hits.length === 0 ? 'Nothing has all of these words.' : hits.length > MOST ? `The first ${MOST} of ${hits.length}:` : `${hits.length} found:`;
    const list = document.createElement('ol');
    list.append(...hits.slice(0, MOST).map(([, part]) => item(part, patterns)));
    found.replaceChildren(told, list);
  }

  field.addEventListener('input', search);
  field.form.addEventListener('submit', (event) => {
    event.preventDefault();
    found.querySelector('a')?.click();
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    field.value = '';
    search();
  });
})();
