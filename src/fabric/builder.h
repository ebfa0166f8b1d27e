/* builder.h - the private part of ripstop_builder: how the fabric module starts, finishes and frees it. A family adds
 * nodes and cables by ripstop/plugin/family.h; ripstop_builder_finish makes the fabric's flat arrays of them. */
#ifndef RIPSTOP_FABRIC_BUILDER_H
#define RIPSTOP_FABRIC_BUILDER_H

#include "ripstop/plugin/family.h"

enum { RIPSTOP_NODE_MAX_PORTS = UINT16_MAX }; /* so that a local port fits ripstop_candidate.port */

ripstop_builder *ripstop_builder_new(ripstop_arena *arena);
/* Moves everything into the fabric's arrays; -1 when the family broke a rule of the builder. The builder stays to be
 * freed either way. */
int ripstop_builder_finish(ripstop_builder *builder, ripstop_fabric *fabric, ripstop_error *err);
void ripstop_builder_free(ripstop_builder *builder);

/* A fabric of a family with a config that is filled already; everything hangs from `arena`, which the fabric owns from
 * then on when all goes well. NULL on error. */
ripstop_fabric *ripstop_fabric_from_config(ripstop_arena *arena, const ripstop_family *family, const void *config,
                                           ripstop_error *err);

#endif
