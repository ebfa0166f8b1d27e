/* test_experiment_errors.c - every error that an experiment's file can have, and the line that says so. Each message
 * begins with file and line and names the key. The error is found before any run starts: by the reader or, if a fabric
 * or the simulator is needed, by the expansion. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "experiment/yaml.h"
#include "ripstop/kit/experiment.h"

/* Good beginnings. */
#define B                        \
  "fabric: kary-ntree:k=2,n=2\n" \
  "method: updown\n"             \
  "traffic: {load: 0.1}\n"
#define W                        \
  "fabric: kary-ntree:k=2,n=2\n" \
  "method: updown\n"             \
  "workload: {jobs: barrier"
#define F                         \
  "fabric: kary-ntree:k=2,n=2\n"  \
  "method: updown\n"              \
  "traffic: {load: [0.1, 0.2]}\n" \
  "figures:\n"                    \
  "  - {id: a, x: traffic.load, y: accepted}\n"
#define F2                        \
  "fabric: kary-ntree:k=2,n=2\n"  \
  "traffic: {load: [0.1, 0.2]}\n" \
  "method: [updown, misroute]\n"  \
  "figures:\n"                    \
  "  - {id: a, x: traffic.load, y: accepted, by: method}\n"
#define C        \
  F2 "claims:\n" \
     "  - {id: c, says: s, figure: a, published: 1, "

