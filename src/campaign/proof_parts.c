/* proof_parts.c - writes the parts of a proof, and merges them. A part ends with a digest of its bytes. Merging accepts
 * a part only if the digest agrees and its counts and numbers are possible. It adds the counts, keeps the example with
 * the smallest number, and sorts the lines of sets by number: so it prints what one process would have printed. */
#include "campaign/proof_parts.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/hash.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/sources.h"
#include "ripstop/plugin/method.h"
#include "ripstop/plugin/switch.h"

/* ------------------------------------------------------------------ the question */

static void describe_transients(const ripstop_many *m, ripstop_text *out) {
  const ripstop_mixed *t = m->mixed;
  ripstop_text_add(out, ", transient states%s%s%s%s, %u orders, before '", t->in_order ? " in order" : "",
                   t->repaired ? " repaired" : "", t->for_ever ? " permanently" : "",
                   t->two_writes ? " in two writes" : "", t->orders);
  if (t->before) ripstop_faults_print(out, m->fabric, t->before);
  ripstop_text_add(out, "'");
}

static void describe_given(const ripstop_many *m, ripstop_text *out) {
  RIPSTOP_LOCAL_TEXT(sets);
  char hash[RIPSTOP_HASH];
  for (size_t i = 0; i < m->givens; i++) {
    ripstop_faults_print(&sets, m->fabric, &m->given[i]);
    ripstop_text_add(&sets, "\n");
  }
  ripstop_hash(sets.data, sets.length, hash);
  ripstop_text_add(out, "%zu sets %.16s", m->givens, hash);
}

void parts_describe(const ripstop_many *m, const char *form, ripstop_text *out) {
  ripstop_text_add(out, "ripstop %s, model %d, source %s, %s, %s, ", RIPSTOP_VERSION, RIPSTOP_MODEL_VERSION,
                   ripstop_source_hash("method", m->method), m->fabric->spec, m->method);
  if (m->kind == RIPSTOP_SETS_GIVEN)
    describe_given(m, out);
  else
    ripstop_text_add(out, "%u %s", m->count, ripstop_scope_name(m->scope));
  if (m->kind == RIPSTOP_SETS_SAMPLED)
    ripstop_text_add(out, ", %" PRIu64 " samples, seed %" PRIu64, m->samples, m->seed);
  if (m->destinations)
    ripstop_text_add(out, ", %u destinations, seed %" PRIu64 ", confidence %g", m->destinations, m->seed,
                     m->confidence);
  if (m->random_headers) ripstop_text_add(out, ", %u draws", m->random_headers);
  if (m->subfunction) ripstop_text_add(out, ", subfunction %s", m->subfunction->name);
  if (m->switch_) ripstop_text_add(out, ", queues %s", m->switch_->name);
  if (m->binding) ripstop_text_add(out, ", selection %s", m->binding);
  if (m->switch_channels.vcs > 1) ripstop_text_add(out, ", vcs %u", m->switch_channels.vcs);
  if (m->switch_channels.pooled) ripstop_text_add(out, ", buffers port");
  if (m->mixed) describe_transients(m, out);
  ripstop_text_add(out, "%s%s%s%s%s", m->symmetry ? "" : ", no symmetry", m->paths ? ", paths" : "",
                   m->tolerance ? ", tolerance" : "", *form ? ", " : "", form);
}

uint64_t parts_sets(const ripstop_many *m) {
  if (m->kind == RIPSTOP_SETS_GIVEN) return m->givens;
  if (m->kind == RIPSTOP_SETS_SAMPLED) return m->samples;
  return ripstop_combinations_total(ripstop_faults_population(m->fabric, m->scope), m->count);
}

/* ------------------------------------------------------------------ writing */

static int add_bytes(const char *bytes, size_t length, void *text) {
  ripstop_text_add_bytes(text, bytes, length);
  return 0;
}

static void add_line(ripstop_text *out, json_t *line) {
  json_dump_callback(line, add_bytes, out, JSON_COMPACT);
  ripstop_text_add(out, "\n");
  json_decref(line);
}

