/* what.h - what the files of `ripstop what-if` share: the parts that die, what each does, and what is told of it. */
#ifndef RIPSTOP_CLI_WHAT_H
#define RIPSTOP_CLI_WHAT_H

#include "cli/table_case.h"
#include "report/what_if.h"

typedef enum part_kind { CABLES, SWITCHES, PAIRS, GROUPS, KINDS } part_kind;

/* Who lives on, but out of reach of most of the fabric (ripstop_judge_cut_off). */
typedef struct cut_off {
  const uint32_t *node; /* end nodes, then switches */
  uint32_t count, switches;
} cut_off;

typedef struct what {
  ripstop_table_case c;
  ripstop_table_verdict before;
  ripstop_deadlock now; /* of the tables, or of the method that makes them */
  bool given;           /* tables or a method are given */
  bool safe_wanted;     /* the safe set is printed: for cables, and in JSON */
  const char *reroute;  /* the method that makes new tables; NULL: they are repaired */
  part_kind of;
  uint32_t count;
  ripstop_faults *parts;   /* [count] */
  const char **name;       /* [count] */
  const char **told;       /* [count]: how they describe themselves; empty: not at all */
  const char **kind;       /* [count], of groups */
  ripstop_what_if *effect; /* [count] */
  cut_off *off;            /* [count] */
  ripstop_safe_set safe;
  cut_off safe_off;
  ripstop_recognised recognised;
  what_if page;      /* the same for the page */
  ripstop_cuts cuts; /* PAIRS: which part somebody, of all of them */
  bool drawn;        /* PAIRS: not all of them were looked at, but some that part somebody and, */
  uint32_t from;     /* from this one of the parts on, a sample of all */
} what;

static inline double what_share(const ripstop_leaf *leaf) { return (double)leaf->have / (double)leaf->need; }
/* As in fault files, but for a switch, whose name stands alone. */
const char *what_name(const what *w, const ripstop_faults *part);
bool what_is_host_cable(const what *w, uint32_t part);
const char *what_node_name(const what *w, uint32_t node);
/* How a node, or the link, describes itself. */
const char *what_node_told(const what *w, uint32_t node);
const char *what_link_told(const what *w, uint32_t link);

/* Pairs of cables between switches: all of them where there are no more than wanted, else those of which neither parts
 * anybody alone, and so many drawn, each once. */
int what_list_pairs(what *w, uint64_t wanted, uint64_t seed, ripstop_error *err);
int what_list_groups(what *w, const ripstop_cli_values *given, ripstop_error *err);
void what_list_cables(what *w);
void what_list_switches(what *w);

void what_print_text(const what *w, bool all);
void what_print_json(const what *w);

#endif
