/* prove.c - `ripstop prove FABRIC`: what a method does on one fault set, on all of a size, or on a sample, decided
 * without simulating. docs/prove.md explains the words. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/output.h"
#include "campaign/proof_parts.h"
#include "cli/cli.h"
#include "cli/experiment.h"
#include "cli/meter.h"
#include "cli/prove.h"
#include "prove/proof.h"
#include "report/proof_json.h"
#include "report/tally.h"
#include "ripstop/plugin/method.h"

#undef free /* open_memstream's text is the C library's */

enum { CERTIFICATE_DIGITS = 6 }; /* at least so many in the name of a certificate: its set's number */
enum { SETS_SHOWN = 20 };        /* more sets than that are not listed without --json */
#define REPORT_SECONDS 0.2       /* between two lines of progress */

/* ------------------------------------------------------------------ output */

typedef struct output {
  const prove_request *request;
  bool listed;           /* every set has its line */
  bool folder;           /* certificates: one file for each set in a folder */
  atomic_bool examples;  /* the first failures of a long list are known */
  char *lost, *deadlock; /* their lines */
  uint64_t lost_number, deadlock_number;
  ripstop_text *part; /* NULL: nothing is missing, and lines are printed at once */
  cli_meter meter;
  ripstop_error err;
} output;

static bool lost_by_method(const ripstop_set_proof *p) {
  return !p->why_not && !p->proof.tolerated && p->proof.disconnected_pairs == 0;
}

static bool deadlocks(const ripstop_set_proof *p) {
  return !p->why_not && !p->counted && !p->proof.deadlock_free && p->proof.disconnected_pairs == 0;
}

/* The certificate, behind a zero byte. */
static void add_certificate(ripstop_text *text, const ripstop_set_proof *p, const ripstop_mixed *mixed) {
  char *data = NULL;
  size_t length = 0;
  if (!p->plan || (mixed && p->proof.deadlock_free)) return;
  FILE *memory = open_memstream(&data, &length);
  if (!memory) ripstop_out_of_memory();
  if (mixed)
    ripstop_certificate_write_transient(memory, p->plan, mixed, p->orders - 1, &p->proof);
  else
    ripstop_certificate_write(memory, p->plan, &p->proof);
  bool cut = ferror(memory) != 0;
  cut |= fclose(memory) != 0;
  if (cut || !data) ripstop_out_of_memory();
  ripstop_text_add_bytes(text, "", 1);
  ripstop_text_add_bytes(text, data, length);
  free(data);
}

/* There is one set, so no other thread writes. */
static void write_graph(output *o, const ripstop_set_proof *p) {
  const char *path = o->request->words.graph;
  ripstop_output file;
  RIPSTOP_LOCAL_TEXT(text);
  if (!p->plan) {
    ripstop_fail(&o->err, "prove: --graph %s: there is no graph, the method does not apply: %s", path, p->why_not);
    return;
  }
  ripstop_dependencies_dot(&text, p->plan, &p->proof.dependencies);
  if (!ripstop_output_begin(&file, path, RIPSTOP_OUTPUT_NEW, &o->err)) {
    fputs(text.data, file.stream);
    ripstop_output_end(&file, &o->err);
  }
}

/* In the thread of the proof: the set's line, and its certificate. */
static void tell(void *context, const ripstop_set_proof *p, ripstop_text *text) {
  output *o = context;
  const prove_request *r = o->request;
  if (r->words.json)
    ripstop_set_proof_json(text, r->fabric, p);
  else if (o->listed || ((lost_by_method(p) || deadlocks(p)) && !atomic_load(&o->examples)))
    ripstop_set_proof_print(text, r->fabric, p);
  if (r->words.graph) write_graph(o, p);
  if (r->words.witness) add_certificate(text, p, r->many.mixed);
}

static int write_certificate(output *o, uint64_t number, const ripstop_text *text) {
  size_t line = strlen(text->data) + 1;
  if (line >= text->length) return 0;
  const char *path = o->request->words.witness;
  RIPSTOP_LOCAL_TEXT(name);
  ripstop_text_add(&name, "%s", path);
  if (o->folder) ripstop_text_add(&name, "/%0*" PRIu64, CERTIFICATE_DIGITS, number);
  ripstop_output file;
  int status = ripstop_output_begin(&file, name.data, RIPSTOP_OUTPUT_NEW, &o->err);
  if (!status) {
    fwrite(text->data + line, 1, text->length - line, file.stream);
    status = ripstop_output_end(&file, &o->err);
  }
  return status;
}