static const struct {
  const char *file, *message;
} mistakes[] = {
    {"", "x.yaml:1: the file is empty"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n"
     "  - {id: a, x: traffic.load, y: accepted, log: x}\n  - {id: b, x: method, y: accepted,\n     log: xy}\n",
     "x.yaml:7: log: the axis of method is one of words, which have no logarithms"},
    {"- a\n", "x.yaml:1: an experiment must be a list of 'key: value', each on a line or in braces"},
    {"just a word\n", "x.yaml:1: an experiment must be a list of 'key: value', each on a line or in braces"},
    {"fabric: [\n", "x.yaml:2: this is not YAML: did not find expected node content"},
    {"fabric: {a: b\nmethod", "x.yaml:3: this is not YAML: did not find expected ',' or '}'"},
    {"a: &x b\n", "x.yaml:1: anchors (&name) are not used here"},
    {"a: *x\n", "x.yaml:1: aliases (*name) are not used here"},
    {"a: !!int 3\n", "x.yaml:1: tags (!name) are not used here"},
    {"--- {}\n--- {}\n", "x.yaml:2: a second document starts here; a file is one experiment"},
    {"fabric: a\nfabric: b\n", "x.yaml:2: key 'fabric' stands here for the second time (first in line 1)"},
    {"{a: b}: c\n", "x.yaml:1: a key must be one word"},
    {"a: [[[[[[[[[[1]]]]]]]]]]\n", "x.yaml:1: nested deeper than 8 levels"},
    {"fabric: \"a\\0b\"\n", "x.yaml:1: a value contains a zero byte"},
    {"? [a]\n: b\n", "x.yaml:1: a key must be one word"},
    {"trafic: {load: 1}\nfabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.1}\n",
     "x.yaml:1: key 'trafic' is unknown; did you mean 'traffic'?"},
    {B "precision: {value: accepted, relative: 0.01}\n",
     "x.yaml:4: key 'precision' is unknown here; it belongs into 'measure'"},
    {B "relative: 0.01\n", "x.yaml:4: key 'relative' is unknown here; it belongs into 'measure.precision'"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\nworkload: {jobs: alltoall}\nlimit: 4\n",
     "x.yaml:4: key 'limit' is unknown here; it belongs into 'workload'"},
    {"trafic: {load: 1}\n" B "packet: 4\n", "x.yaml:1: key 'trafic' is unknown; did you mean 'traffic'?"},
    {"load: 0.1\nfabric: kary-ntree:k=2,n=2\nmethod: updown\n",
     "x.yaml:1: key 'load' is unknown here; it belongs into 'traffic'"},
    {"zzzzzzzzzz: 1\nfabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.1}\n",
     "x.yaml:1: key 'zzzzzzzzzz' is unknown; known here: title, about, fabric, method, faults, traffic, program, "
     "workload, "
     "prove, link, switch, measure, reaction, seed, quick, figures, panels, tables, claims, only, agreements, papers, "
     "paper, "
     "place, "
     "reading, store, flow, model"},
    {"fabric: torus:4x4\nmethod: \"dor:bubble=on\"\ntraffic: {load: 0.1}\nswitch: {out_queue: 4}\n",
     "x.yaml:4: switch.out_queue = 4: method dor has bubble flow control, which counts the space behind a link "
     "when a packet crosses; use unlimited or 0"},
    {"fabric: torus:4x4\nmethod: [dor, \"dor:bubble=on\"]\ntraffic: {load: 0.1}\nswitch:\n  in_queue: [4, 1]\n",
     "x.yaml:5: switch.in_queue = 1: method dor has bubble flow control, which needs room for two packets"},
    {"fabric: torus:4x4\nmethod: \"minimal-adaptive:escape=bubble\"\ntraffic: {load: 0.1}\nswitch: {unit: flits, "
     "in_queue: 31}\n",
     "x.yaml:4: switch.in_queue = 31: method minimal-adaptive has bubble flow control, which needs room for two "
     "packets"},
    {"fabric: torus:4x4\nmethod: immunet\ntraffic: {load: 0.1}\nswitch: {flow: xonxoff, in_queue: 8, xoff: 6, xon: "
     "2}\n",
     "x.yaml:4: switch.flow: method immunet has bubble flow control, which needs credits"},
    {B "measure: {warmup: 100, cycles: 200, window: 301}\n",
     "x.yaml:4: measure.window = 301 is longer than any run, of 300 cycles at most"},
    {B "measure: {cycles: 200, window: 102601}\n",
     "x.yaml:4: measure.window = 102601 is longer than any run, of 102600 cycles at most"},
    {B "faults: {schedule: \"0/0/3@10 0/0/2@300\"}\nmeasure: {warmup: 100, cycles: 200}\n",
     "x.yaml:4: faults.schedule: the change in cycle 300 would never happen: all runs end before cycle 300"},
    {B "faults: {schedule: \"0/0/3@102600\"}\nmeasure: {cycles: 200}\n",
     "x.yaml:4: faults.schedule: the change in cycle 102600 would never happen: all runs end before cycle 102600"},
    {B "faults: {schedule: \"random:1,from=300\"}\nmeasure: {warmup: 100, cycles: [20, 200]}\n",
     "x.yaml:4: faults.schedule: the first change in cycle 300 would never happen: all runs end before cycle 300"},
    {B "faults: {count: 1, scope: [level-0, \"group:level-0\"]}\n",
     "x.yaml:4: faults.scope: 'group:level-0' stands in the list twice"},
    {B "figures:\n  - id: a\n    x: seed\n    y: latency.men\n",
     "x.yaml:7: y: no run has a value 'latency.men'; did you mean 'latency.mean'?"},
    {B "tables:\n  - {id: a, rows: seed, value: latency.p95}\n",
     "x.yaml:5: value: no run has a value 'latency.p95' without measure.spread: on"},
    {B "tables:\n  - {id: a, rows: seed, value: latency.maen}\n",
     "x.yaml:5: value: no run has a value 'latency.maen'; did you mean 'latency.mean'?"},
    {W "}\nfigures:\n  - {id: a, x: seed, y: transport.timeouts}\n",
     "x.yaml:5: y: no run has a value 'transport.timeouts' without workload.transport"},
    {B "figures:\n  - {id: a, x: seed, y: transport.repeats}\n",
     "x.yaml:5: y: no run has a value 'transport.repeats' without traffic.transport"},
    {W "}\ntraffic: {transport: selective}\n",
     "x.yaml:4: key 'transport' is unknown; known here: pattern, process, load, packet, classes"},
    {W ", transport: selective}\nfigures:\n  - {id: a, x: seed, y: transport.marked}\n",
     "x.yaml:5: y: no run has a value 'transport.marked' without workload.congestion"},
    {W ", transport: selective, congestion: window}\nfigures:\n  - {id: a, x: seed, y: transport.notifications}\n",
     "x.yaml:5: y: no run has a value 'transport.notifications' without workload.congestion: dcqcn"},
    {B "figures:\n  - {id: a, x: seed, y: pauses}\n",
     "x.yaml:5: y: no run has a value 'pauses' without switch.queues: shared"},
    {B "switch: {queues: shared, lossless: off}\nfigures:\n  - {id: a, x: seed, y: pause.cycles}\n",
     "x.yaml:6: y: no run has a value 'pause.cycles' without switch.lossless: on"},
    {B "switch: {queues: shared}\nfigures:\n  - {id: a, x: seed, y: lost.buffer}\n",
     "x.yaml:6: y: no run has a value 'lost.buffer' without switch.lossless: off"},
    {B "switch: {preset: modern}\nfigures:\n  - {id: a, x: seed, y: lost.buffer}\n",
     "x.yaml:6: y: no run has a value 'lost.buffer' without switch.queues: shared"},
    {B "switch: {queues: shared, lossless: off}\nfigures:\n  - {id: a, x: seed, y: lost.trimmed}\n",
     "x.yaml:6: y: no run has a value 'lost.trimmed' without switch.trim: on"},
    {B "switch: {queues: output}\nfigures:\n  - {id: a, x: seed, y: voq.full}\n",
     "x.yaml:6: y: no run has a value 'voq.full' without switch.queues: voq"},
    {B "figures:\n  - {id: a, x: seed, y: stops.deadlocked}\n",
     "x.yaml:5: y: no run has a value 'stops.deadlocked' without reaction.model: static"},
    {B "figures:\n  - {id: a, x: seed, y: class2.accepted}\n",
     "x.yaml:5: y: no run has a value 'class2.accepted'; docs/experiment-keys.md lists them"},
    {B "figures:\n  - {id: a, x: seed, y: lost, over: generated}\n",
     "x.yaml:5: over: no run has a value 'generated'; did you mean 'saturated'?"},
    {F2 "  - {id: b, x: traffic.load, y: accepted, relative: {method: updown}, base: acepted}\n",
     "x.yaml:6: base: no run has a value 'acepted'; did you mean 'accepted'?"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {sets: 5}\ntables:\n  - {id: a, rows: seed, value: tolerted}\n",
     "x.yaml:5: value: no run has a value 'tolerted'; did you mean 'tolerated'?"},
    {B "prove: {sets: 5}\n", "x.yaml:3: traffic says nothing of a proof; leave it out or prove"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {sets: 5}\nswitch: {in_queue: 2}\n",
     "x.yaml:4: switch says nothing of a proof; leave it out or prove"},
    {"fabric: torus:4x4\nmethod: dor\nfaults: {count: 1, samples: 9}\nprove: {sets: 5}\n",
     "x.yaml:3: faults.samples does not go with prove, which draws prove.sets sets of each count"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {sets: 0}\n",
     "x.yaml:3: prove: option 'sets': 0 is out of range (1 to 1000000000)"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {mixtures: on}\n",
     "x.yaml:3: prove: option 'mixtures': unknown word 'on'; known: off, any, in-order, for-ever, "
     "two-writes, repaired"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {mixtures: any, rare: 2}\n",
     "x.yaml:3: prove.mixtures and prove.rare exclude each other"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {decide: all, rare: 2}\n",
     "x.yaml:3: prove.decide and prove.rare exclude each other"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {decide: all, mixtures: any}\n",
     "x.yaml:3: prove.decide and prove.mixtures exclude each other"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {sets: 5}\ntables:\n  - {id: a, rows: seed, value: deadlock.possible}\n",
     "x.yaml:5: value: no run has a value 'deadlock.possible' without prove.decide: all"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {sets: 5}\ntables:\n  - {id: a, rows: seed, value: safe.connected}\n",
     "x.yaml:5: value: no run has a value 'safe.connected' without prove.mixtures"},
    {"fabric: torus:4x4\nmethod: dor\nprove: {set: 1}\n", "x.yaml:3: key 'set' is unknown; did you mean 'sets'?"},
    {B "faults: {count: 1, keep: tolrated}\n",
     "x.yaml:4: faults: option 'keep': unknown word 'tolrated'; did you mean 'tolerated'?"},
    {B "faults: {count: 1, samples: all, keep: connected}\n",
     "x.yaml:4: faults.keep goes with a number of samples, as sets are drawn"},
    {B "faults: {set: 0/0/2, keep: connected}\n", "x.yaml:4: faults: keep goes with count only"},
    {F2 "  - {id: b, x: cycle, y: accepted, over: packets}\n", "x.yaml:6: a figure over cycles needs measure.window"},
    {F2 "  - {id: b, x: traffic.load, y: verdict.steady, by: method, over: packets}\n",
     "x.yaml:6: over divides values of runs, not verdicts or time series"},
    {B "program: {kernel: fft}\n", "x.yaml:4: either traffic, a workload or a program: end nodes do one of them"},
    {"fabric: torus:4x4\nmethod: dor\nprogram: {faults: 1}\n", "x.yaml:3: program.kernel must be given"},
    {"fabric: torus:4x4\nmethod: dor\nprogram: {kernel: fft, l3: 1}\n",
     "x.yaml:3: key 'l3' is unknown; did you mean 'l1'?"},
    {"fabric: torus:4x4\nmethod: dor\nprogram:\n  kernel: [fft, radx]\n",
     "x.yaml:4: program 'radx' is unknown; did you mean 'radix'?"},
    {"fabric: torus:4x4\nmethod: dor\nprogram:\n  kernel: [\"fft:points=256\", \"fft:points=8\"]\n",
     "x.yaml:4: program fft: points must be a power of 4, not 8"},
    {"fabric: torus:8\nmethod: dor\nprogram:\n  kernel: \"fft:points=64\"\n  faults: 2\n",
     "x.yaml:5: program.faults: 2 links cannot fail in torus:8 without cutting it"},
    {"method: updown\ntraffic: {load: 0.1}\n", "x.yaml:1: fabric must be given"},
    {"fabric: torus:4x4\ntraffic: {load: 1}\n", "x.yaml:1: method must be given"},
    {"fabric: torus:4x4\nmethod: updown\n", "x.yaml:1: traffic.load must be given"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updwon\ntraffic: {load: 0.1}\n",
     "x.yaml:2: method 'updwon' is unknown; did you mean 'updown'?"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: misroute:vectr=off\ntraffic: {load: 0.1}\n",
     "x.yaml:2: method misroute: unknown option 'vectr'; did you mean 'vector'?"},
    {"fabric: kary-tree:k=2,n=2\nmethod: updown\ntraffic: {load: 0.1}\n",
     "x.yaml:1: fabric 'kary-tree' is unknown; did you mean 'kary-ntree'?"},
    {"fabric: kary-ntree:k=0,n=2\nmethod: updown\ntraffic: {load: 0.1}\n",
     "x.yaml:1: fabric kary-ntree: option 'k': 0 is out of range (1 to 32767)"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: 7}\n",
     "x.yaml:3: traffic: option 'load': 7 is out of range (0 to 1)"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: abc}\n",
     "x.yaml:3: traffic: option 'load': 'abc' is not a number"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {lod: 0.1}\n",
     "x.yaml:3: key 'lod' is unknown; did you mean 'load'?"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: [0.1, 0.10]}\n",
     "x.yaml:3: traffic.load: '0.10' stands in the list twice"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: []}\n", "x.yaml:3: traffic.load: the list is empty"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: [[0.1]]}\n",
     "x.yaml:3: traffic.load must be one plain value, not a list"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {load: {a: b}}\n",
     "x.yaml:3: traffic.load must be one plain value, not a mapping"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: 0.1\n",
     "x.yaml:3: traffic must be a list of 'key: value', each on a line or in braces"},
    {B "switch: {in_queue: 0}\n", "x.yaml:4: switch: option 'in_queue': 0 is out of range (1 to 1000000000)"},
    {B "switch: {unit: flit}\n", "x.yaml:4: switch: option 'unit': unknown word 'flit'; did you mean 'flits'?"},
    {B "reaction: {modell: static}\n", "x.yaml:4: key 'modell' is unknown; did you mean 'model'?"},
    {B "reaction: {model: sttaic}\n",
     "x.yaml:4: reaction: option 'model': unknown word 'sttaic'; did you mean 'static'?"},
    {B "reaction: {drain: discord}\n",
     "x.yaml:4: reaction: option 'drain': unknown word 'discord'; did you mean 'discard'?"},
    {B "reaction: {detect: -1}\n", "x.yaml:4: reaction: option 'detect': -1 is out of range (0 to 1000000000)"},
    {B "measure: {affected: maybe}\n", "x.yaml:4: measure: option 'affected': 'maybe' is neither 'on' nor 'off'"},
    {B "switch: {unit: flits}\n",
     "x.yaml:4: switch.in_queue = 4: with switch.unit = flits a queue of 4 flits does not hold a packet of 16"},
    {B "switch:\n  link: 1\n  in_queue: 32\n  out_queue: 8\n  unit: flits\n",
     "x.yaml:7: switch.out_queue = 8: with switch.unit = flits a queue of 8 flits does not hold a packet of 16"},
    {B "switch: {arbiter: rond-robin}\n",
     "x.yaml:4: switch.arbiter 'rond-robin' is unknown; did you mean 'round-robin'?"},
    {B "switch: {arbiter: \"weighted:shares=1/2\"}\n",
     "x.yaml:4: arbiter weighted: shares=1/2 has more shares than the 1 virtual channels"},
    {B "switch:\n  arbiter:\n    - round-robin\n    - \"weighted:shares=1/2\"\n",
     "x.yaml:7: arbiter weighted: shares=1/2 has more shares than the 1 virtual channels"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {pattern: uniforn, load: 0.1}\n",
     "x.yaml:3: traffic: pattern 'uniforn' is unknown; did you mean 'uniform'?"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {packet: 0, load: 0.1}\n",
     "x.yaml:3: traffic: packet: a packet has at least 1 flit"},
    {"fabric: kary-ntree:k=2,n=2\nmethod: updown\ntraffic: {process: poison, load: 0.1}\n",
     "x.yaml:3: traffic: process 'poison' is unknown; did you mean 'poisson'?"},
    {B "measure: {warmup: soon}\n", "x.yaml:4: measure.warmup: 'soon' is not a whole number"},
    {B "measure: {cycles: 5}\n",
     "x.yaml:4: measure.cycles = 5 is less than measure.batches = 20; a batch has a cycle or more"},
    {B "measure:\n  warmup: 1000\n  confidence: 0.9\n  cycles: 5\n",
     "x.yaml:7: measure.cycles = 5 is less than measure.batches = 20; a batch has a cycle or more"},
    {B "measure:\n  warmup: 1000\n  cycles: 900\n  batches: 1000\n",
     "x.yaml:6: measure.cycles = 900 is less than measure.batches = 1000; a batch has a cycle or more"},
    {B "measure:\n  check: 1000\n  warmup: 2000000000\n", "x.yaml:6: measure.warmup = 2000000000 with measure.cycles = "
                                                          "10000: a run of 2000010000 cycles is too long; at most "
                                                          "2000000000"},
    {B "measure:\n  warmup: 1000\n  cycles: 2000000000\n", "x.yaml:6: measure.cycles = 2000000000 with measure.warmup "
                                                           "= 1000: a run of 2000001000 cycles is too long; at most "
                                                           "2000000000"},
    {B "switch: {selection: [method, space]}\n",
     "x.yaml:4: switch.selection: 'space' is listed twice: 'method' has the same value for updown"},
    {B "seed: -1\n", "x.yaml:4: seed: '-1' is not a whole number"},
    {B "seed: x\n", "x.yaml:4: seed: 'x' is not a whole number"},
    {B "faults: {count: 1, set: 0/0/2}\n",
     "x.yaml:4: faults: only one of count, set and file can name the failed parts"},
    {B "faults: {count: -1}\n", "x.yaml:4: faults: option 'count': -1 is out of range (0 to 4294967294)"},
    {B "faults: {count: 99}\n", "x.yaml:4: faults.count: 99 of switch-links cannot fail, kary-ntree:k=2,n=2 has 4"},
    {B "faults: {count: 1, samples: 0}\n",
     "x.yaml:4: faults.samples must be N, 'all up to N' or 'all', N from 1 to 1000000, not '0'"},
    {B "faults: {count: 1, samples: many}\n",
     "x.yaml:4: faults.samples must be N, 'all up to N' or 'all', N from 1 to 1000000, not 'many'"},
    {B "faults: {count: 1, samples: all up to many}\n",
     "x.yaml:4: faults.samples must be N, 'all up to N' or 'all', N from 1 to 1000000, not 'all up to many'"},
    {B "faults: {count: 1, samples: all of them}\n",
     "x.yaml:4: faults.samples must be N, 'all up to N' or 'all', N from 1 to 1000000, not 'all of them'"},
    {B "faults: {set: 9/9/9}\n",
     "x.yaml:4: faults.set: no link '9/9/9' in kary-ntree:k=2,n=2, whose links are named like '0/0/2' and switches "
     "like 'switch:0/0'"},
    {B "faults: {set: [\"0/0/2\", \"0/0/2 0/0/2\"]}\n", "x.yaml:4: faults.set: '0/0/2' is named twice"},
    {B "faults: {file: nowhere.txt}\n", "x.yaml:4: faults.file: nowhere.txt: No such file or directory"},
    {B "faults: {schedule: nowhere.txt}\n", "x.yaml:4: faults.schedule: nowhere.txt: No such file or directory"},
    {B "faults: {schedule: \"0/0/2@x\"}\n", "x.yaml:4: faults.schedule: line 1: '0/0/2@x': 'x' is not a whole number"},
    {B "faults: {schedule: 0/0/2+@5}\n", "x.yaml:4: faults.schedule: '0/0/2' is repaired at cycle 5 while it is up"},
    {B "faults:\n  set: [\"\", 0/0/3]\n  schedule: 0/0/2+@5\n",
     "x.yaml:6: faults.schedule: '0/0/2' is repaired at cycle 5 while it is up"},
    {B "faults:\n  count: 0\n  schedule: [\"\", 0/0/2@5, 0/0/2@3000000000]\n",
     "x.yaml:6: faults.schedule: cycle 3000000000 is beyond the longest run"},
    {B "faults: {schedule: \"random:2,evry=5\"}\n",
     "x.yaml:4: faults.schedule: process random: unknown option 'evry'; did you mean 'every'?"},
    {B "faults: {schedule: \"rndom:9\"}\n",
     "x.yaml:4: faults.schedule: process 'rndom' is unknown; did you mean 'random'?"},
    {B "faults: {schedule: \"flap:1,up=30,down=3\"}\n",
     "x.yaml:4: faults.schedule: process flap: option 'until' must be given"},
    {B "faults: {schedule: \"random:9\"}\n",
     "x.yaml:4: faults.schedule: 9 links cannot fail in kary-ntree:k=2,n=2 without cutting it"},
    {B "faults: {scope: links}\n", "x.yaml:4: faults.scope: no scope 'links' in kary-ntree:k=2,n=2 (scopes: "
                                   "switch-links, all-links, switches, level-0, "
                                   "a pattern as 'switch:*')"},
    {B "faults: {scope: switches, set: 0/0/2}\n", "x.yaml:4: faults: scope goes with count only"},
    {B "faults: {set: 0/0/2, samples: all}\n", "x.yaml:4: faults.samples: 'all' goes with faults.count only"},
    {B "faults: {set: 0/0/2, samples: all up to 9}\n", "x.yaml:4: faults.samples: 'all' goes with faults.count only"},
    {B "faults: {cout: 1}\n", "x.yaml:4: key 'cout' is unknown; did you mean 'count'?"},
    {B "faults: 3\n", "x.yaml:4: faults must be a list of 'key: value', each on a line or in braces"},
    {B "faults: {count: 1, samples: 1000000}\ntitle: x\nseed: [1, 2]\n",
     "x.yaml:1: the lists multiply to 2000000 runs; at most 1000000"},
    {B "quick: {trafic.load: 1}\n", "x.yaml:4: key 'trafic.load' is unknown; did you mean 'traffic.load'?"},
    {B "quick: {traffic.load: 9}\n", "x.yaml:4: traffic: option 'load': 9 is out of range (0 to 1)"},
    {B "quick: {faults.set: 0/0/2}\n", "x.yaml:4: quick: faults.set needs a faults.set to replace"},
    {B "faults: {set: 0/0/2}\nquick: {faults.count: 1}\n",
     "x.yaml:5: quick: faults.count does not go with the sets that 'faults' gives"},
    {B "quick: 3\n", "x.yaml:4: quick must be a list of 'key: value', each on a line or in braces"},
    {B "figures: 3\n", "x.yaml:4: figures must be a list, each item starting with '- '"},
    {B "figures:\n  - 3\n", "x.yaml:5: a figure must be a list of 'key: value', each on a line or in braces"},
    {B "figures:\n  - {x: traffic.load, y: accepted}\n", "x.yaml:5: a figure needs the key 'id'"},
    {B "figures:\n  - {id: a b, x: traffic.load, y: accepted}\n",
     "x.yaml:5: id 'a b' may have letters, digits and '-' only"},
    {B "figures:\n  - {id: a, y: accepted}\n", "x.yaml:5: a figure needs the key 'x'"},
    {B "figures:\n  - {id: a, x: traffic.laod, y: accepted}\n",
     "x.yaml:5: x 'traffic.laod' is unknown; did you mean 'traffic.load'?"},
    {B "figures:\n  - {id: a, x: traffic.load}\n", "x.yaml:5: a figure needs the key 'y'"},
    {B "figures:\n  - {id: a, x: traffic.load, y: verdict.dedlocked}\n",
     "x.yaml:5: verdict 'dedlocked' is unknown; did you mean 'deadlocked'?"},
    {B "figures:\n  - {id: a, x: cycle, y: accepted}\n", "x.yaml:5: a figure over cycles needs measure.window"},
    {B "measure: {window: 100}\nfigures:\n  - {id: a, x: cycle, y: acepted}\n",
     "x.yaml:6: series 'acepted' is unknown; did you mean 'accepted'?"},
    {F "  - {id: a, x: traffic.load, y: lost}\n", "x.yaml:6: the id 'a' is taken in line 5"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, by: seed}\n",
     "x.yaml:5: 'a' would mix 2 values of method: put it into x, by (columns) or where"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, by: traffic.load}\n",
     "x.yaml:5: traffic.load is already what x shows"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, by: mehtod}\n",
     "x.yaml:5: key 'mehtod' is unknown; did you mean 'method'?"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, where: {method: misrout}}\n",
     "x.yaml:5: method 'misrout' is unknown; did you mean 'misroute'?"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, where: {traffic.load: 0.3}}\n",
     "x.yaml:5: no run has traffic.load = 0.3; there are 0.1, 0.2"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, where: {verdict: study}}\n",
     "x.yaml:5: verdict 'study' is unknown; did you mean 'steady'?"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, where: {}, relative: {seed: 1}}\n",
     "x.yaml:5: relative: seed is neither x nor in by"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, relative: {traffic.load: [0.1, 0.2]}}\n",
     "x.yaml:5: relative must name one key and one value of it"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, difference: {seed: 1}}\n",
     "x.yaml:5: difference: seed is neither x nor in by"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, change: {method: updown}, difference: {method: updown}}\n",
     "x.yaml:5: only one of relative, change and difference"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, ymin: low}\n",
     "x.yaml:5: ymin: 'low' is not a number"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: [0.1, 0.2]}\nmethod: [updown, misroute]\nfigures:\n  - {id: a, x: "
     "traffic.load, y: accepted, color: red}\n",
     "x.yaml:5: key 'color' is unknown; known here: id, kind, title, x, y, by, where, over, relative, change, "
     "difference, "
     "base, "
     "rank, "
     "xlabel, ylabel, ymin, ymax, log, along"},
    {B "tables:\n  - {id: a, x: traffic.load}\n", "x.yaml:5: key 'x' is unknown; known here: id, title, rows, value, "
                                                  "columns, where, over, relative, change, difference, "
                                                  "base, "
                                                  "rank"},
    {B "claims: 3\n", "x.yaml:4: claims must be a list, each item starting with '- '"},
    {C "measure: {value: 0.1}}\n", "x.yaml:7: claim 'c' must pick one curve of 'a': curve: {method: ...}"},
    {C "curve: {method: updown}, measure: {value: 0.1, ratio: [1, 2]}}\n",
     "x.yaml:7: measure: only one of value, ratio, difference, slope, loss, share and peak"},
    {C "curve: {method: updown}, measure: {}}\n",
     "x.yaml:7: measure needs one of value, ratio, difference, slope, loss, share and peak"},
    {C "curve: {method: updown}, measure: {peak: 0.1}}\n", "x.yaml:7: peak is all, or two values of x: [FROM, TO]"},
    {C "curve: {method: updown}, measure: {peak: [0.1]}}\n", "x.yaml:7: peak needs two values of x: [FROM, TO]"},
    {C "curve: {method: updown}, measure: {peak: all, between: [0, 1]}}\n", "x.yaml:7: between goes with share only"},
    {C "curve: {method: updown}, measure: {value: 0.1, relative: {method: misroute}}}\n",
     "x.yaml:7: relative goes with peak only: give the figure itself the key 'relative'"},
    {C "curve: {method: updown}, measure: {peak: all, relative: {traffic.load: 0.1}}}\n",
     "x.yaml:7: relative: traffic.load does not distinguish curves of 'a'"},
    {C "curve: {method: updown}, measure: {peak: all, relative: {method: [updown, misroute]}}}\n",
     "x.yaml:7: relative must name one key and one value of it"},
    {C "curve: {method: updown}, measure: {peak: all, relative: {method: misroute}, difference: {method: misroute}}}\n",
     "x.yaml:7: either relative or difference"},
    {C "curve: {method: updown}, measure: {peak: all, difference: {traffic.load: 0.1}}}\n",
     "x.yaml:7: difference: traffic.load does not distinguish curves of 'a'"},
    {C "curve: {method: updown}, measure: {difference: 0.1}}\n",
     "x.yaml:7: difference needs two values of x: [FROM, TO]"},
    {C "curve: {method: updown}, measure: {diference: [0, 1]}}\n",
     "x.yaml:7: key 'diference' is unknown; did you mean 'difference'?"},
    {C "curve: {method: updown}, measure: {peak: all, relative: {method: uturn}}}\n",
     "x.yaml:7: method 'uturn' is unknown; known here: updown, misroute"},
    {"fabric: kary-ntree:k=2,n=2\ntraffic: {load: 0.1}\nmethod: [updown, misroute]\nfaults: {count: [0, 1]}\nfigures:\n"
     "  - {id: a, x: faults.count, y: accepted, relative: {method: updown}}\nclaims:\n"
     "  - {id: c, says: s, figure: a, published: 1, curve: {method: misroute}, "
     "measure: {peak: all, relative: {method: updown}}}\n",
     "x.yaml:8: relative: 'a' is relative already"},
    {C "curve: {method: updown}, measure: {slope: 3}}\n", "x.yaml:7: slope needs two values of x: [FROM, TO]"},
    {C "curve: {method: updown}, measure: {share: lost}}\n",
     "x.yaml:7: share 'lost' is unknown; did you mean 'lossy'?"},
    {C "curve: {method: updown}, measure: {value: 0.1, between: [0, 1]}}\n", "x.yaml:7: between goes with share only"},
    {C "curve: {method: updown}}\n", "x.yaml:7: a claim needs the key 'measure'"},
    {C "curve: {seed: 1, method: updown}, measure: {value: 0.1}}\n",
     "x.yaml:7: curve: seed does not distinguish curves of 'a'"},
    {F2 "claims:\n  - {id: c, says: s, figure: b, published: 1, measure: {value: 0.1}}\n",
     "x.yaml:7: figure 'b' is unknown; known here: a"},
    {F2 "claims:\n  - {id: c, says: s, figure: a, compare: abuot, published: 1, curve: {method: updown}, measure: "
        "{value: 0.1}}\n",
     "x.yaml:7: compare 'abuot' is unknown; did you mean 'about'?"},
    {F2 "claims:\n  - {id: c, says: s, figure: a, curve: {method: updown}, measure: {value: 0.1}}\n",
     "x.yaml:7: a claim needs the key 'published'"},
    {C "tolerance: -1, curve: {method: updown}, measure: {value: 0.1}}\n", "x.yaml:7: tolerance must not be negative"},
    {F2 "claims:\n  - {id: c, figure: a, published: 1, measure: {value: 0.1}}\n",
     "x.yaml:7: a claim needs the key 'says'"},
};

