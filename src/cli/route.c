/* route.c - `ripstop route FABRIC --method M`: a method's forwarding tables, how well they share the links, how much
 * they change of older ones, and, with -o, as files that OpenSM loads. --entries and --ports print the plan itself. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/local.h"
#include "base/output.h"
#include "cli/json.h"
#include "cli/route_classes.h"
#include "cli/table_case.h"
#include "cli/tables_folder.h"
#include "fabric/ib.h"
#include "prove/new_tables.h"
#include "report/json_values.h"
#include "report/plan_entries.h"
#include "ripstop/kit/proofs.h"
#include "ripstop/kit/repair.h"
#include "route/plan_steps.h"
#include "tables/infiniband/lids.h"

#define LIMIT_DEFAULT UINT64_C(10000000)  /* entries printed */
#define LIMIT_TABLES  UINT64_C(400000000) /* entries examined for forwarding tables */

typedef struct head_request {
  const char *fabric, *method, *faults, *set, *output, *after, *classes;
  uint64_t limit, bounces;
  bool entries, ports, json, dry_run, anyway, anew;
} head_request;

/* ------------------------------------------------------------------ the tables */

typedef struct outcome {
  const ripstop_view *view;
  ripstop_forwarding *old; /* NULL without --after */
  bool old_levels;         /* the old tables have service levels; otherwise 0 is taken for all packets */
  ripstop_new_tables made;
  ripstop_arena *arena;
} outcome;

/* VLs by service level mean nothing if no packet's service level is known. */
static void forget_lanes(ripstop_forwarding *t) {
  t->lanes = 1;
  t->lane = t->end_lane = NULL;
  t->lane_first = NULL;
}

static int read_old(const head_request *w, outcome *o, ripstop_error *err) {
  const ripstop_cli_values files = {.count = 1, .value = {w->after}};
  o->old = cli_read_tables(o->view->fabric, NULL, &files, &o->old_levels, err);
  if (o->old && !o->old_levels) forget_lanes(o->old);
  return o->old ? 0 : -1;
}

static int find_outcome(const head_request *w, outcome *o, ripstop_error *err) {
  if (w->after && read_old(w, o, err)) return -1;
  const ripstop_new_tables_settings settings = {
      .view = o->view, .method = w->method, .entries = LIMIT_TABLES, .old = o->old, .from_scratch = w->anew};
  if (ripstop_new_tables_make(o->arena, &settings, &o->made, err)) return ripstop_fail_at(err, "route");
  if (o->made.note) fprintf(stderr, "ripstop: route: %s\n", o->made.note);
  return 0;
}

static void free_outcome(outcome *o) {
  ripstop_new_tables_free(&o->made);
  ripstop_forwarding_free(o->old);
  ripstop_arena_free(o->arena);
}

/* ------------------------------------------------------------------ for programs */

static json_t *number(uint64_t value) { return json_integer((json_int_t)value); }

/* Entries with several ports share paths among them, so a link may carry parts of paths. */
static double paths_of(const ripstop_table_verdict *v, uint64_t load) { return (double)load / v->unit; }

static json_t *paths(const ripstop_table_verdict *v, uint64_t load) {
  return load % v->unit ? ripstop_json_number(paths_of(v, load)) : number(load / v->unit);
}

