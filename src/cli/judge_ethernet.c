/* judge_ethernet.c - prints the verdict on an Ethernet fabric, for people and for programs. docs/ethernet.md says what
 * each line means. */
#include "cli/judge_ethernet.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/json.h"
#include "tables/ethernet/ethernet_files.h"
#include "tables/ethernet/ethernet_judge.h"

/* With a method a plan of cables is a fabric like any other. */
bool judge_is_ethernet(const ripstop_table_words *w) {
  struct stat about;
  if (w->method && stat(w->fabric, &about) == 0 && S_ISREG(about.st_mode)) return false;
  return ethernet_files_are_cables(w->fabric);
}

static void print_notes(const ethernet_case *e) {
  for (const char *line = e->notes.data; *line; line += strcspn(line, "\n") + 1)
    ripstop_cli_say(stderr, "ripstop: note: %.*s\n", (int)strcspn(line, "\n"), line);
}

/* ------------------------------------------------------------------ for people */

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void print_pairs(const fib_verdict *v) {
  printf("  pairs      %" PRIu64 ", of which %" PRIu64 " are not reached by every choice of next hops", v->pairs,
         v->unreached);
  if (v->disconnected) printf(" (%" PRIu64 " have no path at all)", v->disconnected);
  printf("\n");
  if (v->partly) printf("  partly     %" PRIu64 " of these are reached by some choice: some flows pass\n", v->partly);
  if (v->dead_ends)
    printf("  dead ends  %" PRIu64 " pairs: some choice has no next hop, or a lost one\n", v->dead_ends);
  if (v->loops) printf("  loops      %" PRIu64 " pairs: packets of some choice loop\n", v->loops);
  for (uint32_t i = 0; i < v->looping.count; i++)
    ripstop_cli_say(stdout, "%s%s%s", i ? ", " : "  looping    ", v->looping.name[i],
                    i + 1 == v->looping.count ? "\n" : "");
}

/* The sum of mean lengths, in floating point where the exact one does not fit. */
static double mean_sum(const fib_verdict *v) {
  return rational_fits(v->hop_sum) ? rational_value(v->hop_sum) : v->hop_about;
}

static void print_loads(const ethernet_case *e) {
  enum { SHOWN = 4 };
  const fib_verdict *v = &e->now;
  char worst[RATIONAL_TEXT];
  rational_print(v->worst, worst);
  if (v->pairs > v->unreached)
    printf("  hops       %.4g between switches on average, %u at most\n",
           mean_sum(v) / (double)(v->pairs - v->unreached), v->max_hops);
  if (!rational_fits(v->worst))
    printf(
        "  paths      about %.9g on the worst of %u links between switches: the exact load needs more than 128 bits\n",
        v->about, v->links);
  else if (v->worst_count)
    printf("  paths      %s on the worst of %u links between switches, counted in each direction:", worst, v->links);
  for (uint32_t i = 0; i < v->worst_count && i < SHOWN; i++)
    ripstop_cli_say(stdout, " %s", fib_port_name(&e->f, v->worst_ports[i]));
  if (v->worst_count > SHOWN) printf(" and %u more", v->worst_count - SHOWN);
  if (v->worst_count) printf("\n  any hash   %" PRIu64 " pairs can meet on one link\n", v->worst_any_hash);
  printf("  unused     %u of %u links\n", v->unused, v->links);
}

static void print_cycle(const fib_waits *w, const fib_cycles *c) {
  for (uint32_t i = 0; i < c->length; i++)
    ripstop_cli_say(stdout, "%s%s", i ? " > " : "", fib_vertex_name(w, c->cycle[i]));
}

static void print_deadlock(const ethernet_case *e) {
  const bool waits = e->cycles.length > 0;
  printf("  deadlock   %s", ripstop_deadlock_words[ripstop_deadlock_of_tables(waits)]);
  if (waits) {
    printf(": %u links in credit loops, one of %u: ", e->cycles.vertices, e->cycles.length);
    print_cycle(&e->waits, &e->cycles);
  }
  printf("\n             if all packets are of one class that pauses (PFC), and each flow waits for exactly one next "
         "hop\n");
  if (e->now.classes_needed > 1)
    printf("  classes    %u lossless classes are enough, if each turn from down to up takes the next one\n",
           e->now.classes_needed);
}

static void print_names(const char *what, const fib_names *names) {
  enum { SHOWN = 6 };
  if (names->count) printf("             %s", what);
  for (uint32_t i = 0; i < names->count && i < SHOWN; i++) ripstop_cli_say(stdout, " %s", names->name[i]);
  if (names->count > SHOWN) printf(" and %u more", names->count - SHOWN);
  if (names->count) printf("\n");
}