/* The message that a file is refused with; "" when it is not. */
static const char *refusal_of(const char *bytes, size_t length, const ripstop_variant *variant, ripstop_error *err) {
  err->text[0] = 0;
  ripstop_spec *spec = ripstop_spec_read_memory("x.yaml", bytes, length, variant, err);
  ripstop_runs *runs = spec ? ripstop_expand(spec, err) : NULL;
  ripstop_runs_free(runs);
  ripstop_spec_free(spec);
  return runs ? "" : err->text;
}

static const char *refusal(const char *bytes, size_t length, bool quick, ripstop_error *err) {
  return refusal_of(bytes, length, &(ripstop_variant){.quick = quick}, err);
}

static void mistakes_are_named_with_file_and_line(void **state) {
  (void)state;
  ripstop_error err;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    for (int quick = 0; quick < 2; quick++)
      assert_string_equal(refusal(mistakes[i].file, strlen(mistakes[i].file), quick, &err), mistakes[i].message);
}

/* The same of a file that is good, for what --set puts in place of its values. */
typedef struct set_mistake {
  const char *file, *set[2], *message;
} set_mistake;

#define G      B "faults: {set: 0/0/2}\n"
#define PROOF  "fabric: torus:4x4\nmethod: dor\nprove: {sets: 10}\n"
#define SERIES B "figures:\n  - {id: a, x: faults.count, y: accepted, by: method}\n"

