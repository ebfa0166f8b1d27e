/* describe.h - parts by the descriptions that nodes of a dump have, which operators know better than GUIDs. */
#ifndef RIPSTOP_FAULTS_DESCRIBE_H
#define RIPSTOP_FAULTS_DESCRIBE_H

#include "ripstop/plugin/faults.h"

RIPSTOP_BEGIN

/* [nodes] the description of each node; empty: the fabric is not from a dump. In the arena. */
const char *const *ripstop_describe_nodes(ripstop_arena *arena, const ripstop_fabric *fabric);
/* "'spine-1' - 'leaf-02', 'spine-2'": links first, then switches; empty: the fabric is not from a dump. In the arena.
 */
const char *ripstop_describe_parts(ripstop_arena *arena, const ripstop_fabric *fabric, const ripstop_faults *parts);
const char *ripstop_describe_node(ripstop_arena *arena, const ripstop_fabric *fabric, uint32_t node);
const char *ripstop_describe_link(ripstop_arena *arena, const ripstop_fabric *fabric, uint32_t link);

RIPSTOP_END

#endif
