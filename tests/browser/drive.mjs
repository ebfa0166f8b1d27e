// drive.mjs - a real browser, driven for tests: Debian's chromium without a window, by the DevTools protocol.
//
//   import { launch } from './drive.mjs';
//   await launch(async (browser) => {
//     const page = await browser.open('file:///...', { width: 375, height: 700, dark: true });
//     await page.until('document.title');
//     await page.click(100, 50, { shift: true });
//     assert.deepEqual(page.errors, []);
//   });
//
// The protocol goes through two pipes, so there is no port that anybody else could find, and no package is needed. A
// page's errors, and its requests to other hosts, are collected from its first moment on. The browser finds no
// host but this one. Whatever happens, it is gone when `launch` comes back, and that is within the time limit.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';

const LIMIT_SECONDS = Number(process.env.RIPSTOP_BROWSER_SECONDS ?? 300);

const FLAGS = [
  '--headless=new',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-gpu',
  '--disable-sync',
  '--hide-scrollbars',
  '--mute-audio',
  '--force-color-profile=srgb',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--no-sandbox', // containers have no user namespaces, and the pages are our own
];

// Messages of the protocol: JSON, each ended by a zero byte.
class Pipe {
  constructor(writable, readable) {
    this.writable = writable;
    this.waiting = new Map();
    this.listeners = new Map();
    this.last = 0;
    this.rest = [];
    readable.on('data', (bytes) => this.read(bytes));
    for (const stream of [writable, readable]) stream.on('error', () => {}); // it says so by ending
  }