static const set_mistake set_mistakes[] = {
    {B, {"seed"}, "x.yaml: --set seed: must be KEY=VALUE, as in 'seed=7' or 'faults.count=[0, 3]'"},
    {B, {"=3"}, "x.yaml: --set =3: must be KEY=VALUE, as in 'seed=7' or 'faults.count=[0, 3]'"},
    {B, {"sead=3"}, "x.yaml: --set sead=3: key 'sead' is unknown; did you mean 'seed'?"},
    {B, {"trafic.load=3"}, "x.yaml: --set trafic.load=3: key 'trafic.load' is unknown; did you mean 'traffic.load'?"},
    {B, {"quick=3"}, "x.yaml: --set quick=3: key 'quick' is unknown"},
    {B, {"seed=many"}, "x.yaml: --set seed=many: seed: 'many' is not a whole number"},
    {B, {"seed=1", "seed=2"}, "x.yaml: --set seed=2: seed is set twice"},
    {B, {"seed=[1, 2, 1]"}, "x.yaml: --set seed=[1, 2, 1]: seed: '1' stands in the list twice"},
    {B, {"seed=[]"}, "x.yaml: --set seed=[]: seed: the list is empty"},
    {B, {"seed=[1, 2"}, "x.yaml: --set seed=[1, 2: this is not YAML: did not find expected ',' or ']'"},
    {B, {"seed={a: 1}"}, "x.yaml: --set seed={a: 1}: seed must be one plain value, not a mapping"},
    {B,
     {"faults.count=[0, 999]"},
     "x.yaml: --set faults.count=[0, 999]: faults.count: 999 of switch-links cannot fail"},
    {B, {"method=updwn"}, "x.yaml: --set method=updwn: "},
    {B, {"fabric=torus:0"}, "x.yaml: --set fabric=torus:0: "},
    {B, {"faults.samples=0"}, "x.yaml: --set faults.samples=0: faults.samples must be N, 'all up to N' or 'all'"},
    {B, {"faults.set=0/0"}, "x.yaml: --set faults.set=0/0: faults.set: no link '0/0' in"},
    {B, {"faults.set=0/0/2", "faults.count=1"}, "x.yaml: --set faults.set=0/0/2: faults: only one of count, set and"},
    {B, {"faults.file=[]"}, "x.yaml: --set faults.file=[]: faults.file: the list is empty"},
    {B, {"faults.file=nowhere"}, "x.yaml: --set faults.file=nowhere: faults.file: nowhere: No such file"},
    {G, {"faults.count=999"}, "x.yaml: --set faults.count=999: faults.count: 999 of switch-links cannot fail"},
    {B,
     {"workload.packet=1"},
     "x.yaml: --set workload.packet=1: key 'workload.packet' goes with 'workload:', and this"},
    {G, {"faults.keep=connected"}, "x.yaml: --set faults.keep=connected: faults.keep goes with faults.count only"},
    {PROOF, {"faults.samples=3"}, "x.yaml: --set faults.samples=3: faults.samples does not go with prove"},
    {PROOF "quick: {faults.samples: 3}\n", {NULL}, "x.yaml:4: faults.samples does not go with prove"},
    {PROOF,
     {"traffic.load=3"},
     "x.yaml: --set traffic.load=3: key 'traffic.load' goes with 'traffic:', and this experiment has 'prove:'"},
    {SERIES,
     {"switch.in_queue=[2, 4]"},
     "x.yaml:5: 'a' would mix 2 values of switch.in_queue: put it into x, by (columns) or where"},
};