static void print_classes(const fib_class_verdict *v) {
  const bool waits = v->cycles.length > 0;
  printf("  lossless   classes");
  for (unsigned p = 0; p < SONIC_PRIORITIES; p++)
    if (v->lossless >> p & 1) printf(" %u", p);
  printf("%s: deadlock %s", v->lossless ? "" : " none", ripstop_deadlock_words[ripstop_deadlock_of_tables(waits)]);
  if (waits) {
    printf(": %u classes of links in credit loops, one of %u: ", v->cycles.vertices, v->cycles.length);
    print_cycle(&v->waits, &v->cycles);
  }
  printf("\n");
  print_names("the next switch pauses another queue than the packets stand in:", &v->mismatch);
  print_names("packets leave the lossless classes:", &v->leaves);
}

static void print_transient(const fib_transient *t) {
  static const char *const fixed[] = {
      [FIB_FIXED_NO] = "no single choice of old or new entries has a credit loop: packets in flight close it",
      [FIB_FIXED_YES] = "one choice of old or new entries is enough, and lasts as long as a switch is slow",
      [FIB_FIXED_UNDECIDED] = "too many choices of old and new entries to decide whether a single one is enough"};
  const bool waits = t->cycles.length > 0;
  printf("  changed    %" PRIu64 " of %" PRIu64 " entries\n", t->changed, t->entries);
  printf("  transient  deadlock %s", ripstop_deadlock_words[ripstop_deadlock_of_tables(waits)]);
  if (waits) {
    printf(", while switches change: %u links in credit loops, one of %u: ", t->cycles.vertices, t->cycles.length);
    print_cycle(&t->waits, &t->cycles);
    printf("\n             %s", fixed[t->fixed]);
  } else {
    printf(", in any transient state");
  }
  printf("\n");
  print_names("packets can loop for:", &t->looping);
}

static void print_text(const ethernet_case *e, const char *name) {
  ripstop_cli_say(stdout, "%s: %u switches, %u hosts\n", name, e->f.switches, e->f.hosts);
  print_pairs(&e->now);
  print_loads(e);
  printf("  entries    %" PRIu64 " with next hops, %u different sets, the largest of %u port%s\n", e->census.entries,
         e->census.sets, e->census.largest, plural(e->census.largest));
  print_deadlock(e);
  if (e->with_classes) print_classes(&e->classes);
  if (e->mixed) print_transient(&e->transient);
}

/* ------------------------------------------------------------------ for programs */

static void add(json_t *object, const char *name, uint64_t value) {
  json_object_set_new(object, name, json_integer((json_int_t)value));
}

static json_t *json_names(const fib_names *names) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < names->count; i++) json_array_append_new(list, ripstop_json_text(names->name[i]));
  return list;
}

/* A number where it is whole, else a text such as "9/4"; null: it did not fit. */
static json_t *json_rational(rational r) {
  char text[RATIONAL_TEXT];
  rational_print(r, text);
  r = rational_reduced(r);
  if (!rational_fits(r)) return json_null();
  return r.den == 1 && r.num <= INT64_MAX ? json_integer((json_int_t)r.num) : json_string(text);
}

static json_t *json_cycle(const fib_waits *w, const fib_cycles *c) {
  if (!c->length) return json_null();
  json_t *list = json_array();
  for (uint32_t i = 0; i < c->length; i++)
    json_array_append_new(list, ripstop_json_text(fib_vertex_name(w, c->cycle[i])));
  return list;
}

static void json_pairs(json_t *o, const fib_verdict *v) {
  add(o, "pairs", v->pairs);
  add(o, "unreachable_pairs", v->unreached);
  add(o, "partly_reached_pairs", v->partly);
  add(o, "disconnected_pairs", v->disconnected);
  add(o, "dead_ends", v->dead_ends);
  add(o, "loops", v->loops);
  json_object_set_new(o, "looping_prefixes", json_names(&v->looping));
}

static void json_of_loads(json_t *o, const ethernet_case *e) {
  const fib_verdict *v = &e->now;
  const uint64_t reached = v->pairs - v->unreached;
  json_t *worst = json_array(), *hops = json_array();
  for (uint32_t i = 0; i < v->worst_count; i++)
    json_array_append_new(worst, ripstop_json_text(fib_port_name(&e->f, v->worst_ports[i])));
  for (uint32_t i = 0; reached && i <= v->max_hops; i++) json_array_append_new(hops, json_rational(v->hops[i]));
  json_object_set_new(o, "worst_link_paths",
                      rational_fits(v->worst) ? json_rational(v->worst) : ripstop_json_number(v->about));
  json_object_set_new(o, "worst_link_paths_exact", json_boolean(rational_fits(v->worst)));
  json_object_set_new(o, "worst_links", worst);
  add(o, "worst_link_any_hash", v->worst_any_hash);
  json_object_set_new(o, "mean_hops", reached ? ripstop_json_number(mean_sum(v) / (double)reached) : json_null());
  add(o, "max_hops", v->max_hops);
  json_object_set_new(o, "hops", hops);
  add(o, "links", v->links);
  add(o, "unused_links", v->unused);
}

