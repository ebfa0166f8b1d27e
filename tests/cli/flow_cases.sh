# model: flow against known answers: tests/data/flow/cases.json. They were computed by exact progressive filling in rational
# numbers and by SimGrid 3.32, by programs that share no code with ripstop; tests/data/flow/README.md has the format.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
python3 - "$RIPSTOP" "$RIPSTOP_SOURCE/tests/data/flow/cases.json" <<'END' || complain "see above"
import json, subprocess, sys
from fractions import Fraction

ripstop, path = sys.argv[1:]
NEAR = 1e-6
USUAL = {'switch.link': 1, 'switch.pipeline': 1, 'workload.flit': 1, 'workload.packet': 4096, 'flow.reaction': 0, 'flow.seed': 1}


def real(x): return float(Fraction(x)) if isinstance(x, str) else float(x)


def differs(what, got, want):
    want = real(want)
    return None if got is not None and abs(got - want) <= NEAR * max(1, abs(want)) else f'{what}: {got}, not {want}'


def run(case):
    for kind in 'edges', 'messages':
        if kind in case: open(f'{case["id"]}.{kind}', 'w').write(case[kind])
    command = [ripstop, 'simulate', case['fabric'], '--model', 'flow', '--method', case['method'], '--workload', case['workload'], '--json']
    settings = {**USUAL, **case['set'], 'measure.messages': 'on'}
    loads = case['expect'].get('loads', [])
    if loads: settings['flow.at'] = ','.join('%.17g' % real(x['time']) for x in loads)
    for key, value in settings.items(): command += ['--set', f'{key}={value}']
    if case['faults']: command += ['--faults', case['faults']]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def compare(case, got):
    want = case['expect']
    yield None if got['model'] == 'flow' and got['verdict'] == 'steady' else 'model or verdict'
    yield differs('cycles', got['workload.cycles'], want['cycles'])
    yield differs('messages', got['message.count'], want['messages'])
    if 'completion_mean' in want: yield differs('mean', got['message.completion.mean'], want['completion_mean'])
    if 'completion_max' in want: yield differs('max', got['message.completion.max'], want['completion_max'])
    for i, finish in enumerate(want.get('finish', [])): yield differs(f'message {i + 1}', got['messages'][i]['finish'], finish)
    for is_, was in zip(got.get('flow.loads', []), want.get('loads', [])):
        yield differs('sum of loads', sum(is_['load'].values()), was['sum'])
        yield differs('channels with load', len(is_['load']), was['channels'])
        for channel, load in was['load'].items(): yield differs(channel, is_['load'].get(channel), load)


wrong = 0
cases = json.load(open(path))
for case in cases:
    got = run(case)
    found = [got] if isinstance(got, str) else [x for x in compare(case, got) if x]
    for x in found[:3]: print(f'{case["id"]}: {x}')
    wrong += bool(found)
sys.exit(wrong > 0 or len(cases) < 80)
END
finish
