/* units.h - quantities with units in an experiment's texts, and the section `link:`, which gives flits and cycles their
 * lengths.
 *
 * This is the only place that reads them: what follows (canonical texts, settings, the engine) has plain numbers of
 * flits, cycles and bytes. A text without units passes unchanged. */
#ifndef EXPERIMENT_UNITS_H
#define EXPERIMENT_UNITS_H

#include "experiment/reader.h"

/* Replaces quantities in a text. */
typedef struct units {
  ripstop_arena *arena;
  const ripstop_scale *scale;
  const char **notes; /* lines, one more for each quantity that is off by more than 1 % after rounding; may be NULL */
} units;

/* The measure of a key of a section, such as "switch" and "link". For an option of a plug-in the section is
 * "workload kind", "process", "method" or "traffic process". */
ripstop_measure units_measure(const char *section, const char *name);
/* The value of a section's key, as plain numbers. NULL: an error, which names section and key. */
const char *units_option(const units *u, const char *section, const char *name, const char *text, ripstop_error *err);
/* "NAME:a=1us,b=2" of a plug-in; `kind` is its section above. NULL: an error. */
const char *units_spec(const units *u, const char *kind, const char *text, ripstop_error *err);
/* workload.jobs: specs, and the times behind " at ". NULL: an error. */
const char *units_jobs(const units *u, const char *text, ripstop_error *err);
/* A schedule in words, or the rule of a random one. NULL: an error. */
const char *units_schedule(const units *u, const char *text, ripstop_error *err);

/* Reads `link:` into r->spec->scale and moves its delay and flit to where the engine's keys are: *root and r->set then
 * have them as switch.link and workload.flit. Before the sections. */
int units_link(reader *r, yaml_node *root);
/* Once all axes are there: sizes of queues in bytes make the queues count flits. */
int units_queues(const reader *r);

#endif