static json_t *summary(const outcome *o) {
  const ripstop_table_verdict *v = &o->made.now;
  json_t *s = json_object();
  bool change = o->old != NULL;
  json_object_set_new(s, "pairs", number(v->pairs));
  json_object_set_new(s, "lost_pairs", number(v->unreached - v->disconnected));
  json_object_set_new(s, "disconnected_pairs", number(v->disconnected));
  json_object_set_new(s, "worst_link_paths", paths(v, v->worst));
  json_object_set_new(s, "bound", number(o->made.bound));
  json_object_set_new(s, "p99_link_paths", paths(v, v->p99));
  json_object_set_new(s, "mean_hops", ripstop_json_number(v->mean_hops));
  json_object_set_new(s, "minimum_hops", ripstop_json_number(o->made.minimum_hops));
  json_object_set_new(s, "max_hops", number(v->max_hops));
  ripstop_cli_json_deadlock(s, o->made.deadlock);
  json_object_set_new(s, "lanes", number(v->lanes_used));
  json_object_set_new(s, "seconds", ripstop_json_number(o->made.seconds));
  json_object_set_new(s, "changed_entries", change ? number(o->made.update.changed) : json_null());
  json_object_set_new(s, "changed_dead_entries", change ? number(o->made.update.changed_failed) : json_null());
  json_object_set_new(s, "changed_sls", change ? number(o->made.update.levels_changed) : json_null());
  json_object_set_new(s, "changed_sl2vls",
                      change && o->old_levels ? number(o->made.update.lanes_changed) : json_null());
  json_object_set_new(s, "steps",
                      change && o->made.update.steps != RIPSTOP_NONE ? number(o->made.update.steps) : json_null());
  json_object_set_new(s, "new_plan_worst_link_paths", o->made.repaired ? number(o->made.scratch.worst) : json_null());
  json_object_set_new(s, "old_levels_known", change ? json_boolean(o->old_levels) : json_null());
  json_object_set_new(s, "why_anew", o->made.why ? ripstop_json_text(o->made.why) : json_null());
  if (o->made.addresses > 1) {
    json_object_set_new(s, "addresses", number(o->made.addresses));
    json_object_set_new(s, "ways_per_pair",
                        o->made.spread.pairs ? ripstop_json_number(o->made.spread.candidates) : json_null());
  }
  return s;
}

/* ------------------------------------------------------------------ for people */

/* Without service levels 0 is taken for all packets. If VLs follow from service levels alone, all dependencies of old
 * and new entries then meet in one VL: what is safe with level 0 is safe with all levels. */
static void print_writes(const outcome *o) {
  const ripstop_update *u = &o->made.update;
  const char *why = o->made.before.credit_loop ? "the old tables can deadlock by themselves"
                    : o->made.now.credit_loop  ? "the new tables can deadlock by themselves"
                    : u->lanes_changed
                        ? "packets on old service levels, or old virtual lanes of these (SL2VL), can deadlock "
                          "under the new tables"
                        : "packets on old service levels can deadlock under the new tables";
  printf("  writes     ");
  if (u->steps == RIPSTOP_NONE)
    printf("no order is %s%s\n",
           o->old_levels ? "safe with credits or PFC: " : "known to be safe: with level 0 for all, ", why);
  else
    printf("%u%s%s\n", u->steps,
           o->old_levels || o->made.now.lanes == 1 || !o->made.tables->lane ? "" : " with level 0 for all",
           u->steps == 2 ? ": first lfts.step1.dump, which takes away what changes" : "");
}

static void print_change(const outcome *o) {
  const ripstop_update *u = &o->made.update;
  printf("  made       %s%s%s\n", o->made.repaired ? "from the old tables" : "from scratch", o->made.why ? ": " : "",
         o->made.why ? o->made.why : "");
  printf("  change     %" PRIu64 " of %" PRIu64 " entries (%.3g %%), %" PRIu64
         " service levels%s; the worst link carries %.12g now",
         u->changed, u->entries, u->entries ? 100 * (double)u->changed / (double)u->entries : 0, u->levels_changed,
         o->old_levels ? "" : ", if all are 0 now", (double)o->made.before.worst / o->made.before.unit);
  if (o->made.before.unreached > o->made.before.disconnected)
    printf(", and %" PRIu64 " pairs are lost", o->made.before.unreached - o->made.before.disconnected);
  printf("\n");
  if (!o->old_levels)
    printf("  levels     those of the old tables are not given, so 0 is taken for all%s\n",
           o->made.before.credit_loop ? "; then they can deadlock, which others may prevent" : "");
  else if (u->lanes_changed)
    printf("  sl2vl      %" PRIu64 " tables of virtual lanes change\n", u->lanes_changed);
  if (o->made.repaired)
    printf("  scratch    the worst link of new tables would carry %" PRIu64 ", on %u virtual lane%s\n",
           o->made.scratch.worst, o->made.scratch.lanes_used, o->made.scratch.lanes_used == 1 ? "" : "s");
  print_writes(o);
}