static void what_is_set_wrongly_is_named(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof set_mistakes / sizeof *set_mistakes; i++) {
    ripstop_error err;
    const set_mistake *m = &set_mistakes[i];
    ripstop_variant variant = {.sets = (size_t) !!m->set[0] + !!m->set[1], .set = m->set};
    assert_string_equal(refusal_of(m->file, strlen(m->file), NULL, &err), m->set[0] ? "" : err.text);
    const char *message = refusal_of(m->file, strlen(m->file), &variant, &err);
    if (strncmp(message, m->message, strlen(m->message)) || !*message) fail_msg("%s, not %s", message, m->message);
    assert_null(strchr(message, '\n'));
  }
}

static void offsets_of_seeds_that_meet_are_refused(void **state) {
  (void)state;
  static const char seeds[] = B "seed: [1, 2, 3]\n", large[] = B "seed: 18446744073709551615\n";
  ripstop_error err;
  assert_string_equal(refusal_of(seeds, strlen(seeds), &(ripstop_variant){.seed_offset = 2}, &err),
                      "x.yaml: --seed-offset 2: 1 and another of the seeds are that far apart; take a larger one");
  assert_string_equal(refusal_of(large, strlen(large), &(ripstop_variant){.seed_offset = 1}, &err),
                      "x.yaml: --seed-offset 1: seed 18446744073709551615 is too large for it");
  assert_string_equal(refusal_of(seeds, strlen(seeds), &(ripstop_variant){.seed_offset = 3}, &err), "");
}

