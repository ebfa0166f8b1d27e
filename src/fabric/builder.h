/* builder.h - the inside of rs_builder: what a family adds to, and what becomes a fabric's flat arrays. */
#ifndef RS_FABRIC_BUILDER_H
#define RS_FABRIC_BUILDER_H

#include "ripstop/fabric.h"

enum { RS_NODE_MAX_PORTS = UINT16_MAX }; /* so that a local port fits rs_way.port */

rs_builder *rs_builder_new(rs_arena *arena);
/* Moves everything into the fabric's arrays; -1 when the family broke a rule of the builder. The builder stays to be
 * freed either way. */
int rs_builder_finish(rs_builder *builder, rs_fabric *fabric, rs_error *err);
void rs_builder_free(rs_builder *builder);

/* A fabric of a family with a config that is filled already; everything hangs from `arena`, which the fabric owns from
 * then on when all goes well. NULL on error. */
rs_fabric *rs_fabric_from_config(rs_arena *arena, const rs_family *family, const void *config, rs_error *err);

#endif