static void print_text(const outcome *o) {
  const ripstop_table_verdict *v = &o->made.now;
  printf("%s\n", o->view->fabric->spec);
  printf("  pairs      %" PRIu64 ", of which %" PRIu64 " are lost", v->pairs, v->unreached - v->disconnected);
  if (v->disconnected) printf(", and %" PRIu64 " have no path at all", v->disconnected);
  printf("\n  paths      %.12g on the worst link, %" PRIu64
         " whatever the routing; 99 %% of the links carry at most %.12g\n",
         paths_of(v, v->worst), o->made.bound, paths_of(v, v->p99));
  if (v->reached)
    printf("  hops       %.4g between switches on average, %.4g on shortest paths; %u at most\n", v->mean_hops,
           o->made.minimum_hops, v->max_hops);
  printf("  VLs        %u\n", v->lanes_used);
  if (o->made.spread.pairs)
    printf("  addresses  %u of each end node, over %.3g different paths on average; %.3g %% of the pairs have one path "
           "only\n",
           o->made.addresses, o->made.spread.candidates,
           100 * (double)o->made.spread.alone / (double)o->made.spread.pairs);
  printf("  deadlock   %s%s\n", ripstop_deadlock_words[o->made.deadlock],
         ripstop_deadlock_without_bubble(o->made.deadlock) ? ": 'ripstop judge' shows how" : "");
  if (o->old) print_change(o);
}

/* ------------------------------------------------------------------ files */

/* Tables of the folder that --after names are brought up to date in place. */
static ripstop_output_kind kind_of(const head_request *w) {
  struct stat old, new;
  bool same = w->after && stat(w->after, &old) == 0 && stat(w->output, &new) == 0 &&
              old.st_dev == new.st_dev &&old.st_ino == new.st_ino;
  return same ? RIPSTOP_OUTPUT_UPDATE : RIPSTOP_OUTPUT_NEW;
}

