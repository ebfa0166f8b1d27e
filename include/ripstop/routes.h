/* routes.h - forwarding tables, as subnet managers write them into switches: read from files or made of a plan, judged,
 * and written to files. docs/operators.md says what each value means. */
#ifndef RIPSTOP_ROUTES_H
#define RIPSTOP_ROUTES_H

#include "ripstop/plan.h"
#include "ripstop/result.h"

RIPSTOP_BEGIN

typedef struct ripstop_forwarding ripstop_forwarding;

/* Reads one set of tables for the view's fabric: `path` ([paths]) are files of OpenSM or infiniband-diags that belong
 * together (dump_lfts, ibroute, opensm.fdbs, service levels, VLs, multicast groups), or folders with such a set. The
 * fabric must outlive the tables. The caller frees them; NULL on error. */
ripstop_forwarding *ripstop_routes_read(const ripstop_view *view, const char *const *path, size_t paths,
                                        ripstop_error *err);
/* The tables of a plan, with service levels and VLs for its channels. The plan's fabric must outlive them. The caller
 * frees them. NULL: an error, or the method has no tables by destination, or needs more channels than service levels
 * can express; the error says which. */
ripstop_forwarding *ripstop_routes_make(ripstop_plan *plan, ripstop_error *err);
/* Writes lfts.dump, sl.dump and sl2vl.dump into a folder, which is made if it does not exist: forwarding tables as
 * `opensm -R file` loads them, the service level of each pair, and VLs as ibdmchk reads them. -1: an error. */
int ripstop_routes_write(const ripstop_forwarding *tables, const char *folder, ripstop_error *err);
void ripstop_forwarding_free(ripstop_forwarding *tables); /* NULL is fine */

/* Judges tables on a view of their fabric, for switches with credits or PFC: pairs that they lose, paths on the links,
 * credit loops. `before`: older tables, in whose place these are written switch by switch, or NULL; then the values
 * "transient.*" say what can happen meanwhile. `ripstop help values` lists the values of tables. Texts are "verdict",
 * and "witness", a credit loop. The caller frees the result; NULL on error. */
ripstop_result *ripstop_routes_judge(const ripstop_view *view, const ripstop_forwarding *tables,
                                     const ripstop_forwarding *before, ripstop_error *err);

RIPSTOP_END

#endif