void parts_begin(ripstop_text *out, const char *question, uint32_t part, uint32_t parts) {
  add_line(out, json_pack("{s:s, s:I, s:I}", "asked", question, "part", (json_int_t)part, "parts", (json_int_t)parts));
}

void parts_add_text(ripstop_text *out, const char *kind, uint64_t number, const char *text) {
  add_line(out, json_pack("{s:I, s:s}", kind, (json_int_t)number, "text", text));
}

static void list_counts(ripstop_counts_of_sets *c, uint64_t **list) {
  uint64_t *const all[] = {&c->sets, &c->tolerated, &c->deadlocked, &c->livelocked, &c->not_applicable, &c->safe};
  memcpy(list, all, sizeof all);
}

static void list_sums(ripstop_tally *t, uint64_t **list) {
  list[0] = &t->proofs;
  list_counts(&t->all, list + 1);
  list_counts(&t->connected, list + 7);
  uint64_t *const paths[] = {&t->paths.pairs, &t->paths.minimum, &t->paths.shortest, &t->paths.longest};
  memcpy(list + 13, paths, sizeof paths);
}

static void list_maxima(ripstop_tally *t, uint32_t **list) {
  ripstop_paths *p = &t->paths;
  uint32_t *const all[] = {&p->max_minimum, &p->max_shortest, &p->max_longest, &p->max_extra_shortest,
                           &p->max_extra_longest};
  memcpy(list, all, sizeof all);
}

/* The counts of a subfunction's graphs. */
static void list_graphs(ripstop_tally *t, uint64_t **list) {
  uint64_t *const all[] = {&t->all.cyclic, &t->all.starved, &t->connected.cyclic, &t->connected.starved};
  memcpy(list, all, sizeof all);
}

enum { SUMS = 17, GRAPHS = 4, MAXIMA = 5, PARTS_MOST = 1000000 /* --shard allows no more */, BYTES_MOST = 1 << 30 };

/* The last line: the hash of all lines before it. */
static void add_digest(ripstop_text *out) {
  char digest[RIPSTOP_HASH];
  ripstop_hash(out->data, out->length, digest);
  add_line(out, json_pack("{s:s}", "digest", digest));
}

void parts_end(ripstop_text *out, const ripstop_tally *tally) {
  ripstop_tally t = *tally;
  uint64_t *sum[SUMS];
  uint32_t *maximum[MAXIMA];
  uint64_t *graph[GRAPHS];
  json_t *sums = json_array(), *maxima = json_array(), *graphs = json_array();
  list_sums(&t, sum);
  list_maxima(&t, maximum);
  list_graphs(&t, graph);
  for (size_t i = 0; i < SUMS; i++) json_array_append_new(sums, json_integer((json_int_t)*sum[i]));
  for (size_t i = 0; i < MAXIMA; i++) json_array_append_new(maxima, json_integer(*maximum[i]));
  for (size_t i = 0; i < GRAPHS; i++) json_array_append_new(graphs, json_integer((json_int_t)*graph[i]));
  add_line(out,
           json_pack("{s:b, s:o, s:o, s:o}", "counted", t.counted, "sums", sums, "maxima", maxima, "graphs", graphs));
  add_digest(out);
}

/* ------------------------------------------------------------------ reading */

/* A part while it is read. */
typedef struct reading {
  const char *name;
  uint32_t part, parts;
  size_t sets;     /* lines of sets */
  uint64_t last;   /* the number of the last of them */
  bool lost, dead; /* a line of this kind was read */
  ripstop_tally tally;
} reading;

/* A whole number that is not negative. */
static bool read_count(const json_t *value, uint64_t most, uint64_t *out) {
  if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
  *out = (uint64_t)json_integer_value(value);
  return *out <= most;
}

