/* kinds.c - see kinds.h. */
#include "formats/infiniband/kinds.h"

#include "formats/infiniband/csv_subnet.h"
#include "formats/infiniband/lines.h"
#include "formats/infiniband/report.h"
#include "formats/infiniband/subnet_list.h"

static bool any_begins(piece line, const char *const *list) {
  for (; *list; list++)
    if (piece_begins(line, *list)) return true;
  return false;
}

/* "[1]" */
static bool begins_port(piece line) {
  uint32_t number;
  return piece_take_char(&line, '[') && piece_count(&line, UINT16_MAX, &number) && piece_take_char(&line, ']');
}

/* "Switch 40 S-1", "Ca H-1": a number or an id behind the word, for these are words of edge lists, too. */
static bool begins_node(piece line) {
  static const char *const words[] = {"Switch", "Ca", "Hca", "Rt", NULL}, *const ids[] = {"\"", "S-", "H-", "R-", NULL};
  const piece word = piece_next_word(&line), next = piece_next_word(&line), behind = piece_next_word(&line);
  for (unsigned i = 0; words[i]; i++)
    if (piece_is(word, words[i])) return (piece_is_number(next) && piece_length(behind) > 0) || any_begins(next, ids);
  return false;
}

static bool begins_dump(piece line) {
  static const char *const settings[] = {"vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", NULL};
  return any_begins(line, settings) || begins_node(line) || begins_port(line);
}

static bool begins_link_line(piece line) { return piece_find(line, "==(") != NULL || piece_begins(line, "Switch: 0x"); }

static bool is_table(piece line) { return piece_begins(line, "Unicast lids"); }

static bool is_fdbs(piece line) {
  return piece_find(line, "dump_ucast_routes: Switch 0x") != NULL || piece_begins(line, "LID    : Port : Hops");
}

static bool is_mcfdbs(piece line) { return piece_begins(line, "LID    : Out Port"); }

static bool is_adaptive(piece line) {
  return piece_begins(line, "Groups Definition:") || piece_begins(line, "LFT Definition:");
}

static bool is_groups_table(piece line) { return piece_begins(line, "Multicast mlids"); }

static bool is_levels(piece line) {
  return piece_begins(line, "# SL2VL table") || piece_begins(line, "SL2VL table:") ||
         (piece_begins(line, "Switch 0x") && piece_find(line, "base LID"));
}

static bool is_record(piece line) {
  static const char *const list[] = {"PathRecord dump", "MCMemberRecord", "MGID....", "Mlid....", NULL};
  return any_begins(line, list);
}

static bool is_errors(piece line) {
  piece at = line;
  return piece_find(line, " == ") &&
         (piece_begins(line, "Errors for ") || (piece_take(&at, "GUID 0x") && piece_find(at, " port ")));
}

static bool begins_errors(piece line) {
  return piece_begins(line, "Errors for 0x") || piece_begins(line, "Errors for \"");
}

static bool is_counters(piece line) {
  return piece_begins(line, "# Port counters: Lid") || piece_begins(line, "# Port extended counters: Lid");
}

static const ib_kind kinds[] = {
    {"a dump of ibnetdiscover", ripstop_ib_is_node_line, begins_dump, ripstop_ib_read_lines},
    {"a report of ports of ibnetdiscover -p", ripstop_ib_is_port_line, ripstop_ib_begins_port_line,
     ripstop_ib_read_report},
    {"a report of iblinkinfo", ripstop_ib_is_link_line, begins_link_line, ripstop_ib_read_report},
    {"OpenSM's list of links (opensm-subnet.lst)", ib_is_list_line, ib_begins_list_line, ib_read_list},
    {"ibdiagnet's tables (ibdiagnet2.db_csv)", ib_is_csv_line, NULL, ib_read_csv},
    {"forwarding tables (opensm-lfts.dump, dump_lfts)", is_table, NULL, NULL},
    {"OpenSM's forwarding tables (opensm.fdbs)", is_fdbs, NULL, NULL},
    {"ibdiagnet's tables of adaptive routing (ibdiagnet2.far)", is_adaptive, NULL, NULL},
    {"OpenSM's multicast forwarding tables (opensm.mcfdbs)", is_mcfdbs, NULL, NULL},
    {"multicast forwarding tables (dump_mfts, ibroute -M)", is_groups_table, NULL, NULL},
    {"tables of service levels (opensm-sl2vl.dump, opensm-path-records.dump)", is_levels, NULL, NULL},
    {"records of saquery", is_record, NULL, NULL},
    {"error counters of ibqueryerrors", is_errors, begins_errors, NULL},
    {"port counters of perfquery", is_counters, NULL, NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds, FIRST_LINES = 6 };

static bool begins(const ib_kind *kind, piece line) { return (kind->begins ? kind->begins : kind->has)(line); }

const ib_kind *ib_kind_of_line(piece line) {
  for (unsigned k = 0; k < KINDS; k++)
    if (kinds[k].has(line) || begins(&kinds[k], line)) return &kinds[k];
  return NULL;
}

const ib_kind *ib_kind_of(plain_lines lines, uint32_t *number) {
  unsigned has = KINDS, begun = KINDS, first = 0;
  uint32_t begun_line = 0;
  for (piece line; has > 0 && plain_next(&lines, &line);) {
    if (line.at == line.end) continue;
    for (unsigned k = 0; k < has; k++)
      if (kinds[k].has(line)) has = k, *number = lines.number;
    if (*line.at == '#' || first++ >= FIRST_LINES) continue;
    for (unsigned k = 0; k < begun; k++)
      if (begun == KINDS && begins(&kinds[k], line)) begun = k, begun_line = lines.number;
  }
  if (has < KINDS) return &kinds[has];
  *number = begun_line;
  return begun < KINDS ? &kinds[begun] : NULL;
}