static int write_summary(const cli_tables_folder *f, const outcome *o, ripstop_error *err) {
  char path[PATH_MAX];
  ripstop_output file;
  json_t *s = summary(o);
  int status = cli_tables_path(f, "summary.json", path, err);
  if (!status) status = ripstop_output_begin(&file, path, f->kind, err);
  if (!status) {
    json_dumpf(s, file.stream, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    fputc('\n', file.stream);
    status = ripstop_output_end(&file, err);
  }
  json_decref(s);
  return status;
}

/* Before the work: nothing is written if one of the files may not be. */
static int check_output(const head_request *w, ripstop_error *err) {
  if (!w->output || w->dry_run) return 0;
  if (w->entries || w->ports) return ripstop_output_check(w->output, RIPSTOP_OUTPUT_NEW, err);
  return cli_tables_check(&(cli_tables_folder){w->output, "route", "-o", kind_of(w)}, err);
}

/* Whose LIDs the files have, where these are not those of the dump; and whether ports have more than the tables. */
static int report_lids(const outcome *o, bool files, ripstop_error *err) {
  const ripstop_fabric *fabric = o->view->fabric;
  char name[RIPSTOP_NAME_MAX];
  ripstop_lids lids;
  ripstop_error none; /* too few LIDs matter to files alone */
  if (!ripstop_ib_of(fabric)) return 0;
  if (ripstop_lids_of(o->made.tables, o->arena, &lids, files ? err : &none)) return files ? -1 : 0;
  if (lids.most > o->made.addresses)
    fprintf(stderr,
            "ripstop: route: end nodes have up to %u LIDs (LMC), the tables have entries for %u: paths are counted to "
            "these, of "
            "the old tables to all; mend:lmc=%d has entries for all\n",
            lids.most, o->made.addresses, 31 - __builtin_clz(lids.most));
  if (!files || lids.misfit == RIPSTOP_NONE) return 0;
  ripstop_node_name(fabric, lids.misfit, name);
  fprintf(stderr, "ripstop: route: the files have LIDs of their own, since %s has none, too few or another node's\n",
          name);
  return 0;
}

static int write_folder(const head_request *w, const outcome *o, ripstop_error *err) {
  const cli_tables_folder f = {w->output, "route", "-o", kind_of(w)};
  if (ripstop_deadlock_without_bubble(o->made.deadlock) && !w->anyway)
    return ripstop_fail(err,
                        "route: deadlock %s: the switches that load these tables have credits alone, so nothing is "
                        "written (--anyway writes them)",
                        ripstop_deadlock_words[o->made.deadlock]);
  if (ripstop_output_folder(f.path, err)) return -1;
  if (cli_tables_write(&f, o->made.tables, o->made.update.between, err)) return -1;
  return write_summary(&f, o, err);
}

/* 1 where something is wrong with the tables: for scripts. */
static int route_tables(const head_request *w, const ripstop_view *view, int *verdict, ripstop_error *err) {
  outcome o = {.view = view, .arena = ripstop_arena_new()};
  int status = find_outcome(w, &o, err);
  if (!status) w->json ? ripstop_cli_json_print(summary(&o)) : print_text(&o);
  if (!status) status = report_lids(&o, w->output != NULL, err);
  if (!status && w->output && !w->dry_run) status = write_folder(w, &o, err);
  if (o.made.untabled || o.made.now.unreached > o.made.now.disconnected || ripstop_deadlock_possible(o.made.deadlock))
    *verdict = RIPSTOP_EXIT_FAILED;
  free_outcome(&o);
  return status;
}

/* ------------------------------------------------------------------ entry by entry */

static int print_entries(const head_request *w, const ripstop_tables *t, FILE *file, ripstop_error *err) {
  if (w->ports) return ripstop_plan_ports_print(file, t, err);
  ripstop_plan_entries_print(file, t, w->json);
  return 0;
}

static int write_entries(const head_request *w, const ripstop_tables *t, ripstop_error *err) {
  if (!w->output) return print_entries(w, t, stdout, err);
  ripstop_output file;
  if (ripstop_output_begin(&file, w->output, RIPSTOP_OUTPUT_NEW, err)) return -1;
  int status = print_entries(w, t, file.stream, err);
  if (status) ripstop_output_drop(&file);
  return status ? status : ripstop_output_end(&file, err);
}

static int route_entries(const head_request *w, const ripstop_view *view, int *verdict, ripstop_error *err) {
  ripstop_plan *plan = ripstop_plan_compile(view, w->method, NULL, err);
  ripstop_tables *t = NULL;
  ripstop_answer answer = plan ? ripstop_plan_tables(plan, err) : RIPSTOP_ERROR;
  if (answer == RIPSTOP_APPLIES) t = ripstop_tables_open(plan, w->limit, NULL, err);
  if (answer == RIPSTOP_DOES_NOT_APPLY) *verdict = RIPSTOP_EXIT_FAILED;
  int status = t ? write_entries(w, t, err) : -1;
  ripstop_tables_free(t);
  ripstop_plan_free(plan);
  return status;
}

/* ------------------------------------------------------------------ the command */

static int read_set(ripstop_arena *arena, const ripstop_names *names, const head_request *w, ripstop_faults *out,
                    ripstop_error *err) {
  ripstop_faults *sets;
  size_t count;
  if (w->set && ripstop_faults_parse(arena, names, w->set, strlen(w->set), out, err))
    return ripstop_fail_at(err, "route: --set");
  if (!w->faults) return 0;
  if (ripstop_faults_read(arena, names, w->faults, &sets, &count, err)) return -1;
  if (count != 1) return ripstop_fail(err, "route: %s has %zu fault sets; tables are those of one", w->faults, count);
  *out = sets[0];
  return 0;
}

static int route(const head_request *w, int *verdict, ripstop_error *err) {
  ripstop_faults faults = {0};
  if (w->classes) return route_classes(&(route_classes_request){w->fabric, w->classes, w->bounces, w->json}, err);
  if (!w->method) return ripstop_fail(err, "route: --method is missing; 'ripstop methods' lists the methods");
  if (check_output(w, err)) return -1;
  ripstop_fabric *fabric = ripstop_cli_open_fabric(w->fabric, err);
  if (!fabric) return -1;
  RIPSTOP_LOCAL_ARENA(arena);
  ripstop_names *names = ripstop_names_new(fabric);
  int status = read_set(arena, names, w, &faults, err);
  ripstop_view *view = ripstop_view_new(fabric, &faults);
  bool plan = w->entries || w->ports;
  if (!status) status = plan ? route_entries(w, view, verdict, err) : route_tables(w, view, verdict, err);
  ripstop_view_free(view);
  ripstop_names_free(names);
  ripstop_fabric_free(fabric);
  return status;
}

int ripstop_cmd_route(int argc, char **argv) {
  head_request w = {.limit = LIMIT_DEFAULT, .bounces = 1};
  const ripstop_flag flags[] = {
      CLI_TEXT("method", "M", &w.method, "Routing method with its options."),
      CLI_TEXT("faults", "FILE", &w.faults, "Failed parts: a file with one fault set.", .excludes = "set"),
      CLI_TEXT("set", "LINE", &w.set, "The same, e.g. '0/2.1/3 switch:1/0.0'."),
      CLI_TEXT("output", "PATH", &w.output,
               "Write lfts.dump, sl.dump, sl2vl.dump and summary.json to this folder, also that of --after; entries or "
               "ports to this file.",
               .letter = 'o'),
      CLI_TEXT(
          "after", "OLD", &w.after,
          "Older tables, a file or such a folder, or the plug-in's file: report what changes, and in how many writes.",
          .excludes = "entries ports", .because = "--after compares whole tables"),
      CLI_SWITCH("anew", &w.anew, "Make new tables also where the method could repair those of --after.",
                 .needs = "after"),
      CLI_SWITCH("anyway", &w.anyway, "Write also tables under which packets could deadlock, to look at.",
                 .needs = "output", .excludes = "entries ports", .because = "--anyway writes whole tables"),
      CLI_SWITCH("dry-run", &w.dry_run, "Write nothing, even with -o.", .excludes = "entries ports",
                 .because = "--dry-run makes whole tables"),
      CLI_SWITCH("json", &w.json, "Print the summary, or the entries, as JSON."),
      CLI_SWITCH("entries", &w.entries, "Print each candidate that packets may take instead."),
      CLI_SWITCH("ports", &w.ports, "Print plain tables instead: a port for each switch and end node.",
                 .excludes = "entries json"),
      CLI_TEXT("classes-out", "DIR", &w.classes,
               "For cables of Ethernet, instead of tables: write class maps of SONiC (config_db.json) for each switch, "
               "under which packets stay lossless and cannot deadlock while they turn from down to up.",
               .excludes = "method faults set output after entries ports",
               .because = "--classes-out writes class maps, which hold for any routes"),
      CLI_INTEGER("bounces", "K", &w.bounces, "So many turns stay lossless: 0 to 2, default 1.", .most = 2,
                  .needs = "classes-out"),
      CLI_INTEGER("limit", "N", &w.limit, "Most entries that are printed; default 10000000.", .needs = "entries ports"),
      {0},
  };
  const ripstop_usage usage = {.command = "route",
                               .arguments = "FABRIC",
                               .summary = "Makes the tables by which switches route as a method does.",
                               .at_least = 1,
                               .at_most = 1,
                               .flags = flags};
  int verdict = RIPSTOP_EXIT_OK, status = ripstop_cli_parse(&usage, argc, argv, &w.fabric, NULL);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  ripstop_error err = {0};
  if (route(&w, &verdict, &err) == 0) return verdict;
  return verdict == RIPSTOP_EXIT_FAILED ? ripstop_cli_fail_work(&err) : ripstop_cli_fail(&err);
}
