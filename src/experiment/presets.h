/* presets.h - switch.preset: one word in place of many keys of `switch:`. */
#ifndef EXPERIMENT_PRESETS_H
#define EXPERIMENT_PRESETS_H

#include "experiment/axes.h"

/* The value that the preset gives to a key, as "in_queue"; NULL: it leaves the key's default. */
const char *preset_value(ripstop_arena *arena, const char *preset, const char *key);
/* The file has one preset, and this version has all of its keys with these values. Called when the axis of the preset
 * is read, before those of the other keys. The names of runs have the keys, not the preset. */
int preset_check(const reader *r, const ripstop_option *options, ripstop_axis *axis);

#endif