  read(bytes) {
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0)) {
      this.rest.push(bytes.subarray(0, end));
      this.take(JSON.parse(Buffer.concat(this.rest).toString()));
      this.rest = [];
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length) this.rest.push(bytes);
  }

  take(message) {
    if (message.id === undefined) return this.listeners.get(message.sessionId)?.(message.method, message.params);
    const { resolve, reject } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    return message.error ? reject(new Error(message.error.message)) : resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.writable.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  fail(error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

class Page {
  constructor(pipe, session) {
    this.pipe = pipe;
    this.session = session;
    this.errors = []; // errors of the console, exceptions and requests that failed, as text
    this.requests = []; // URLs of all requests, data: and blob: aside
    pipe.listeners.set(session, (method, params) => this.hear(method, params));
  }

  hear(method, params) {
    if (method === 'Runtime.exceptionThrown') {
      const { exceptionDetails: details } = params;
      this.errors.push(details.exception?.description ?? details.text);
    } else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
      this.errors.push(params.args.map((arg) => arg.value ?? arg.description).join(' '));
    } else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
      this.errors.push(`${params.entry.text} ${params.entry.url ?? ''}`);
    } else if (method === 'Network.requestWillBeSent' && !/^(data|blob):/.test(params.request.url)) {
      this.requests.push(params.request.url);
    } else if (method === 'Page.loadEventFired') {
      this.loaded?.();
    }
  }

  send(method, params) {
    return this.pipe.send(method, params, this.session);
  }

  async start({ width = 1280, height = 800, dark = false, scripts = true } = {}) {
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await this.send(`${domain}.enable`);
    if (!scripts) await this.send('Emulation.setScriptExecutionDisabled', { value: true });
    await this.resize(width, height);
    await this.colours(dark ? 'dark' : 'light');
  }

  // Below 600 pixels it is a telephone.
  async resize(width, height) {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  }

  async colours(scheme) {
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  }

  async print() {
    await this.send('Emulation.setEmulatedMedia', { media: 'print' });
  }

  async go(url) {
    const loaded = new Promise((resolve) => (this.loaded = resolve));
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  // The value of an expression in the page; promises are waited for.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Waits until an expression is true, and returns its value. A page that is just giving way to another answers nothing.
  async until(expression, seconds = 60) {
    const leaving = /^(Inspected target navigated or closed|Execution context was destroyed|Cannot find context)/;
    for (const end = Date.now() + seconds * 1000; ; await pause(20)) {
      const value = await this.evaluate(expression).catch((error) => {
        if (!leaving.test(error.message)) throw error;
      });
      if (value) return value;
      if (Date.now() > end) throw new Error(`not within ${seconds} s: ${expression}`);
    }
  }

  // At a place of the window, or in the middle of what a selector names.
  async click(x, y, { shift = false } = {}) {
    const at = { x, y, button: 'left', clickCount: 1, modifiers: shift ? 8 : 0 };
    await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
    await this.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
    await this.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
  }

  async clickOn(selector, options) {
    const box = await this.evaluate(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const { x, y, width, height } = element.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    })()`);
    await this.click(...box, options);
  }

  async hover(x, y) {
    await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  }

  // A key by its name: 'Tab', 'Enter', 'ArrowRight', 'a', ' '.
  async key(key) {
    const codes = { Tab: 9, Enter: 13, Escape: 27, ' ': 32, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
    const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
    const event = { key, text, windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0) };
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  // PNG
  async screenshot() {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  close() {
    return this.send('Page.close');
  }
}

class Browser {
  constructor(pipe) {
    this.pipe = pipe;
  }

  // A page of its own, with nothing kept from others. Options: width, height, dark, scripts: false.
  async open(url, options) {
    const { browserContextId } = await this.pipe.send('Target.createBrowserContext');
    const { targetId } = await this.pipe.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.pipe.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this.pipe, sessionId);
    await page.start(options);
    await page.go(url);
    return page;
  }
}

// Runs `test` with a browser. What it throws is thrown on, and so is the time limit.
export async function launch(test) {
  const home = mkdtempSync(join(tmpdir(), 'ripstop-browser-'));
  const child = spawn(process.env.CHROMIUM ?? 'chromium', [...FLAGS, `--user-data-dir=${home}`], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, HOME: home },
    detached: true, // a group of its own, all of which can be ended
  });
  let said = '';
  child.stderr.on('data', (text) => (said = (said + text).slice(-2000)));
  const pipe = new Pipe(child.stdio[3], child.stdio[4]);
  const ended = new Promise((resolve) => child.once('close', resolve));
  let timer;
  const failed = new Promise((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the browser has ended, ${code}: ${said}`)));
    timer = setTimeout(() => reject(new Error(`not done within ${LIMIT_SECONDS} s`)), LIMIT_SECONDS * 1000);
  });
  failed.catch((error) => pipe.fail(error)); // no call waits for an answer any more
  try {
    return await Promise.race([failed, test(new Browser(pipe))]);
  } finally {
    clearTimeout(timer);
    try {
      process.kill(-child.pid, 'SIGKILL');
      await ended;
    } catch {
      // it has never begun, or has ended
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

// ---- pictures

const paeth = (a, b, c) => {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
};

function unfilter(lines, width, height, bytes) {
  const row = width * bytes;
  const out = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const filter = lines[y * (row + 1)];
    for (let x = 0; x < row; x++) {
      const left = x >= bytes ? out[y * row + x - bytes] : 0;
      const up = y > 0 ? out[(y - 1) * row + x] : 0;
      const corner = x >= bytes && y > 0 ? out[(y - 1) * row + x - bytes] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[y * row + x] = lines[y * (row + 1) + 1 + x] + guess;
    }
  }
  return out;
}

// A screenshot's pixels: { width, height, bytes (3 or 4 of each), data }.
export function pixels(png) {
  const data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const [width, height, depth, kind] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]];
  if (depth !== 8 || ![2, 6].includes(kind)) throw new Error(`a PNG of depth ${depth} and kind ${kind}`);
  const bytes = kind === 2 ? 3 : 4;
  return { width, height, bytes, data: unfilter(inflateSync(Buffer.concat(data)), width, height, bytes) };
}

// How many colours a screenshot has, and the share of its pixels that are not of its commonest: { colours, ink, paper }.
export function ink(png) {
  const { width, height, bytes, data } = pixels(png);
  const count = new Map();
  for (let at = 0; at < data.length; at += bytes) {
    const colour = data.readUIntBE(at, 3);
    count.set(colour, (count.get(colour) ?? 0) + 1);
  }
  const [paper, most] = [...count].reduce((a, b) => (b[1] > a[1] ? b : a));
  return { colours: count.size, ink: 1 - most / (width * height), paper: paper.toString(16).padStart(6, '0') };
}
