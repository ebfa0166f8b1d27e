/* judge.c - `ripstop judge FABRIC --tables FILE`: what forwarding tables do, from any source: which pairs they connect,
 * how the paths lie on the links, whether packets can wait for each other forever; and what old and new tables do while
 * one is written over the other. docs/operators.md says what each number means. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "cli/json.h"
#include "cli/judge_ethernet.h"
#include "cli/judge_hosts.h"
#include "cli/table_case.h"
#include "report/json_values.h"
#include "ripstop/kit/proofs.h"

/* ------------------------------------------------------------------ for people */

static double share(uint64_t part, uint64_t all) { return all ? 100 * (double)part / (double)all : 0; }

static void print_pairs(const ripstop_table_verdict *j) {
  printf("  pairs      %" PRIu64 ", of which %" PRIu64 " are not reached", j->pairs, j->unreached);
  if (j->disconnected) printf(" (%" PRIu64 " have no path at all)", j->disconnected);
  printf("\n");
  if (j->dead_ends) printf("  dead ends  %" PRIu64 " paths: no entry, or its port does not lead on\n", j->dead_ends);
  if (j->astray) printf("  astray     %" PRIu64 " paths come out at an adapter that is not theirs\n", j->astray);
  if (j->switch_addresses_unreached)
    printf("  switches   %u of the %u addresses of switches are not reached by all\n", j->switch_addresses_unreached,
           j->switch_addresses);
  if (j->loops) printf("  loops      %" PRIu64 " paths loop forever\n", j->loops);
}

static void print_hops(const ripstop_table_verdict *j) {
  if (!j->reached) return;
  printf("  hops       %.4g between switches on average, %u at most:", j->mean_hops, j->max_hops);
  for (uint32_t i = 0; i <= j->max_hops; i++)
    if (j->hops[i]) printf(" %u: %.3g %%%s", i, share(j->hops[i], j->reached), i < j->max_hops ? "," : "");
  printf("\n");
}

/* Entries with several ports share paths among them, so a link may carry parts of paths. */
static double paths_of(const ripstop_table_verdict *j, uint64_t load) { return (double)load / j->unit; }

static void print_loads(const ripstop_table_case *c, const ripstop_judged *v) {
  const ripstop_table_verdict *j = &v->now;
  if (j->worst_port == RIPSTOP_NONE) return;
  printf("  paths      %.12g on the worst of %u links between switches, counted in each direction, %s; 99 %% of "
         "them carry at most %.12g\n",
         paths_of(j, j->worst), j->channels, ripstop_judge_cycle(c->arena, c->fabric, 1, &j->worst_port, 1, true),
         paths_of(j, j->p99));
  printf("  unused     %u directions, %u links in both", j->unused + 2 * v->own, j->unused_links + v->own);
  if (v->own) printf("; %u of these links go from a switch to itself", v->own);
  printf("\n");
}

/* Tables of both ages are judged for switches with credits or PFC alone. */
static const char *credits_words(bool waits) { return ripstop_deadlock_words[ripstop_deadlock_of_tables(waits)]; }

static void print_deadlock(const ripstop_judged *v) {
  printf("  deadlock   %s", ripstop_deadlock_words[v->deadlock]);
  if (v->witness && v->waiting)
    printf(": %u virtual lanes of links can wait for each other: %s", v->now.in_loops, v->named);
  else if (v->witness)
    printf(": %u %s in credit loops, one of %u: %s", v->now.in_loops,
           v->now.lanes > 1 ? "virtual lanes of links" : "links", v->now.loop_length, v->named);
  printf("\n");
}

static const char *plural(uint32_t count) { return count == 1 ? "" : "s"; }

/* One group: what it is, and what is wrong with its masks. */
static void print_group(const ripstop_group *g, const ripstop_group_verdict *v) {
  printf("             0x%04X", g->mlid);
  if (g->mgid) printf(" (%s)", g->mgid);
  printf(g->assumed ? ", SL unknown, %u assumed" : ", SL %u", v->level);
  printf(": %u switch%s, %u end port%s, %u cable%s", v->switches, v->switches == 1 ? "" : "es", v->end_ports,
         plural(v->end_ports), v->cables, plural(v->cables));
  if (v->forwarding_loop) printf("; FORWARDING LOOP: the masks form a cycle, and packets are copied forever");
  if (v->components > 1) printf("; %u parts, whose members do not reach each other", v->components);
  if (v->asymmetric_ports)
    printf("; %u port%s that nothing sends back to", v->asymmetric_ports, plural(v->asymmetric_ports));
  if (v->not_reached && v->not_reached != RIPSTOP_NONE) printf("; members not reached: %u", v->not_reached);
  printf("\n");
}