static void good_beginnings_are_good(void **state) {
  (void)state;
  ripstop_error err;
  const char *good[] = {B, F, F2, C "curve: {method: updown}, measure: {loss: [0.1, 0.2]}}\n"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    assert_string_equal(refusal(good[i], strlen(good[i]), false, &err), "");
}

static void bytes_that_are_no_text_are_refused(void **state) {
  (void)state;
  ripstop_error err;
  assert_string_equal(refusal("\0\1", 2, false, &err),
                      "x.yaml:1: this is not YAML: control characters are not allowed");
  assert_string_equal(refusal("a: \xff\n", 5, false, &err), "x.yaml:1: this is not YAML: invalid leading UTF-8 octet");
  assert_string_equal(refusal(B "title: \"a\0b\"\n", sizeof B "title: \"a\0b\"\n" - 1, false, &err),
                      "x.yaml:4: this is not YAML: control characters are not allowed");
}

/* A good file that is cut off anywhere is good or refused with one line; it never crashes. */
static void cut_off_files_are_survived(void **state) {
  (void)state;
  static const char whole[] = C "curve: {method: updown}, measure: {loss: [0.1, 0.2]}}\n";
  ripstop_error err;
  for (size_t length = 0; length < sizeof whole; length++) {
    char *cut =
        malloc(length + 1); /* an allocation of exactly this length, so that sanitizers see the first byte behind it */
    assert_non_null(cut);
    memcpy(cut, whole, length);
    const char *message = refusal(cut, length, false, &err);
    assert_null(strchr(message, '\n'));
    assert_true(*message == 0 || !strncmp(message, "x.yaml:", 7));
    free(cut);
  }
}

static void refused_as_too_much(ripstop_text *file, const char *message) {
  ripstop_error err;
  assert_string_equal(refusal(file->data, file->length, false, &err), message);
  ripstop_text_free(file);
}

static void floods_are_stopped(void **state) {
  (void)state;
  ripstop_text deep = {0}, wide = {0}, keys = {0}, list = {0}, huge = {0};
  for (int i = 0; i < 100000; i++) ripstop_text_add(&deep, "[");
  refused_as_too_much(&deep, "x.yaml:1: nested deeper than 8 levels");
  ripstop_text_add(&wide, "about: [");
  for (int i = 0; i < YAML_NODES_MAX; i++) ripstop_text_add(&wide, "a,");
  ripstop_text_add(&wide, "]\n");
  refused_as_too_much(&wide, "x.yaml:1: more than 100000 values");
  for (int i = 0; i <= YAML_KEYS_MAX; i++) ripstop_text_add(&keys, "k%d: 1\n", i);
  refused_as_too_much(&keys, "x.yaml:257: more than 256 keys in one place");
  ripstop_text_add(&list, B "seed: [");
  for (int i = 0; i <= 10000; i++) ripstop_text_add(&list, "%d,", i);
  ripstop_text_add(&list, "]\n");
  refused_as_too_much(&list, "x.yaml:4: seed: the list has more than 10000 values");
  for (int i = 0; i <= YAML_BYTES_MAX / 16; i++) ripstop_text_add(&huge, "# sixteen bytes\n");
  refused_as_too_much(&huge, "x.yaml:1: larger than 1048576 bytes");
}

static void a_missing_file_is_named(void **state) {
  (void)state;
  ripstop_error err;
  assert_null(ripstop_spec_read("no/such/file.yaml", NULL, &err));
  assert_non_null(strstr(err.text, "no/such/file.yaml"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mistakes_are_named_with_file_and_line),
      cmocka_unit_test(what_is_set_wrongly_is_named),
      cmocka_unit_test(offsets_of_seeds_that_meet_are_refused),
      cmocka_unit_test(good_beginnings_are_good),
      cmocka_unit_test(bytes_that_are_no_text_are_refused),
      cmocka_unit_test(cut_off_files_are_survived),
      cmocka_unit_test(floods_are_stopped),
      cmocka_unit_test(a_missing_file_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
