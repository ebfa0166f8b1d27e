/* reported.h - the invented experiment (invented.h) whose outcomes are a formula: of its figures and claims, and of its
 * pages. */
#ifndef RIPSTOP_TESTS_REPORTED_H
#define RIPSTOP_TESTS_REPORTED_H

#include <math.h>

#include "invented.h"

static const char text[] =
    "title: \"A <script>alert('x')</script> & more\"\n"
    "about: \"5 > 4 \\\"quoted\\\"\"\n"
    "fabric: kary-ntree:k=2,n=2\n"
    "method: [updown, 'misroute']\n"
    "faults: {count: [0, 1, 2, 4], samples: 3}\n"
    "traffic: {load: [0.2, 0.9]}\n"
    "measure: {confidence: 0.9, window: 100}\n"
    "figures:\n"
    "  - {id: plain, title: 'it''s `date` & <b>', x: faults.count, y: accepted, ymin: 0}\n"
    "  - {id: low, x: faults.count, y: accepted, where: {traffic.load: 0.2}}\n"
    "  - {id: relative, x: faults.count, y: accepted, relative: {faults.count: 0}}\n"
    "  - {id: against, x: faults.count, y: accepted, relative: {method: updown}}\n"
    "  - {id: steady, x: faults.count, y: accepted, where: {verdict: [steady]}}\n"
    "  - {id: share, x: faults.count, y: verdict.deadlocked}\n"
    "  - {id: words, x: method, y: accepted, by: [faults.count, traffic.load]}\n"
    "  - {id: none, x: faults.count, y: control.settling}\n"
    "  - {id: time, x: cycle, y: accepted, by: [method, traffic.load], where: {faults.count: 0}}\n"
    "tables:\n"
    "  - {id: rows, title: A table, rows: faults.count, value: accepted, columns: [method, traffic.load]}\n"
    "claims:\n"
    "  - {id: value, says: s, figure: plain, curve: {method: updown, traffic.load: 0.2}, measure: {value: 2}, "
    "published: 0.8, tolerance: 0.05}\n"
    "  - {id: ratio, says: s, figure: plain, curve: {method: updown, traffic.load: 0.2}, measure: {ratio: [4, 0]}, "
    "published: 0.1}\n"
    "  - {id: slope, says: s, figure: low, curve: {method: misroute}, measure: {slope: [0, 4]}, published: -0.05, "
    "tolerance: 1e-9}\n"
    "  - {id: loss, says: s, figure: low, curve: {method: updown}, measure: {loss: [0, 2]}, published: 0.1, compare: "
    "at-most, tolerance: 0.01}\n"
    "  - {id: most, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 0.9, compare: "
    "at-most}\n"
    "  - {id: least, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 0.9, compare: "
    "at-least}\n"
    "  - {id: share, says: s, figure: low, curve: {method: misroute}, measure: {share: deadlocked, between: [1, 4]}, "
    "published: 0.5}\n"
    "  - {id: wide, says: s, figure: low, curve: {method: updown}, measure: {value: 2}, published: 0.802, tolerance: "
    "0.001}\n"
    "  - {id: most-2, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 0.99, "
    "compare: "
    "at-most}\n"
    "  - {id: least-2, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 1.01, "
    "compare: "
    "at-least, tolerance: 0.005}\n"
    "  - {id: most-3, says: s, figure: low, curve: {method: updown}, measure: {value: 0}, published: 0.99, "
    "compare: "
    "at-most, tolerance: 0.011}\n"
    "  - {id: one-bad, says: s, figure: low, curve: {method: misroute}, measure: {share: deadlocked, between: [0, "
    "2]}, "
    "published: 0, compare: at-most}\n"
    "  - {id: no-bad, says: s, figure: low, curve: {method: misroute}, measure: {share: deadlocked, between: [0, "
    "1]}, "
    "published: 0, compare: at-most}\n"
    "  - {id: not-all, says: s, figure: low, curve: {method: misroute}, measure: {share: steady, between: [0, "
    "2]}, "
    "published: 1, compare: at-least}\n"
    "  - {id: peak, says: s, figure: low, curve: {method: updown}, measure: {peak: all}, published: 1, tolerance: "
    "0.05}\n"
    "  - {id: peak-w, says: s, figure: words, curve: {faults.count: 2, traffic.load: 0.2}, measure: {peak: "
    "all, relative: {faults.count: 0}}, published: 0.9, tolerance: 0.05}\n"
    "  - {id: peak-s, says: s, figure: low, curve: {method: misroute}, measure: {peak: [2, 4], relative: "
    "{method: updown}}, published: 1.125}\n"
    "  - {id: peak-t, says: s, figure: time, curve: {method: updown, traffic.load: 0.2}, measure: {peak: "
    "all}, published: 0.9}\n"
    "  - {id: peak-0, says: s, figure: low, curve: {method: misroute}, measure: {peak: [5, 9]}, published: 1}\n"
    "  - {id: nowhere, says: s, figure: time, curve: {method: updown, traffic.load: 0.2}, measure: {value: 999999}, "
    "published: 0.5}\n";

/* updown: 1 - f/10, misroute: 1 - f/20; samples 0, 1, 2 differ by -0.01, 0, +0.01. Load 0.9 carries half as much. */
static double formula(const ripstop_run *run) {
  bool misroute = !strncmp(ripstop_run_key(run, "method"), "misroute", 8);
  double scale = !strcmp(ripstop_run_key(run, "traffic.load"), "0.9") ? 0.5 : 1;
  return scale * (1 - run->fault_count / (misroute ? 20.0 : 10.0) + 0.01 * ((double)run->sample - 1));
}

/* With four faults misroute deadlocks, in the last sample with two as well; updown never does. */
static const char *verdict(const ripstop_run *run) {
  bool misroute = !strncmp(ripstop_run_key(run, "method"), "misroute", 8);
  bool dead = misroute && (run->fault_count == 4 || (run->fault_count == 2 && run->sample == 2));
  return ripstop_outcome_words[dead ? RIPSTOP_DEADLOCKED : RIPSTOP_STEADY];
}

static const ripstop_outcome *invent(ripstop_arena *arena, const ripstop_run *run) {
  ripstop_outcome *o = RIPSTOP_NEW(arena, ripstop_outcome);
  ripstop_value *value = RIPSTOP_ARRAY(arena, 3, ripstop_value);
  value[0] = (ripstop_value){"accepted", "flits/node/cycle", formula(run), 0.125};
  value[1] = (ripstop_value){"run.cycles", "cycles", 250, NAN};
  value[2] = (ripstop_value){"dead", "0 or 1", strcmp(verdict(run), "deadlocked") == 0, NAN};
  ripstop_window *window = RIPSTOP_ARRAY(arena, 3, ripstop_window);
  for (size_t i = 0; i < 3; i++) window[i] = (ripstop_window){.cycle = 100 * i, .delivered_flits = 200, .latency = NAN};
  *o = (ripstop_outcome){.verdict = verdict(run),
                         .reason = "queue <a> waits for <b>",
                         .faults = "0/0/2",
                         .values = 3,
                         .value = value,
                         .windows = 3,
                         .window = window,
                         .seconds = 1};
  return o;
}

static int open_fixture(void **state) {
  *state = invented_open(text, invent);
  return 0;
}

#endif