static void show_progress(output *o, const ripstop_tally *tally) {
  if (!cli_meter_is_due(&o->meter, false)) return;
  fprintf(stderr, "%" PRIu64 " sets, %.3g/s, %" PRIu64 " tolerated", tally->all.sets,
          (double)tally->all.sets / cli_meter_seconds(&o->meter), tally->all.tolerated);
  cli_meter_printed(&o->meter);
}

static void keep_example(char **example, uint64_t *number, bool wanted, const ripstop_set_proof *p,
                         const ripstop_text *text) {
  if (!wanted || *example) return;
  *number = p->number;
  *example = ripstop_realloc(NULL, strlen(text->data) + 1, 1);
  memcpy(*example, text->data, strlen(text->data) + 1);
}

static int done(void *context, const ripstop_set_proof *p, const ripstop_text *text, const ripstop_tally *so_far) {
  output *o = context;
  bool json = o->request->words.json;
  if (o->err.text[0]) return 1;
  if ((json || o->listed) && o->part) {
    parts_add_text(o->part, "set", p->number, text->data);
  } else if (json || o->listed) {
    printf(json ? "%s\n" : "%s", text->data);
  } else if (!atomic_load(&o->examples)) {
    keep_example(&o->lost, &o->lost_number, lost_by_method(p), p, text);
    keep_example(&o->deadlock, &o->deadlock_number, deadlocks(p), p, text);
    if (o->lost && o->deadlock) atomic_store(&o->examples, true);
  }
  show_progress(o, so_far);
  return o->request->words.witness && text->data ? write_certificate(o, p->number, text) : 0;
}

/* ------------------------------------------------------------------ the work */

static void print_examples(const output *o) {
  if (o->lost) printf("\nThe first connected set that loses packets:\n%s", o->lost);
  if (o->deadlock) printf("\nThe first connected set that deadlocks:\n%s", o->deadlock);
}

static void print_summary(const output *o, const ripstop_tally *tally, bool whole) {
  if (o->listed) printf("\n");
  tally_print(stdout, &o->request->many, tally, whole);
  if (!o->listed) print_examples(o);
}

static bool is_listed(const prove_request *r) { return r->many.destinations || parts_sets(&r->many) <= SETS_SHOWN; }

/* There is a line for each set. */
static bool has_lines(const prove_request *r) { return r->words.json || is_listed(r); }

/* The name of a set's certificate in a folder is its number. */
static bool is_certificate(const void *context, const char *name) {
  (void)context;
  return strlen(name) >= CERTIFICATE_DIGITS && !name[strspn(name, "0123456789")];
}

static int prepare_folder(const char *path, ripstop_error *err) {
  if (ripstop_output_check_folder(path, RIPSTOP_OUTPUT_NEW, is_certificate, NULL, err)) return -1;
  return ripstop_output_folder(path, err);
}

/* A folder for several sets, or where there is one already. Checked before the work. */
static int prepare_witness(output *o, ripstop_error *err) {
  const char *path = o->request->words.witness;
  struct stat there;
  if (!path) return 0;
  o->folder = (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) || parts_sets(&o->request->many) > 1;
  int status = o->folder ? prepare_folder(path, err) : ripstop_output_check(path, RIPSTOP_OUTPUT_NEW, err);
  return status ? ripstop_fail_at(err, "prove: --witness") : 0;
}

static void print_all(const output *o, const ripstop_tally *tally, bool whole) {
  if (o->request->many.destinations)
    ripstop_cli_flush(); /* a sample of destinations decides nothing of a set that could be counted */
  else if (o->request->words.json)
    tally_json(stdout, &o->request->many, tally, whole);
  else
    print_summary(o, tally, whole);
}

static void end_part(const output *o, const ripstop_tally *tally) {
  if (o->lost) parts_add_text(o->part, "lost", o->lost_number, o->lost);
  if (o->deadlock) parts_add_text(o->part, "deadlock", o->deadlock_number, o->deadlock);
  parts_end(o->part, tally);
}

static void report_interrupted(const ripstop_many *m, uint64_t sets) {
  const uint64_t most = parts_sets(m);
  fprintf(stderr, "ripstop: interrupted after %" PRIu64 " ", sets);
  if (most && most < UINT64_MAX) fprintf(stderr, "of %" PRIu64 " ", most);
  fprintf(stderr, "sets\n");
}