/* Parts of questions without graphs have none. */
static bool read_graphs(ripstop_tally *t, const json_t *line) {
  uint64_t *graph[GRAPHS];
  const json_t *graphs = json_object_get(line, "graphs");
  if (!graphs) return true;
  if (json_array_size(graphs) != GRAPHS) return false;
  list_graphs(t, graph);
  for (size_t i = 0; i < GRAPHS; i++)
    if (!read_count(json_array_get(graphs, i), INT64_MAX, graph[i])) return false;
  return true;
}

static bool read_tally(ripstop_tally *t, const json_t *line) {
  uint64_t *sum[SUMS], number;
  uint32_t *maximum[MAXIMA];
  const json_t *sums = json_object_get(line, "sums"), *maxima = json_object_get(line, "maxima");
  const json_t *counted = json_object_get(line, "counted");
  if (json_array_size(sums) != SUMS || json_array_size(maxima) != MAXIMA || !json_is_boolean(counted)) return false;
  list_sums(t, sum);
  list_maxima(t, maximum);
  for (size_t i = 0; i < SUMS; i++)
    if (!read_count(json_array_get(sums, i), INT64_MAX, sum[i])) return false;
  for (size_t i = 0; i < MAXIMA; i++) {
    if (!read_count(json_array_get(maxima, i), UINT32_MAX, &number)) return false;
    *maximum[i] = (uint32_t)number;
  }
  t->counted = json_is_true(counted);
  return read_graphs(t, line);
}

/* Sets are of these kinds; a set can be deadlocked and livelocked, but not safe with one of them. */
static bool add_up(const ripstop_counts_of_sets *c) {
  return c->tolerated <= c->sets && c->not_applicable <= c->sets - c->tolerated && c->safe <= c->tolerated &&
         c->deadlocked <= c->sets - c->not_applicable && c->livelocked <= c->sets - c->not_applicable &&
         c->deadlocked <= c->sets - c->safe && c->cyclic <= c->sets - c->not_applicable &&
         c->starved <= c->sets - c->not_applicable;
}

static bool are_within(ripstop_counts_of_sets some, ripstop_counts_of_sets all) {
  uint64_t *part[6], *whole[6];
  list_counts(&some, part);
  list_counts(&all, whole);
  for (int i = 0; i < 6; i++)
    if (*part[i] > *whole[i]) return false;
  return some.cyclic <= all.cyclic && some.starved <= all.starved;
}

/* True if the counts are possible. */
static bool is_possible(const ripstop_tally *t) {
  const ripstop_paths *p = &t->paths;
  return add_up(&t->all) && add_up(&t->connected) && are_within(t->connected, t->all) && t->proofs <= t->all.sets &&
         (t->proofs > 0) == (t->all.sets > 0) && p->minimum <= p->shortest && p->shortest <= p->longest &&
         p->max_minimum <= p->max_shortest && p->max_shortest <= p->max_longest;
}

/* False: a sum overflows. */
static bool add_tally(ripstop_tally *to, ripstop_tally t) {
  uint64_t *sum[SUMS], *more[SUMS];
  uint32_t *maximum[MAXIMA], *other[MAXIMA];
  list_sums(to, sum), list_sums(&t, more);
  list_maxima(to, maximum), list_maxima(&t, other);
  for (size_t i = 0; i < SUMS; i++) {
    if (*more[i] > (uint64_t)INT64_MAX - *sum[i]) return false;
    *sum[i] += *more[i];
  }
  list_graphs(to, sum), list_graphs(&t, more);
  for (size_t i = 0; i < GRAPHS; i++) *sum[i] += *more[i]; /* no more than the sets, which do not overflow */
  for (size_t i = 0; i < MAXIMA; i++)
    if (*other[i] > *maximum[i]) *maximum[i] = *other[i];
  to->counted |= t.counted;
  return true;
}

static void keep_first(parts_line *first, parts_line line) {
  if (!first->text || line.number < first->number) *first = line;
}

static void add_set(parts_whole *w, parts_line line) {
  RIPSTOP_GROW(w->set, w->sets, w->capacity);
  w->set[w->sets++] = line;
}

