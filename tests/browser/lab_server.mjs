// lab_server.mjs - `ripstop lab` and those who do not mean well: other names and origins, paths to files, garbage, heads without
// an end, hundreds of connections. It says no to each, and goes on handing out the page.
//
//   node lab_server.mjs RIPSTOP PAGE.html
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';

const [ripstop, file] = process.argv.slice(2);
const page = readFileSync(file);
const server = spawn(ripstop, ['lab', '--no-open', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
process.once('exit', () => server.kill('SIGKILL')); // whatever happens
const ended = new Promise((resolve) => server.once('exit', (code, signal) => resolve({ code, signal })));
const told = await new Promise((resolve) => server.stdout.once('data', (bytes) => resolve(bytes.toString())));
const port = Number(/^The lab: http:\/\/127\.0\.0\.1:(\d+)\/ \(Ctrl-C ends it\)\n$/.exec(told)[1]);
const host = `127.0.0.1:${port}`;

// All that comes back until the server hangs up; { status, head, body }, or an empty status.
function say(bytes, { keep = false } = {}) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (keep ? socket.write(bytes) : socket.end(bytes)));
    const parts = [];
    socket.on('data', (part) => parts.push(part));
    socket.on('error', () => {});
    socket.on('close', () => {
      const all = Buffer.concat(parts);
      const at = all.indexOf('\r\n\r\n');
      const head = all.subarray(0, at < 0 ? all.length : at).toString('latin1');
      resolve({ status: Number(head.split(' ')[1] ?? 0), head, body: all.subarray(at + 4) });
    });
  });
}

const ask = (line, ...fields) => say([line, ...fields, '', ''].join('\r\n'), { keep: true });
const refused = async (status, line, ...fields) => {
  const answer = await ask(line, ...fields);
  assert.equal(answer.status, status, `${line} ${fields}`);
  assert.match(answer.body.toString(), /^[A-Z][^\n]+[.:/]\n$/, `${line} ${fields}: a line says why`);
  assert.match(answer.head, new RegExp(`\r\nContent-Length: ${answer.body.length}\r\n`));
};
const isServed = async (...fields) => {
  const answer = await ask('GET / HTTP/1.1', ...fields);
  assert.equal(answer.status, 200, String(fields));
  assert.ok(answer.body.equals(page), 'the page is another one');
};

// Among many that are silent, one that is slow to say what it wants may be taken for one of them; a browser asks again.
const isServedSoon = async () => {
  for (let i = 0; i < 20; i++) if ((await ask('GET / HTTP/1.1', `Host: ${host}`)).body.equals(page)) return;
  assert.fail('nobody is served');
};

const silent = Array.from({ length: 4 }, () => say('GET / HT', { keep: true })); // they say no more

await isServed(`Host: ${host}`);
await isServed(`host:localhost:${port}`, `Origin: http://${host}`, 'Accept: */*');
await isServed(`Host: LOCALHOST:${port}`, `Cookie: ${'jupyter=a; '.repeat(800)}`); // other programs' cookies come too
assert.equal((await say(Buffer.from(`GET /?from=mail HTTP/1.1\r\nHost: ${host}\r\nCookie: name=\xe9\r\n\r\n`, 'latin1'))).status, 200);
const head = await ask('HEAD / HTTP/1.1', `Host: ${host}`);
assert.deepEqual([head.status, head.body.length], [200, 0]);
const none = await ask('HEAD /nothing HTTP/1.1', `Host: ${host}`);
assert.deepEqual([none.status, none.body.length], [404, 0]);
for (const field of ['nosniff', 'no-store', 'same-origin', "frame-ancestors 'none'"]) assert.ok(head.head.includes(field));

await refused(403, 'GET / HTTP/1.1', 'Host: evil.example');
await refused(403, 'GET / HTTP/1.1', `Host: evil.example:${port}`);
await refused(403, 'GET / HTTP/1.1', 'Host: 127.0.0.1'); // another port
await refused(403, 'GET / HTTP/1.1', `Host: ${host}.evil.example`);
await refused(403, 'GET / HTTP/1.1', `Host: ${host}`, 'Origin: http://evil.example');
await refused(403, 'GET / HTTP/1.1', `Host: ${host}`, 'Origin: null');
await refused(400, 'GET / HTTP/1.1');
await refused(400, 'GET / HTTP/1.1', `Host: ${host}`, `Host: ${host}`);
await refused(400, 'GET / HTTP/1.1', `Host: ${host}`, 'Content-Length: 5');
await refused(400, 'GET / HTTP/1.1', `Host: ${host}`, 'Transfer-Encoding: chunked');
await refused(400, 'GET / HTTP/1.1', `Host: ${host}`, ' folded: line');
await refused(400, 'GET / HTTP/1.1', `Host: ${host}`, 'Origin : http://evil.example'); // a blank before the colon
await refused(400, 'GET / HTTP/1.1', `Host: ${host}`, 'no field');
await refused(400, 'GET / HTTP/2', `Host: ${host}`);
await refused(400, 'GET /', `Host: ${host}`);
await refused(400, 'GET / HTTP/1.1 more', `Host: ${host}`);
await refused(405, 'POST / HTTP/1.1', `Host: ${host}`);
await refused(405, 'OPTIONS * HTTP/1.1', `Host: ${host}`);
for (const path of ['/../../etc/passwd', '/%2e%2e/etc/passwd', '//etc/passwd', '/etc/passwd', `http://${host}/`, '?', '/index.html%00'])
  await refused(404, `GET ${path} HTTP/1.1`, `Host: ${host}`);
assert.equal((await say(Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\nX: \0\r\n\r\n`), { keep: true })).status, 400);
assert.equal((await say('\r\n\r\n', { keep: true })).status, 400);
assert.equal((await say(`GET / HTTP/1.1\r\nX: ${'a'.repeat(20000)}\r\n\r\n`, { keep: true })).status, 431);
for (let seed = 1; seed <= 40; seed++) {
  const garbage = Buffer.from(Array.from({ length: 300 }, (_, i) => (seed * 2654435761 * (i + 7)) >>> 24));
  assert.notEqual((await say(Buffer.concat([garbage, Buffer.from('\r\n\r\n')]))).status, 200);
}

// Whoever is silent makes room for those who ask.
const crowd = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}));
await Promise.all(Array.from({ length: 12 }, isServedSoon));
await Promise.all(silent); // they have been hung up on
crowd.forEach((socket) => socket.destroy());

// Nobody listens at the machine's other addresses.
for (const { address, internal, family } of Object.values(networkInterfaces()).flat()) {
  if (internal || family !== 'IPv4') continue;
  await new Promise((resolve, reject) => {
    const socket = connect(port, address, () => reject(new Error(`it listens at ${address}`)));
    socket.on('error', resolve);
  });
}

assert.ok(readdirSync(`/proc/${server.pid}/fd`).length < 25, 'descriptors are left open');
const memory = Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]);
assert.ok(memory < 64 * 1024, `${memory} KiB`);
server.kill('SIGINT');
assert.deepEqual(await ended, { code: 0, signal: null });
