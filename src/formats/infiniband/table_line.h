/* table_line.h - the lines of a subnet manager's tables, one at a time: forwarding tables, service levels of paths, and
 * the VL of each service level.
 *
 *   forwarding tables   opensm-lfts.dump, dump_lfts, ibroute, opensm.fdbs
 *   service levels      opensm-path-records.dump, `saquery PR`, ibdmchk's file of path SLs
 *   VLs                 opensm-sl2vl.dump, `smpquery sl2vl`, ibdmchk's file of SL2VL tables
 *   multicast           see group_line.h
 *   adaptive routing    ibdiagnet2.far, see adaptive_line.h
 *
 * The tables of a large fabric are gigabytes of text, so a line becomes one record, and nothing is kept but what later
 * lines refer to: the header of a port, or the fields of a path record. Records have GUIDs and LIDs as the file has
 * them, in any range; `src/tables/infiniband` makes forwarding tables of them. */
#ifndef RIPSTOP_FORMATS_INFINIBAND_TABLE_LINE_H
#define RIPSTOP_FORMATS_INFINIBAND_TABLE_LINE_H

#include "base/piece.h"
#include "formats/infiniband/adaptive_line.h"
#include "formats/infiniband/group_line.h"
#include "ripstop/error.h"
#include "ripstop/plugin/base.h"

enum { IB_SERVICE_LEVELS = 16 };

typedef enum ib_line_kind {
  IB_LINE_UNKNOWN,   /* no kind that such files have */
  IB_LINE_BLANK,     /* blank, a comment, a title */
  IB_LINE_KNOWN,     /* a known kind, with nothing to keep */
  IB_LINE_TABLE,     /* begins the forwarding table of `guid` */
  IB_LINE_TABLE_END, /* ends it */
  IB_LINE_ENTRY,     /* `lid` leaves by `out` */
  IB_LINE_PORT,      /* begins the lines of a port: `lid`; of a switch, `guid` too */
  IB_LINE_LEVEL,     /* packets from the source to `lid` have the service level `level` */
  IB_LINE_VLS,       /* packets from port `in` to port `out` get vl[service level] */
  IB_LINE_GROUPS,    /* about multicast: see `group` */
  IB_LINE_ADAPTIVE   /* the ports of a group of the present table: see `adaptive` */
} ib_line_kind;

/* The source of a service level, or the node of VLs. */
typedef enum ib_line_source {
  IB_SOURCE_PORT, /* the port of the last IB_LINE_PORT */
  IB_SOURCE_LID,  /* the node with the LID `source` */
  IB_SOURCE_GUID  /* the node with `guid` */
} ib_line_source;

typedef struct ib_table_line {
  ib_line_kind kind;
  ib_line_source source_kind;
  bool has_guid;   /* in a table, a port, and an entry: there it is the GUID of the port that owns the LID */
  bool wrong_guid; /* in an entry: "portguid" without a GUID behind it */
  bool bare;       /* in an entry: nothing follows the port number */
  bool endless;    /* in a table: no line ends it */
  uint64_t guid, lid, source, level, in, out;
  uint8_t vl[IB_SERVICE_LEVELS];
  ib_group_line group;
  ib_adaptive_line adaptive; /* in an entry: `group`, if the switch may take any port of it; otherwise RIPSTOP_NONE */
  piece name; /* in a table the switch's; in an entry the rest of the line. It lasts as long as the line */
} ib_table_line;

/* The state between lines. Set `path` and `line` before each line; ib_tables_file begins a file. */
typedef struct ib_tables {
  const char *path; /* for messages */
  uint32_t line;
  bool port;               /* the lines of a port follow */
  bool routes;             /* the entries of opensm.fdbs follow */
  bool record;             /* the fields of a path record follow */
  uint64_t source, target; /* the LIDs so far; UINT64_MAX: missing */
  ib_groups groups;
  ib_adaptive adaptive;
} ib_tables;

void ib_tables_file(ib_tables *t, const char *path);
/* The next line, without its end. -1: it begins as a line of a known kind and goes on as no such line can. */
int ib_tables_line(ib_tables *t, piece line, ib_table_line *out, ripstop_error *err);
/* True if the quoted description in an entry's line is this one, or if there is none to compare. */
bool ib_line_describes(piece line, const char *description);
/* True if a switch's name in the head of its table may be this one: programs cut names at 64 bytes, and replace
 * unusual characters. */
bool ib_line_names(piece name, const char *switch_name);

#endif