/* The sets of a part are every parts-th of all, in order; of those that are lost or deadlocked it has the first. */
static bool is_own(reading *r, int kind, uint64_t number) {
  bool *const seen = kind == 1 ? &r->lost : &r->dead;
  if (number % r->parts != r->part - 1) return false;
  if (kind > 0) return !*seen && (*seen = true);
  if (r->sets > 0 && number <= r->last) return false;
  r->last = number;
  r->sets++;
  return true;
}

/* Adds the text of a set. False: the line is not one of a set. */
static bool add_text(parts_whole *w, reading *r, const json_t *line) {
  static const char *const kinds[] = {"set", "lost", "deadlock"};
  const char *text = json_string_value(json_object_get(line, "text"));
  for (int kind = 0; kind < 3 && text; kind++) {
    const json_t *value = json_object_get(line, kinds[kind]);
    uint64_t number;
    if (!value) continue;
    if (!read_count(value, INT64_MAX, &number) || !is_own(r, kind, number)) return false;
    parts_line found = {number, ripstop_arena_text(w->arena, text)};
    if (kind == 0)
      add_set(w, found);
    else
      keep_first(kind == 1 ? &w->lost : &w->deadlock, found);
    return true;
  }
  return false;
}

static bool read_head(reading *r, const json_t *line) {
  uint64_t part, parts;
  if (!read_count(json_object_get(line, "part"), PARTS_MOST, &part) ||
      !read_count(json_object_get(line, "parts"), PARTS_MOST, &parts) || part < 1 || part > parts)
    return false;
  r->part = (uint32_t)part;
  r->parts = (uint32_t)parts;
  return json_is_string(json_object_get(line, "asked"));
}

static int add_head(parts_whole *w, reading *r, const json_t *line, ripstop_error *err) {
  if (!read_head(r, line)) return ripstop_fail(err, "%s is no part that 'ripstop prove --shard' printed", r->name);
  const char *theirs = json_string_value(json_object_get(line, "asked"));
  if (strcmp(theirs, w->question) != 0)
    return ripstop_fail(err, "%s is a part of another question: %.200s; this question: %.200s", r->name, theirs,
                        w->question);
  if (w->parts && w->parts != r->parts)
    return ripstop_fail(err, "%s is one of %u parts, the first one of %u", r->name, r->parts, w->parts);
  if (!w->parts) {
    w->parts = r->parts;
    w->seen = RIPSTOP_ARRAY(w->arena, w->parts, const char *);
    w->proofs = RIPSTOP_ARRAY(w->arena, w->parts, uint64_t);
  }
  if (w->seen[r->part - 1])
    return ripstop_fail(err, "%s is part %u, and so is %s", r->name, r->part, w->seen[r->part - 1]);
  w->seen[r->part - 1] = ripstop_arena_text(w->arena, r->name);
  return 0;
}

/* A line of JSON, and where the next one begins; NULL: there is none. */
static json_t *next_line(const char **at, const char *end) {
  const char *stop = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
  json_t *line = stop ? json_loadb(*at, (size_t)(stop - *at), JSON_REJECT_DUPLICATES, NULL) : NULL;
  if (stop) *at = stop + 1;
  return line;
}

static int fail_damaged(const reading *r, ripstop_error *err) {
  return ripstop_fail(err, "%s is damaged or cut off", r->name);
}

/* Lines of sets, then the tally. */
static int read_lines(parts_whole *w, reading *r, const char **at, const char *end, ripstop_error *err) {
  for (bool over = false, good = true; !over;) {
    json_t *line = next_line(at, end);
    over = line && json_object_get(line, "sums");
    good = line && (over ? read_tally(&r->tally, line) : add_text(w, r, line));
    json_decref(line);
    if (!good) return fail_damaged(r, err);
  }
  return 0;
}

/* Then the digest, and no more. */
static int check_digest(const reading *r, const char *bytes, const char *at, const char *end, ripstop_error *err) {
  char digest[RIPSTOP_HASH];
  ripstop_hash(bytes, (size_t)(at - bytes), digest);
  json_t *line = next_line(&at, end);
  const char *theirs = json_string_value(json_object_get(line, "digest"));
  bool same = theirs && !strcmp(theirs, digest);
  json_decref(line);
  if (!same) return fail_damaged(r, err);
  return at == end ? 0 : ripstop_fail(err, "%s has more after its digest", r->name);
}

