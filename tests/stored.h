/* stored.h - runs and outcomes for the tests of the store, with all that is easily lost: no reason and one with quotes
 * and lines, numbers that are none, infinite, tiny, zero with a sign. */
#ifndef TESTS_STORED_H
#define TESTS_STORED_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "experiment/odometer.h"
#include "ripstop/kit/store.h"

/* The run with this canonical text, "key=value" lines. It stays good for as long as the thread. */
static inline ripstop_run run_of(const char *canonical) {
  enum { RUNS_MADE = 1024, KEYS = 8 };
  typedef struct made {
    char text[128], whole[128];
    product_key key[KEYS];
    digit digit[KEYS];
    ripstop_axis axis[KEYS];
    ripstop_setting setting[KEYS];
    product product;
  } made;
  static _Thread_local made all[RUNS_MADE];
  static _Thread_local size_t next;
  made *m = &all[next++ % RUNS_MADE];
  size_t keys = 0;
  snprintf(m->text, sizeof m->text, "%s", canonical);
  memcpy(m->whole, m->text, sizeof m->whole);
  for (char *line = m->text, *end; *line; line = end + 1, keys++) {
    end = strchr(line, '\n');
    char *equals = strchr(line, '=');
    *end = *equals = 0;
    m->key[keys] = (product_key){.name = line,
                                 .head = m->whole + (line - m->text),
                                 .head_bytes = (size_t)(equals - line) + 1,
                                 .of = OF_DIGIT,
                                 .digit = &m->digit[keys]};
    m->setting[keys] = (ripstop_setting){.text = equals + 1};
    m->axis[keys] = (ripstop_axis){.key = line, .count = 1, .setting = &m->setting[keys]};
    m->digit[keys] = (digit){.axis = &m->axis[keys], .stride = 1};
  }
  m->product = (product){.keys = keys, .before_source = keys, .key = m->key};
  ripstop_run run = {.product = &m->product};
  ripstop_hash(canonical, strlen(canonical), run.id);
  return run;
}

/* A run that differs from others by this word. */
static inline ripstop_run make_run(const char *word) {
  char canonical[64];
  snprintf(canonical, sizeof canonical, "a=1\nb=x = y\nc=%s\n", word);
  return run_of(canonical);
}

static const ripstop_value values[] = {{"accepted", "flits/node/cycle", 0.1 + 0.2, 1e-300},
                                       {"lost.no route, 'quoted'", "packets", 3, NAN},
                                       {"odd", "1", NAN, NAN},
                                       {"far", "1", INFINITY, -0.0}};
static const ripstop_window windows[] = {{0, 5, 4, 3, 0, 48, NAN}, {100, 6, 7, 8, 1, 128, 31.25}};
static const ripstop_outcome outcome = {.verdict = "deadlocked",
                                        .reason = "queue <a> & queue \"b\"\nsecond line",
                                        .faults = "0/2.1/3 switch:1/0",
                                        .values = 4,
                                        .value = values,
                                        .windows = 2,
                                        .window = windows,
                                        .seconds = 0.25};

static inline bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static inline bool same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

static inline bool same_value(const ripstop_value *a, const ripstop_value *b) {
  return !strcmp(a->name, b->name) && !strcmp(a->unit, b->unit) && same_number(a->value, b->value) &&
         same_number(a->half, b->half);
}

static inline bool same_window(const ripstop_window *a, const ripstop_window *b) {
  return a->cycle == b->cycle && a->generated == b->generated && a->injected == b->injected &&
         a->delivered == b->delivered && a->lost == b->lost && a->delivered_flits == b->delivered_flits &&
         same_number(a->latency, b->latency);
}

static inline bool same_outcome(const ripstop_outcome *a, const ripstop_outcome *b) {
  bool same = !strcmp(a->verdict, b->verdict) && same_text(a->reason, b->reason) && !strcmp(a->faults, b->faults) &&
              a->seconds == b->seconds && a->values == b->values && a->windows == b->windows;
  for (size_t i = 0; same && i < a->values; i++) same = same_value(&a->value[i], &b->value[i]);
  for (size_t i = 0; same && i < a->windows; i++) same = same_window(&a->window[i], &b->window[i]);
  return same;
}

#endif
