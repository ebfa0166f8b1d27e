/* saturation.c - a run whose load is the one at which the network saturates, found by bisection.
 *
 * A probe is a run at some load. By the interval of what it leaves unserved the load is above (surely something is, and
 * sources grow: the value `saturated`), or it is carried (surely less than SLACK of it is unserved); else the probe is
 * done again with twice the measured cycles, LENGTHS times. From the highest load, 1, the load is halved until one is
 * carried; then the middle between the highest carried and the lowest above is probed until they are close, or one
 * cannot be decided: then the interval is what is left. All probes have the run's seed.
 *
 * Where the network accepts s of whatever more is offered, a load L above s leaves L - s: carried is then only what is
 * below s / (1 - SLACK). So s lies between (1 - SLACK) times the highest load carried and the lowest above, unless some
 * analysis was wrong; all possible analyses share the error that measure.confidence allows. */
#include <math.h>
#include <string.h>

#include "experiment/execute.h"

enum { LENGTHS = 8, HALVINGS = 12, BISECTIONS = 12, LOOKS = LENGTHS * (HALVINGS + BISECTIONS) };
static const double DEFAULT = 0.02; /* half the width of the interval, as a part of the load */

typedef enum { CARRIED, ABOVE, CANNOT_REPORT, NO_ANSWER, STOPPED } answer;

typedef struct search {
  const ripstop_run *run;
  const ripstop_settings *settings;
  const atomic_int *stop;
  double slack, carried, above; /* `carried`: 0, none yet; `above`: INFINITY likewise */
  double probes, seconds;
  ripstop_outcome *out; /* the last probe's */
} search;

/* One analysis. The outcome is freed, except where it is no answer. */
static answer look_at(search *s, double load, int64_t cycles) {
  ripstop_settings probe = *s->settings;
  probe.simulation.traffic.load = load;
  probe.simulation.measure.cycles = cycles;
  probe.simulation.measure.confidence = 1 - (1 - probe.simulation.measure.confidence) / LOOKS;
  if (execute_once(s->run, &probe, s->stop, s->out)) return STOPPED;
  s->probes++, s->seconds += s->out->seconds;
  const ripstop_value *saturated = ripstop_outcome_value(s->out, "saturated"),
                      *unserved = ripstop_outcome_value(s->out, "unserved");
  if (!saturated || !strcmp(s->out->verdict, ripstop_verdict_words[RIPSTOP_DEADLOCKED])) return NO_ANSWER;
  bool above = saturated->value == 1, carried = unserved->value + unserved->half < s->slack * load;
  ripstop_outcome_free(s->out);
  return above ? ABOVE : carried ? CARRIED : CANNOT_REPORT;
}

static answer probe(search *s, double load) {
  answer a = CANNOT_REPORT;
  int64_t cycles = s->settings->simulation.measure.cycles;
  for (int i = 0; i < LENGTHS && a == CANNOT_REPORT; i++) a = look_at(s, load, cycles << i);
  if (a == CARRIED) s->carried = load;
  if (a == ABOVE) s->above = load;
  return a;
}

/* CARRIED: as close as wanted, or not even 1 is above. */
static answer bisect(search *s) {
  answer a = probe(s, 1);
  for (int i = 1; i < HALVINGS && (a == ABOVE || a == CANNOT_REPORT); i++) a = probe(s, ldexp(1, -i));
  for (int i = 0; i < BISECTIONS && a == CARRIED && isfinite(s->above); i++) {
    if (s->above - s->carried <= s->slack * s->above) return CARRIED;
    a = probe(s, (s->carried + s->above) / 2);
    if (a == ABOVE) a = CARRIED;
  }
  return a;
}

/* The row is that of a plain run at the load found. */
static int keep(search *s, answer a) {
  bool all = s->carried == 1; /* nothing is above */
  double low = (1 - s->slack) * s->carried, high = fmin(s->above, 1), load = all ? 1 : (low + high) / 2;
  ripstop_settings last = *s->settings;
  last.simulation.traffic.load = load;
  if (execute_once(s->run, &last, s->stop, s->out)) return -1;
  ripstop_outcome *out = s->out;
  const ripstop_value *accepted = ripstop_outcome_value(out, "accepted");
  out->seconds += s->seconds;
  if (!accepted) return 0;
  const ripstop_value *lost = ripstop_outcome_value(out, "lost.share");
  ripstop_value *value = RIPSTOP_ARRAY(out->arena, out->values + 5, ripstop_value);
  memcpy(value, out->value, out->values * sizeof *value);
  size_t n = out->values;
  value[n++] = (ripstop_value){"saturation.load", "flits/node/cycle", load, all ? NAN : (high - low) / 2};
  value[n++] = (ripstop_value){"saturation.accepted", "flits/node/cycle", accepted->value, accepted->half};
  if (lost) value[n++] = (ripstop_value){"saturation.lost", "1", lost->value, NAN};
  value[n++] = (ripstop_value){"saturation.found", "0 or 1", a == CARRIED && isfinite(s->above), NAN};
  value[n++] = (ripstop_value){"saturation.probes", "runs", s->probes, NAN};
  out->value = value, out->values = n;
  return 0;
}

/* At least one probe, which has no answer: it deadlocked, say, and is the row. Else the row's own run is another. */
void execute_saturation_looks(const ripstop_settings *settings, double warmup, ripstop_looks *out) {
  const double cycles = (double)settings->simulation.measure.cycles, each = warmup + cycles;
  const double probe = LENGTHS * warmup + ((1 << LENGTHS) - 1) * cycles;
  *out = (ripstop_looks){{1, LOOKS + 1}, {each, (HALVINGS + BISECTIONS) * probe + each}};
}

bool execute_seeks_load(const ripstop_settings *settings) {
  return !strcmp(settings->precision.value, "saturation.load");
}

int execute_saturation(const ripstop_run *run, const ripstop_settings *settings, const atomic_int *stop,
                       ripstop_outcome *out) {
  search s = {.run = run, .settings = settings, .stop = stop, .above = INFINITY, .out = out};
  s.slack = execute_seeks_load(settings) && settings->precision.relative > 0 ? settings->precision.relative : DEFAULT;
  answer a = bisect(&s);
  if (a == STOPPED) return -1;
  if (a == NO_ANSWER) return 0;
  return keep(&s, a);
}