/* Checks the counts of a part against each other, since a digest can be forged. */
static int check_counts(parts_whole *w, const reading *r, ripstop_error *err) {
  const uint64_t proofs = r->tally.proofs;
  bool listed = w->listed ? r->sets == proofs : r->sets == 0;
  if (!is_possible(&r->tally) || !listed || !add_tally(&w->tally, r->tally))
    return ripstop_fail(err, "%s is damaged: its counts do not add up", r->name);
  w->proofs[r->part - 1] = proofs;
  return 0;
}

int parts_add(parts_whole *whole, const char *name, const char *bytes, size_t length, ripstop_error *err) {
  const char *at = bytes, *end = bytes + length;
  reading r = {.name = name};
  json_t *head = next_line(&at, end);
  int status = add_head(whole, &r, head, err);
  json_decref(head);
  if (status || read_lines(whole, &r, &at, end, err) || check_digest(&r, bytes, at, end, err)) return -1;
  return check_counts(whole, &r, err);
}

static int by_number(const void *a, const void *b) {
  const parts_line *one = a, *two = b;
  return (one->number > two->number) - (one->number < two->number);
}

/* The proofs were dealt out to the parts in turn. */
static bool are_dealt_out(const parts_whole *w) {
  for (uint32_t i = 0; i < w->parts; i++)
    if (w->proofs[i] != (w->tally.proofs + w->parts - 1 - i) / w->parts) return false;
  return true;
}

static bool are_all_listed(const parts_whole *w) {
  for (size_t i = 0; i < w->sets; i++)
    if (w->set[i].number != i) return false;
  return true;
}

int parts_check(parts_whole *whole, uint64_t sets, ripstop_error *err) {
  for (uint32_t i = 0; i < whole->parts; i++)
    if (!whole->seen[i]) return ripstop_fail(err, "part %u of %u is missing", i + 1, whole->parts);
  if (whole->sets) qsort(whole->set, whole->sets, sizeof *whole->set, by_number);
  if (sets < UINT64_MAX && whole->tally.all.sets != sets)
    return ripstop_fail(err, "the parts have %" PRIu64 " sets together, and there are %" PRIu64, whole->tally.all.sets,
                        sets);
  if (are_dealt_out(whole) && are_all_listed(whole)) return 0;
  return ripstop_fail(err, "the parts do not belong together: some sets are missing or there twice");
}

void parts_free(parts_whole *whole) { ripstop_free(whole->set); }

int parts_read(parts_whole *whole, const char *const *file, unsigned files, uint64_t sets, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  char *bytes;
  size_t length;
  for (unsigned i = 0; i < files; i++)
    if (ripstop_read_file(whole->arena, file[i], BYTES_MOST, &bytes, &length, err) ||
        parts_add(whole, file[i], bytes, length, err))
      return -1;
  return parts_check(whole, sets, err);
}

/* ------------------------------------------------------------------ on ranks */

typedef struct gathering {
  parts_whole *whole;
  ripstop_error *err;
  bool failed;
} gathering;

static int add_rank(void *context, unsigned rank, const ripstop_text *bytes) {
  gathering *g = context;
  const char *name = ripstop_arena_printf(g->whole->arena, "rank %u", rank);
  g->failed = parts_add(g->whole, name, bytes->data, bytes->length, g->err) != 0;
  return g->failed ? -1 : 0;
}

int parts_gather(parts_whole *whole, ripstop_ranks *ranks, const ripstop_text *own, const atomic_int *stop,
                 uint64_t sets, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  gathering g = {.whole = whole, .err = err};
  if (ripstop_ranks_gather(ranks, own, stop, add_rank, &g)) return g.failed ? -1 : 1;
  return ripstop_ranks_own(ranks) == 0 ? parts_check(whole, sets, err) : 0;
}
