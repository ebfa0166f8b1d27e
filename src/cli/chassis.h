/* chassis.h - parts that die together: line cards, chassis, cables side by side, or what patterns say. */
#ifndef RIPSTOP_CLI_CHASSIS_H
#define RIPSTOP_CLI_CHASSIS_H

#include "cli/cli.h"
#include "ripstop/plugin/faults.h"

typedef struct ripstop_group {
  const char *name, *kind; /* "line card", "chassis", "cables side by side", "group" */
  ripstop_faults parts;
} ripstop_group;

/* Switches whose descriptions are the same but for the chip ("director/L03/U1"), switches with one system GUID, and all
 * cables between two switches that have several. Memory from the arena; sorted by kind, then by node. */
void ripstop_groups_found(ripstop_arena *arena, const ripstop_view *view, ripstop_group **out, uint32_t *count);
/* One for each text, which says parts as a fault set does, patterns included. */
int ripstop_groups_given(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_cli_values *texts,
                         ripstop_group **out, uint32_t *count, ripstop_error *err);

#endif
