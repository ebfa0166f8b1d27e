/* presets.h - switch.preset: one word in place of many keys of `switch:`. */
#ifndef EXPERIMENT_PRESETS_H
#define EXPERIMENT_PRESETS_H

#include "experiment/axes.h"

/* The number of a preset: axes have the values of all presets by it (ripstop_axis.of_preset). `name` was accepted. */
size_t preset_number(const char *name);
/* The value that the preset gives to a key, as "in_queue"; NULL: it leaves the key's default. */
const char *preset_value(ripstop_arena *arena, const char *preset, const char *key);
/* Describes what the preset models, and the source of that; NULL: no preset has this name. */
const char *preset_about(const char *name);
/* All of its keys, "queues=voq speedup=2"; "" for none. */
const char *preset_keys(const char *name);
/* The link.rate that it brings, as "400Gb/s"; NULL: none, or no preset has this name. */
const char *preset_rate(const char *name);
/* The workload.kmin and workload.kmax, in flits, that it brings to jobs that respond to marks. False: none. */
bool preset_marks(const ripstop_spec *spec, const char *name, const char **kmin, const char **kmax);
/* This version has all keys of the axis's presets, with these values. Called when the axis of the preset is read,
 * before those of the other keys. The names of runs have the keys, not the preset. */
int preset_check(const reader *r, const ripstop_option *options, ripstop_axis *axis);
/* Fills in axis->of_preset, for a key of the switch that is not given. */
void preset_fill(const reader *r, const axis_kind *kind, ripstop_axis *axis);
/* The preset that simulations of a method use: `asked`, or where it is RIPSTOP_OF_METHOD the method's own. Where the
 * keys that the file gives do not go with that it is RIPSTOP_PRESET; then *clash is the setting that does not, else
 * NULL. `method` is a canonical spec; `clash` may be NULL. */
const char *preset_in_use(const ripstop_spec *spec, const char *method, const char *asked,
                          const ripstop_setting **clash);
/* Adds those of its keys that the file leaves to it, as "queues=voq speedup=2". */
void preset_print(const ripstop_spec *spec, const char *preset, ripstop_text *out);
/* True if queues count what the preset's sizes count: packets, or flits if it sets `unit`. Else a run has none of its
 * sizes. `unit`: the axis of switch.unit, of which the run has the setting `given`. */
bool preset_counts(size_t preset, const ripstop_axis *unit, const ripstop_setting *given);
/* The values of a size of queues that is not given, by the presets in use, each once; returns how many. */
size_t preset_values(const ripstop_spec *spec, const ripstop_axis *axis, const char *out[RIPSTOP_PRESETS_MOST]);

#endif