/* An interrupted part is not printed: parts are merged whole. */
static int end_sets(const output *o, const ripstop_tally *tally, bool whole) {
  if (!o->part)
    print_all(o, tally, whole);
  else if (whole)
    end_part(o, tally);
  if (!whole) report_interrupted(&o->request->many, tally->all.sets);
  return whole ? RIPSTOP_EXIT_OK : CLI_EXIT_INTERRUPTED;
}

/* `part`: begun; NULL: all sets, printed at once. */
static int prove_sets(prove_request *r, ripstop_text *part, ripstop_error *err) {
  output o = {.request = r, .meter = cli_meter_begin(REPORT_SECONDS, INFINITY), .part = part};
  ripstop_tally tally;
  o.listed = is_listed(r);
  if (prepare_witness(&o, err)) return ripstop_cli_fail(err);
  r->many.tell = tell;
  r->many.done = done;
  r->many.context = &o;
  ripstop_cli_catch_signals();
  int status = ripstop_prove_many(&r->many, &tally, err);
  cli_meter_end(&o.meter, false);
  bool failed = status < 0 || o.err.text[0];
  int code;
  if (failed)
    code = o.err.text[0] ? ripstop_cli_fail(&o.err) : ripstop_cli_fail_work(err);
  else
    code = end_sets(&o, &tally, status == 0);
  ripstop_free(o.lost);
  ripstop_free(o.deadlock);
  return code;
}

/* ------------------------------------------------------------------ in parts */

/* A part, from its first line to the last. */
static int prove_part(prove_request *r, const char *asked, ripstop_text *part, ripstop_error *err) {
  parts_begin(part, asked, r->many.part, r->many.parts);
  return prove_sets(r, part, err);
}

static int prove_shard(prove_request *r, ripstop_error *err) {
  ripstop_text part = {0}, asked = {0};
  prove_describe(r, &asked);
  int status = prove_part(r, asked.data, &part, err);
  if (status == RIPSTOP_EXIT_OK) fputs(part.data, stdout);
  ripstop_text_free(&part);
  ripstop_text_free(&asked);
  return status;
}

/* Prints what one process would print. */
static void print_whole(const prove_request *r, const parts_whole *whole) {
  output o = {.request = r, .listed = is_listed(r)};
  o.lost = (char *)whole->lost.text;
  o.deadlock = (char *)whole->deadlock.text;
  for (size_t i = 0; i < whole->sets; i++) printf(r->words.json ? "%s\n" : "%s", whole->set[i].text);
  print_all(&o, &whole->tally, true);
}

static int merge_parts(const prove_request *r, const char *const *file, unsigned files, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(question);
  prove_describe(r, &question);
  parts_whole whole = {.arena = r->arena, .question = question.data, .listed = has_lines(r)};
  int status = files ? parts_read(&whole, file, files, parts_sets(&r->many), err)
                     : ripstop_fail(err, "prove: --merge needs the files of all parts behind the fabric");
  if (!status) print_whole(r, &whole);
  parts_free(&whole);
  return status ? ripstop_cli_fail(err) : RIPSTOP_EXIT_OK;
}

/* ------------------------------------------------------------------ on several ranks */

static int read_here(void *context, bool first, ripstop_error *err) {
  (void)first;
  return prove_read(context, err);
}

static void describe_here(const void *context, ripstop_text *out) { prove_describe(context, out); }

/* Decides this rank's part; rank 0 prints the whole. */
static int prove_on_ranks(prove_request *r, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(part);
  RIPSTOP_LOCAL_TEXT(question);
  prove_describe(r, &question);
  parts_whole whole = {.arena = r->arena, .question = question.data, .listed = has_lines(r)};
  r->many.part = ripstop_ranks_own(r->ranks) + 1;
  r->many.parts = ripstop_ranks_count(r->ranks);
  ripstop_ranks_enter(r->ranks);
  int status = prove_part(r, question.data, &part, err);
  const int gathered = status == RIPSTOP_EXIT_OK
                           ? parts_gather(&whole, r->ranks, &part, &ripstop_cli_stop, parts_sets(&r->many), err)
                           : 0;
  if (gathered)
    status = gathered < 0 ? ripstop_cli_fail(err) : CLI_EXIT_INTERRUPTED;
  else if (status == RIPSTOP_EXIT_OK && r->many.part == 1)
    print_whole(r, &whole);
  parts_free(&whole);
  return status;
}

