// scene.mjs - the settings of a scene: as a form, as a URL, and as a command line of the program.

// The options of `ripstop simulate` that have a field of their own; any other key is one of --set.
export const WORDS = ['fabric', 'method', 'load', 'pattern', 'workload', 'faults', 'seed'];
const RUNS = { 'measure.warmup': '2000', 'measure.cycles': '100000' }; // longer than the program's defaults, for watching
const JOBS = { 'workload.limit': '1000000' };

// Lines KEY=VALUE, as in the field for more keys.
export function readMore(text) {
  const more = {};
  for (const line of text.split('\n').map((l) => l.trim()).filter(Boolean)) {
    const at = line.indexOf('=');
    if (at < 1) throw new Error(`'${line}' must be KEY=VALUE`);
    more[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return more;
}

export function writeMore(settings) {
  const keys = Object.keys(settings).filter((key) => key.includes('.'));
  return keys.map((key) => `${key}=${settings[key]}`).join('\n');
}

// Adds the lab's defaults for the length of the run.
export function withDefaults(settings) {
  const missing = Object.entries(settings.workload ? JOBS : RUNS).filter(([key]) => !(key in settings));
  return { ...settings, ...Object.fromEntries(missing) };
}

// The settings with the changes by clicks; `begun` is core.changes() at the opening of the scene. If the faults are a schedule
// or a rule, the result is one schedule with these changes.
export function withChanges(settings, core, begun) {
  const { changes: _, ...rest } = settings;
  const changes = core.changes();
  if (!core.scheduled) return { ...rest, changes };
  return changes === begun ? rest : { ...rest, faults: changes };
}

export function toHash(settings, at) {
  const pairs = Object.entries(settings).filter(([, value]) => value !== '' && value !== undefined);
  if (at > 0) pairs.push(['at', String(at)]);
  return `#${new URLSearchParams(pairs)}`;
}

// { settings, at }, or nothing when the URL has no scene.
export function fromHash(hash) {
  const { at, ...settings } = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')));
  return settings.fabric ? { settings, at: Math.max(0, Number(at) || 0) } : undefined;
}

const quoted = (text) => (/^[\w.:,=/@+~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// The same run by the program.
export function toCommand({ fabric, changes, ...settings }) {
  const flags = [];
  const faults = settings.faults || changes;
  for (const [key, value] of Object.entries({ ...settings, faults })) {
    if (!value) continue;
    if (key === 'seed' || key.includes('.')) flags.push(`--set ${quoted(`${key}=${value}`)}`);
    else flags.push(`--${key} ${quoted(value)}`);
  }
  if (settings.faults && changes) flags.push(`--set ${quoted(`faults.schedule=${changes}`)}`);
  return `ripstop simulate ${quoted(fabric)} ${flags.join(' ')}`;
}

// A schedule's items: [{ name, kind: 'broken', 'slow' or 'repaired', cycle }].
export function readChanges(text) {
  return text.split(' ').filter(Boolean).map((word) => {
    const at = word.lastIndexOf('@');
    const part = word.slice(0, at);
    const cycle = Number(word.slice(at + 1));
    if (part.endsWith('+')) return { name: part.slice(0, -1), kind: 'repaired', cycle };
    const slow = /~[\d.]+$/.exec(part);
    return slow ? { name: part.slice(0, slow.index), kind: 'slow', cycle } : { name: part, kind: 'broken', cycle };
  });
}