static json_t *json_of_classes(const fib_class_verdict *v) {
  json_t *o = json_object(), *lossless = json_array();
  for (unsigned p = 0; p < SONIC_PRIORITIES; p++)
    if (v->lossless >> p & 1) json_array_append_new(lossless, json_integer(p));
  json_object_set_new(o, "lossless_classes", lossless);
  json_object_set_new(o, "credit_loop", json_boolean(v->cycles.length > 0));
  json_object_set_new(o, "witness", json_cycle(&v->waits, &v->cycles));
  add(o, "links_in_credit_loops", v->cycles.vertices);
  json_object_set_new(o, "pause_mismatch", json_names(&v->mismatch));
  json_object_set_new(o, "leaves_lossless", json_names(&v->leaves));
  json_object_set_new(o, "switches_without_maps", json_names(&v->without));
  return o;
}

static json_t *json_of_transient(const fib_transient *t) {
  json_t *o = json_object();
  add(o, "entries", t->entries);
  add(o, "changed_entries", t->changed);
  json_object_set_new(o, "looping_prefixes", json_names(&t->looping));
  json_object_set_new(o, "credit_loop", json_boolean(t->cycles.length > 0));
  json_object_set_new(o, "witness", json_cycle(&t->waits, &t->cycles));
  add(o, "links_in_credit_loops", t->cycles.vertices);
  json_object_set_new(o, "fixed_mixture_credit_loop",
                      t->fixed == FIB_FIXED_UNDECIDED ? json_null() : json_boolean(t->fixed == FIB_FIXED_YES));
  return o;
}

static void print_json(const ethernet_case *e) {
  json_t *o = json_object();
  const fib *f = &e->f;
  add(o, "switches", f->switches);
  add(o, "hosts", f->hosts);
  json_pairs(o, &e->now);
  json_of_loads(o, e);
  add(o, "entries", e->census.entries);
  add(o, "next_hop_sets", e->census.sets);
  add(o, "largest_set", e->census.largest);
  ripstop_cli_json_deadlock(o, ripstop_deadlock_of_tables(e->cycles.length > 0));
  json_object_set_new(o, "witness", json_cycle(&e->waits, &e->cycles));
  add(o, "links_in_credit_loops", e->cycles.vertices);
  json_object_set_new(o, "classes_needed",
                      e->now.classes_needed ? json_integer((json_int_t)e->now.classes_needed) : json_null());
  json_object_set_new(o, "unknown_interfaces", json_names(&f->unknown_interfaces));
  json_object_set_new(o, "next_hops_of_nobody", json_names(&f->nobody));
  json_object_set_new(o, "prefixes_at_several_switches", json_names(&f->several));
  json_object_set_new(o, "switches_without_table", json_names(&f->no_table));
  json_object_set_new(o, "hosts_without_prefix", json_names(&f->no_prefix));
  json_object_set_new(o, "out_of_band", json_names(&f->out_of_band));
  if (e->with_classes) json_object_set_new(o, "classes", json_of_classes(&e->classes));
  if (e->mixed) json_object_set_new(o, "mixture", json_of_transient(&e->transient));
  ripstop_cli_json_print(o);
}

/* ------------------------------------------------------------------ the command */

/* The deadlock of the classes counts, if they are known. */
static int verdict_of(const ethernet_case *e) {
  const bool waits = e->with_classes ? e->classes.cycles.length > 0 : e->cycles.length > 0;
  const bool mixed = e->mixed && (e->transient.cycles.length || e->transient.looping.count);
  return e->now.unreached > e->now.disconnected || waits || mixed ? RIPSTOP_EXIT_FAILED : RIPSTOP_EXIT_OK;
}

int judge_ethernet(const ripstop_table_words *w, const ripstop_cli_values *before, const char *classes,
                   const char *hosts, bool json) {
  ripstop_error err = {0};
  ethernet_case e = {0};
  const ethernet_request what = {.cables = w->fabric,
                                 .tables = w->tables.value,
                                 .before = before->value,
                                 .table_count = w->tables.count,
                                 .before_count = before->count,
                                 .classes = classes};
  if (w->method || w->dead || hosts || !w->tables.count) {
    ripstop_fail(&err,
                 w->method ? "judge: --method: %s is a folder of cables, whose tables --tables reads; a plan in one "
                             "file goes with methods"
                 : w->dead ? "judge: --set: %s has cables of Ethernet: leave the failed ones out of its files"
                 : hosts   ? "judge: --hosts: %s has cables of Ethernet, and jobs are judged on other fabrics only"
                           : "judge: %s has cables of Ethernet: add --tables FOLDER, with 'show ip route json' of "
                             "each switch in a file of its name",
                 w->fabric);
    return ripstop_cli_fail(&err);
  }
  const int status = ethernet_judge(&e, &what, &err);
  if (!status) {
    print_notes(&e);
    json ? print_json(&e) : print_text(&e, w->fabric);
  }
  const int result = status ? ripstop_cli_fail(&err) : verdict_of(&e);
  ethernet_case_close(&e);
  return result;
}