static int join_and_prove(prove_request *r, ripstop_error *err) {
  const ripstop_joint joint = {read_here, describe_here, r};
  if (!ripstop_ranks_join(r->ranks, &joint, 1, err)) return prove_on_ranks(r, err);
  return err->text[0] ? ripstop_cli_fail(err) : RIPSTOP_EXIT_OK;
}

static int prove_rare(const prove_request *r, ripstop_error *err) {
  const ripstop_many *m = &r->many;
  ripstop_rarity rarity;
  ripstop_rare rare = {.fabric = r->fabric,
                       .method = r->method,
                       .scope = m->scope,
                       .count = m->count,
                       .core = (uint32_t)r->words.rare,
                       .samples = m->samples,
                       .seed = m->seed,
                       .confidence = m->confidence,
                       .switch_ = m->switch_,
                       .switch_channels = m->switch_channels,
                       .binding = m->binding,
                       .threads = m->threads,
                       .stop = &ripstop_cli_stop};
  ripstop_cli_catch_signals();
  int status = ripstop_prove_rare(&rare, &rarity, err);
  if (status < 0) return ripstop_cli_fail_work(err);
  if (status) {
    fprintf(stderr, "ripstop: interrupted\n");
    return CLI_EXIT_INTERRUPTED;
  }
  (r->words.json ? rarity_json : rarity_print)(stdout, &rare, &rarity);
  return RIPSTOP_EXIT_OK;
}

static int find_smallest_defeat(const prove_request *r, ripstop_error *err) {
  ripstop_defeat_limits limits = {.budget = r->words.budget,
                                  .search = r->words.budget / 10,
                                  .seed = r->many.seed,
                                  .switch_ = r->many.switch_,
                                  .switch_channels = r->many.switch_channels,
                                  .binding = r->many.binding,
                                  .stop = &ripstop_cli_stop};
  ripstop_defeat defeat;
  ripstop_text text = {0};
  ripstop_cli_catch_signals();
  if (ripstop_smallest_defeat(r->arena, r->fabric, r->method, &limits, &defeat, err) != RIPSTOP_APPLIES)
    return ripstop_cli_fail(err);
  ripstop_defeat_print(&text, r->fabric, r->method, &defeat);
  printf("%s", text.data);
  ripstop_text_free(&text);
  if (!atomic_load_explicit(&ripstop_cli_stop, memory_order_relaxed)) return RIPSTOP_EXIT_OK;
  fprintf(stderr, "ripstop: interrupted after %" PRIu64 " sets\n", defeat.proofs);
  return CLI_EXIT_INTERRUPTED;
}

/* ------------------------------------------------------------------ the command */

static int prove_alone(prove_request *r, const prove_arguments *a, ripstop_error *err) {
  const prove_words *w = &r->words;
  if (prove_read(r, err)) return ripstop_cli_fail(err);
  if (w->smallest_defeat) return find_smallest_defeat(r, err);
  if (w->merge) return merge_parts(r, a->list + 1, a->count - 1, err);
  if (w->rare) return prove_rare(r, err);
  return w->shard.of ? prove_shard(r, err) : prove_sets(r, NULL, err);
}

/* Uses all ranks, except for a part, and for the whole of parts. */
static int decide(prove_request *r, const prove_arguments *a, ripstop_error *err) {
  const prove_words *w = &r->words;
  if (a->count > 1 && !w->merge) {
    ripstop_fail(err, "prove: one argument too many, '%.100s'; files of parts go with --merge", a->list[1]);
    return ripstop_cli_fail(err);
  }
  if (!w->shard.of && !w->merge && ripstop_ranks_open(&r->ranks, err))
    return err->text[0] ? ripstop_cli_fail(err) : RIPSTOP_EXIT_OK; /* the first of the processes prints why */
  return r->ranks ? join_and_prove(r, err) : prove_alone(r, a, err);
}

int ripstop_cmd_prove(int argc, char **argv) {
  prove_request r = {.many.stop = &ripstop_cli_stop};
  prove_arguments a = {.count = 0};
  ripstop_error err = {0};
  int status = prove_read_words(argc, argv, &r.words, &a);
  if (status != RIPSTOP_CLI_GO_ON) return status;
  r.arena = ripstop_arena_new();
  status = decide(&r, &a, &err);
  ripstop_fabric_free(r.fabric);
  ripstop_arena_free(r.arena);
  ripstop_ranks_end(r.ranks, status);
  return status;
}