static bool is_whole(const ripstop_group_verdict *v) {
  return !v->forwarding_loop && v->components < 2 && !v->asymmetric_ports &&
         (!v->not_reached || v->not_reached == RIPSTOP_NONE);
}

/* The verdict depends on the SLs of all groups, also of those that are not listed. */
static void print_assumed(const ripstop_groups *groups) {
  uint32_t assumed = 0;
  for (uint32_t i = 0; i < groups->groups; i++) assumed += groups->group[i].assumed;
  if (assumed)
    printf("             the verdict assumes SL 0 for %u group%s; saquery -g prints the SLs\n", assumed,
           plural(assumed));
}

/* Groups with faults in their masks; all groups if there are none with faults. */
static void print_multicast(const ripstop_table_case *c, const ripstop_judged *v) {
  enum { SHOWN = 10 };
  const ripstop_multicast_verdict *m = v->now.multicast;
  uint32_t listed = 0, faulty = 0;
  if (c->plan) return;
  if (!m) {
    printf("  multicast  not checked: add opensm.mcfdbs or dump_mfts\n");
    return;
  }
  for (uint32_t i = 0; i < m->groups; i++) faulty += !is_whole(&m->group[i]);
  printf("  multicast  %u group%s, %u with faulty masks; the packets of groups alone %s wait for each other forever\n",
         m->groups, plural(m->groups), faulty, m->credit_loop ? "can" : "cannot");
  for (uint32_t i = 0; i < m->groups; i++)
    if ((faulty == 0 || !is_whole(&m->group[i])) && listed++ < SHOWN)
      print_group(&c->tables->groups->group[i], &m->group[i]);
  if (listed > SHOWN) printf("             %u more with --json\n", listed - SHOWN);
  print_assumed(c->tables->groups);
}

/* Entries of tables in files that have several ports. */
static uint64_t count_adaptive(const ripstop_table_case *c) {
  const ripstop_forwarding *t = c->tables;
  uint64_t count = 0;
  for (uint32_t a = 0; !c->plan && t->sets && a < t->addresses; a++)
    for (uint32_t s = c->fabric->ends; s < c->fabric->nodes; s++)
      count += ripstop_forwarding_hop(t, a, s, 1).port != RIPSTOP_NO_PORT;
  return count;
}

static void print_adaptive(const ripstop_table_case *c) {
  const uint64_t count = count_adaptive(c);
  if (count)
    printf("  adaptive   %" PRIu64 " entries with several ports, all of which count for every packet\n", count);
}

static void print_text(const ripstop_table_case *c, const ripstop_judged *v) {
  printf("%s\n", c->fabric->spec);
  if (c->plan && c->plan->note) printf("  note       %s\n", c->plan->note);
  print_pairs(&v->now);
  print_hops(&v->now);
  print_loads(c, v);
  print_adaptive(c);
  if (v->now.lanes_used > 1) printf("  VLs        %u on each link, by service level\n", v->now.lanes_used);
  print_deadlock(v);
  print_multicast(c, v);
  if (!v->mixed) return;
  printf("  changed    %" PRIu64 " of %" PRIu64 " entries (%.3g %%)", v->transient.changed, v->transient.entries,
         share(v->transient.changed, v->transient.entries));
  if (v->transient.levels)
    printf(", %" PRIu64 " of %" PRIu64 " service levels (%.3g %%)", v->transient.levels_changed, v->transient.levels,
           share(v->transient.levels_changed, v->transient.levels));
  const ripstop_transient *m = &v->transient;
  printf("\n  transient  deadlock %s%s", credits_words(m->credit_loop),
         m->credit_loop ? ", while the new tables are written: "
                        : ", under any transient state of old and new entries");
  if (m->credit_loop) printf("%s", ripstop_judge_cycle(c->arena, c->fabric, m->lanes, m->loop, m->loop_length, true));
  if (m->looping) printf("; packets for %" PRIu64 " addresses can loop forever", m->looping);
  if (m->looping_groups) printf("; packets of %u multicast groups can be copied forever", m->looping_groups);
  printf("\n");
  if (m->old_levels_loop)
    printf("  old levels deadlock %s, while connections use the service levels that they had before: %u %s in "
           "credit loops, one of %u: %s\n",
           credits_words(true), m->old_levels_in_loops, "virtual lanes of links", m->old_levels_length,
           ripstop_judge_cycle(c->arena, c->fabric, m->lanes, m->old_levels_cycle, m->old_levels_length, true));
}

/* ------------------------------------------------------------------ for programs */

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }

static void add(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void add_paths(json_t *object, const char *name, const ripstop_table_verdict *j, uint64_t load) {
  if (load % j->unit == 0)
    add(object, name, load / j->unit);
  else
    json_object_set_new(object, name, ripstop_json_number(paths_of(j, load)));
}

static json_t *json_witness(const ripstop_table_case *c, uint32_t lanes, const uint32_t *loop, uint32_t length) {
  return text_or_null(length > 0 ? ripstop_judge_cycle(c->arena, c->fabric, lanes, loop, length, false) : NULL);
}

static json_t *json_transient(const ripstop_table_case *c, const ripstop_transient *m) {
  json_t *o = json_object();
  add(o, "entries", m->entries);
  add(o, "changed_entries", m->changed);
  add(o, "levels", m->levels);
  add(o, "changed_levels", m->levels_changed);
  add(o, "looping_addresses", m->looping);
  json_object_set_new(o, "credit_loop", json_boolean(m->credit_loop));
  json_object_set_new(o, "witness", json_witness(c, m->lanes, m->loop, m->loop_length));
  json_object_set_new(o, "old_levels_credit_loop", json_boolean(m->old_levels_loop));
  json_object_set_new(o, "old_levels_witness", json_witness(c, m->lanes, m->old_levels_cycle, m->old_levels_length));
  add(o, "looping_groups", m->looping_groups);
  return o;
}

/* For each link of the witness the packets that wait there. */
static json_t *json_waiters(const ripstop_table_verdict *j) {
  json_t *all = json_array();
  for (uint32_t i = 0; i < j->loop_length; i++) {
    json_t *here = json_array();
    for (uint32_t k = j->waiter_first[i]; k < j->waiter_first[i + 1]; k++)
      json_array_append_new(here, j->waiter[k] ? json_sprintf("0x%04X", j->waiter[k]) : json_string("unicast"));
    json_array_append_new(all, here);
  }
  return all;
}

static json_t *json_group(const ripstop_group *g, const ripstop_group_verdict *v) {
  json_t *o = json_object();
  json_object_set_new(o, "mlid", json_sprintf("0x%04X", g->mlid));
  json_object_set_new(o, "mgid", g->mgid ? ripstop_json_text(g->mgid) : json_null());
  add(o, "sl", v->level);
  json_object_set_new(o, "sl_assumed", json_boolean(g->assumed));
  json_object_set_new(o, "vl", v->lane == RIPSTOP_NONE ? json_null() : json_integer(v->lane));
  add(o, "switches", v->switches);
  add(o, "end_ports", v->end_ports);
  add(o, "cables", v->cables);
  add(o, "components", v->components);
  json_object_set_new(o, "forwarding_loop", json_boolean(v->forwarding_loop));
  add(o, "asymmetric_ports", v->asymmetric_ports);
  json_object_set_new(o, "not_reached", v->not_reached == RIPSTOP_NONE ? json_null() : json_integer(v->not_reached));
  return o;
}

static json_t *json_multicast(const ripstop_groups *groups, const ripstop_multicast_verdict *v) {
  if (!v) return json_null();
  json_t *o = json_object(), *each = json_array();
  for (uint32_t i = 0; i < v->groups; i++) json_array_append_new(each, json_group(&groups->group[i], &v->group[i]));
  json_object_set_new(o, "groups", each);
  json_object_set_new(o, "credit_loop", json_boolean(v->credit_loop));
  return o;
}

static void print_json(const ripstop_table_case *c, const ripstop_judged *v, const judge_hosts *job) {
  const ripstop_table_verdict *j = &v->now;
  json_t *o = json_object(), *hops = json_array();
  const bool possible = ripstop_deadlock_possible(v->deadlock);
  add(o, "pairs", j->pairs);
  add(o, "unreachable_pairs", j->unreached);
  add(o, "disconnected_pairs", j->disconnected);
  add(o, "dead_ends", j->dead_ends);
  add(o, "astray", j->astray);
  add(o, "loops", j->loops);
  add(o, "unreachable_switch_lids", j->switch_addresses_unreached);
  json_object_set_new(o, "credit_loop", json_boolean(possible));
  json_object_set_new(o, "witness", text_or_null(possible ? v->witness : NULL));
  json_object_set_new(o, "name", possible ? ripstop_json_text(v->named) : json_null());
  add(o, "links_in_credit_loops", possible ? j->in_loops : 0);
  add(o, "lanes", j->lanes_used);
  add_paths(o, "worst_link_paths", j, j->worst);
  add_paths(o, "p99_link_paths", j, j->p99);
  json_object_set_new(o, "mean_hops", ripstop_json_number(j->mean_hops));
  add(o, "max_hops", j->max_hops);
  for (uint32_t i = 0; j->reached && i <= j->max_hops; i++)
    json_array_append_new(hops, json_integer((json_int_t)j->hops[i]));
  json_object_set_new(o, "hops", hops);
  add(o, "adaptive_entries", count_adaptive(c));
  ripstop_cli_json_deadlock(o, v->deadlock);
  json_object_set_new(o, "credit_loop_unicast", json_boolean(possible && j->credit_loop_unicast));
  json_object_set_new(o, "multicast", json_multicast(c->tables->groups, j->multicast));
  json_object_set_new(o, "waits_by", possible && j->waiter_first ? json_waiters(j) : json_null());
  add(o, "links", j->channels + 2 * v->own);
  add(o, "unused_links", j->unused + 2 * v->own);
  add(o, "unused_cables", j->unused_links + v->own);
  add(o, "own_cables", v->own);
  if (c->plan && c->plan->note) json_object_set_new(o, "note", ripstop_json_text(c->plan->note));
  if (v->mixed) json_object_set_new(o, "mixture", json_transient(c, &v->transient));
  judge_hosts_json(job, o);
  json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
  printf("\n");
  json_decref(o);
}

/* ------------------------------------------------------------------ the command */

/* 1 when something is wrong with the tables: for scripts. */
static int verdict_of(const ripstop_judged *v) {
  bool lost = v->now.unreached > v->now.disconnected;
  bool mixed = v->mixed && (v->transient.credit_loop || v->transient.looping || v->transient.looping_groups);
  bool copied = v->now.multicast && v->now.multicast->forwarding_loops > 0;
  return lost || ripstop_deadlock_possible(v->deadlock) || mixed || copied ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

static int judge_and_print(const ripstop_table_words *w, const ripstop_cli_values *old, judge_hosts *job, bool json) {
  ripstop_error err = {0};
  ripstop_table_case c;
  ripstop_judged v;
  ripstop_forwarding *before = NULL;
  int status = ripstop_table_case_open(w, &c, &err);
  if (!status && old->count) status = (before = cli_read_tables(c.fabric, NULL, old, NULL, &err)) ? 0 : -1;
  const ripstop_judging what = {c.view, c.tables, before, c.plan, c.whole};
  if (!status) status = ripstop_judge_whole(c.arena, &what, &v, &err);
  if (!status) status = judge_hosts_open(job, &c, &err);
  if (!status) json ? print_json(&c, &v, job) : print_text(&c, &v);
  if (!status && !json) judge_hosts_print(job);
  int result = status ? ripstop_cli_fail(&err) : verdict_of(&v);
  ripstop_forwarding_free(before);
  ripstop_table_case_close(&c);
  return result;
}

static int refuse_classes(const ripstop_table_words *w) {
  ripstop_error err;
  ripstop_fail(&err, "judge: --classes: %s has no cables of Ethernet", w->fabric);
  return ripstop_cli_fail(&err);
}

int ripstop_cmd_judge(int argc, char **argv) {
  ripstop_table_words w = {.command = "judge"};
  ripstop_cli_values before = {0};
  judge_hosts job = {0};
  const char *classes = NULL;
  bool json = false;
  const ripstop_flag flags[] = {
      CLI_TEXTS("tables", "FILE", &w.tables,
                "Forwarding tables as OpenSM, dump_lfts or ibroute print them, with service levels, VLs and "
                "multicast groups (opensm.mcfdbs, dump_mfts, saquery -g), or ibdiagnet2.far; more files of the same "
                "set may follow. Or a "
                "folder with such a set."),
      CLI_TEXT("method", "METHOD", &w.method, "Judge the tables of a method instead."),
      CLI_TEXTS("before", "FILE", &before,
                "Older tables: judge also what happens while the new ones are written over them."),
      CLI_TEXT(
          "classes", "DIR", &classes,
          "Class maps of Ethernet switches, a config_db.json of SONiC for each: judge also which packets pause which."),
      CLI_TEXT("set", "PARTS", &w.dead, "Links and switches that have failed, written like in fault files."),
      JUDGE_HOSTS_FLAGS(job),
      CLI_SWITCH("json", &json, "Print one JSON object."),
      {0},
  };
  const ripstop_usage usage = {.command = "judge",
                               .arguments = "FABRIC [FILE ...]",
                               .summary = "Judges forwarding tables: lost pairs, load of links, credit loops, changes.",
                               .at_least = 1,
                               .at_most = RIPSTOP_CLI_VALUES,
                               .flags = flags};
  const char *argument[RIPSTOP_CLI_VALUES];
  unsigned count;
  int status = ripstop_cli_parse(&usage, argc, argv, argument, &count);
  if (status == RIPSTOP_CLI_GO_ON) status = ripstop_table_words_take(&w, argument, count);
  if (status == RIPSTOP_CLI_GO_ON && judge_is_ethernet(&w)) return judge_ethernet(&w, &before, classes, job.text, json);
  if (status == RIPSTOP_CLI_GO_ON && classes) return refuse_classes(&w);
  return status == RIPSTOP_CLI_GO_ON ? judge_and_print(&w, &before, &job, json) : status;
}
