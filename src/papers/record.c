/* record.c - claims as JSON, and what was once measured read back from it.
 *
 * A store lies on one machine and goes when the model changes; a record is text that can lie beside the experiments. It
 * has an entry for each claim, with all that is claimed, so that it can be read by itself; but what is taken from it
 * again is only what was measured, and only where the claim still rests on the same runs (basis.c) and the entry agrees
 * with its digest. Findings are always those of the claim as it stands now. Numbers have 15 digits: what was written by
 * hand comes back as it was. */
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/local.h"
#include "papers/ledger.h"
#include "report/json_values.h"
#include "report/judging.h"
#include "report/proof_json.h"

enum { INDENT = 1, DIGITS = 15, RECORD_BYTES_MAX = 1 << 28 };

/* "" if the entry has no such text. */
static const char *text_of(const json_t *entry, const char *key) {
  const char *text = json_string_value(json_object_get(entry, key));
  return text ? text : "";
}

/* ------------------------------------------------------------------ values that are read again */

/* The keys that are read from an entry, with their types. The entry's digest covers them all. */
typedef enum { TEXT, NUMBER_OR_NULL, COUNT_OF, BOOLEAN, SHARE_OR_NONE, TRUE_OR_NONE } kind;
static const struct {
  const char *key;
  kind kind;
} taken[] = {{"experiment", TEXT},
             {"id", TEXT},
             {"basis", TEXT},
             {"measured", NUMBER_OR_NULL},
             {"low", NUMBER_OR_NULL},
             {"runs", COUNT_OF},
             {"asked", COUNT_OF},
             {"high", NUMBER_OR_NULL},
             {"model", COUNT_OF},
             {"drifts", BOOLEAN},
             {"one_set", BOOLEAN},
             {"lost_share", SHARE_OR_NONE},
             {"unbounded", TRUE_OR_NONE},
             {"too_short", TRUE_OR_NONE}};

/* Over the entry's name and what was measured, and the seeds of the record: a value that changed, or that is of another
 * claim or record, does not agree with it. What the experiment's file says is not in it, as the file is believed. */
static void find_digest(const json_t *entry, uint64_t seed_offset, char digest[RIPSTOP_HASH]) {
  RIPSTOP_LOCAL_TEXT(text);
  json_t *all = json_pack("{s:I}", "seed_offset", (json_int_t)seed_offset);
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    json_object_set(all, taken[i].key, json_object_get(entry, taken[i].key)); /* nothing where there is none */
  json_dump_callback(all, ripstop_json_add, &text, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(DIGITS));
  ripstop_hash(text.data, text.length, digest);
  json_decref(all);
}

/* ------------------------------------------------------------------ writing */

/* The part of an entry that repeats the experiment's file. */
static json_t *json_definition(const ripstop_claim_row *row) {
  const ripstop_claim *claim = row->claim;
  RIPSTOP_LOCAL_TEXT(cause);
  plot_print_cause(&cause, claim);
  json_t *out = json_pack("{s:s, s:s, s:s?, s:s?, s:s, s:s?, s:s, s:s, s:s?, s:s?, s:s, s:f, s:f}", "experiment",
                          row->spec->name, "id", claim->id, "paper", claim->paper ? claim->paper->key : NULL, "place",
                          claim->paper ? claim->place : NULL, "says", claim->says, "reading", claim->reading, "chosen",
                          claim->chosen_after ? "after" : "before", "author", ripstop_finding_words[claim->finding],
                          "why", claim->why, "cause", cause.data, "compare", ripstop_compare_words[claim->compare],
                          "published", claim->published, "tolerance", claim->tolerance);
  return out;
}

static json_t *json_findings(const ripstop_claim_row *row) {
  const ripstop_judgement *j = &row->judgement;
  const char *counts_as = ripstop_counted_words[ripstop_claim_counts_as(row->claim, j)];
  json_t *out = json_pack("{s:o, s:o, s:o, s:b, s:b, s:I, s:I, s:i, s:s, s:s, s:s, s:s, s:s, s:b}", "measured",
                          ripstop_json_number(j->measured.mean), "low", ripstop_json_number(j->measured.low), "high",
                          ripstop_json_number(j->measured.high), "drifts", j->drifts, "one_set", j->one_set, "runs",
                          (json_int_t)row->basis.runs, "asked", (json_int_t)row->basis.planned, "model", row->model,
                          "basis", row->basis.name, "digest", "", "judged", ripstop_finding_words[j->judged], "finding",
                          ripstop_finding_words[j->finding], "counts_as", counts_as, "contradicts", j->contradicts);
  if (j->lost > 0) json_object_set_new(out, "lost_share", json_real(j->lost));
  return out;
}

static bool is_unbounded(const ripstop_estimate *e) { return isinf(e->low) || isinf(e->high); }

static json_t *json_row(const ripstop_claim_row *row, uint64_t seed_offset) {
  char digest[RIPSTOP_HASH];
  json_t *one = json_definition(row), *findings = json_findings(row);
  const bool unbounded = is_unbounded(&row->judgement.measured);
  if (findings && unbounded) json_object_set_new(findings, "unbounded", json_true());
  if (findings && unbounded && row->judgement.too_short) json_object_set_new(findings, "too_short", json_true());
  if (one && findings) json_object_update(one, findings);
  if (one) find_digest(one, seed_offset, digest), json_object_set_new(one, "digest", json_string(digest));
  json_decref(findings);
  return one;
}

static json_t *json_paper(const ripstop_ledger *ledger, const ripstop_paper *paper) {
  json_t *found = json_array(), *missing = json_array();
  for (size_t i = 0; i < paper->places; i++)
    json_array_append_new(ledger_is_found(ledger, paper, i) ? found : missing, json_string(paper->place[i]));
  return json_pack("{s:s, s:s, s:s, s:o, s:o}", "number", paper->number, "key", paper->key, "title", paper->title,
                   "found", found, "missing", missing);
}

int ripstop_ledger_json(ripstop_text *out, const ripstop_ledger *ledger, ripstop_error *err) {
  json_t *claims = json_array(), *papers = json_array();
  ripstop_coverage c = ripstop_ledger_coverage(ledger);
  for (size_t i = 0; i < ledger->rows; i++)
    json_array_append_new(claims, json_row(&ledger->row[i], ledger->seed_offset));
  for (size_t p = 0; p < ledger->papers; p++) json_array_append_new(papers, json_paper(ledger, ledger->paper[p]));
  json_t *root = json_pack("{s:I, s:I, s:I, s:o, s:o}", "seed_offset", (json_int_t)ledger->seed_offset, "found",
                           (json_int_t)c.found, "places", (json_int_t)c.places, "papers", papers, "claims", claims);
  size_t flags = JSON_INDENT(INDENT) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(DIGITS);
  int bad = root ? json_dump_callback(root, ripstop_json_add, out, flags) : -1;
  json_decref(root);
  ripstop_text_add(out, "\n");
  return bad ? ripstop_fail(err, "claims: text that is not UTF-8") : 0;
}

/* ------------------------------------------------------------------ reading */

struct ripstop_record {
  json_t *root;
  const json_t *claims;
  bool digests; /* each entry has one */
};

static json_t *read_json(const char *path, ripstop_error *err) {
  char *text;
  size_t length;
  json_error_t why;
  RIPSTOP_LOCAL_ARENA(arena);
  json_t *root = NULL;
  if (!ripstop_read_file(arena, path, RECORD_BYTES_MAX, &text, &length, err)) {
    root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    if (!root) ripstop_fail(err, "%s:%d: no record of claims: %s", path, why.line, why.text);
  }
  return root;
}

static bool is_of_kind(const json_t *value, kind k) {
  switch (k) {
  case TEXT:
    return json_is_string(value);
  case NUMBER_OR_NULL:
    return json_is_number(value) || json_is_null(value);
  case COUNT_OF:
    return json_is_integer(value) && json_integer_value(value) >= 0;
  case BOOLEAN:
    return json_is_boolean(value);
  case SHARE_OR_NONE:
    return !value || (json_is_number(value) && json_number_value(value) >= 0 && json_number_value(value) <= 1);
  case TRUE_OR_NONE:
    return !value || json_is_true(value);
  }
  return false;
}

static bool is_above(const json_t *entry, const char *high, const char *low) {
  const json_t *a = json_object_get(entry, high), *b = json_object_get(entry, low);
  return json_is_number(a) && json_is_number(b) && json_number_value(a) < json_number_value(b);
}

/* The key of an impossible value in an entry; NULL: there is none. */
static const char *wrong_key(const json_t *entry) {
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!is_of_kind(json_object_get(entry, taken[i].key), taken[i].kind)) return taken[i].key;
  if (json_integer_value(json_object_get(entry, "model")) > INT_MAX) return "model";
  if (is_above(entry, "asked", "runs")) return "runs";
  return is_above(entry, "high", "low") ? "low" : NULL;
}

static bool has_digest(const json_t *entry, uint64_t seed_offset) {
  char digest[RIPSTOP_HASH];
  find_digest(entry, seed_offset, digest);
  return !strcmp(text_of(entry, "digest"), digest);
}

static int fail_entry(const char *path, const json_t *claims, size_t i, const char *what, ripstop_error *err) {
  const json_t *entry = json_array_get(claims, i);
  return ripstop_fail(err, "%s: claim %zu, %.100s.%.100s, of the record: %s", path, i + 1, text_of(entry, "experiment"),
                      text_of(entry, "id"), what);
}

static int check_entries(const char *path, const ripstop_record *record, ripstop_error *err) {
  const uint64_t offset = ripstop_record_seed_offset(record);
  for (size_t i = 0; i < json_array_size(record->claims); i++) {
    const json_t *entry = json_array_get(record->claims, i);
    const char *key = wrong_key(entry);
    char what[100];
    snprintf(what, sizeof what, "'%s' is missing or cannot be true", key ? key : "digest");
    if (key || (record->digests && !json_object_get(entry, "digest")))
      return fail_entry(path, record->claims, i, what, err);
    if (record->digests && !has_digest(entry, offset))
      return fail_entry(
          path, record->claims, i,
          "the measured values do not match the digest; remove the entry and run 'ripstop claims --record' "
          "with the stored runs",
          err);
  }
  return 0;
}

/* Records of older versions have none. */
static bool has_digests(const json_t *claims) {
  for (size_t i = 0; i < json_array_size(claims); i++)
    if (json_object_get(json_array_get(claims, i), "digest")) return true;
  return false;
}

static int check_record(const char *path, const ripstop_record *record, ripstop_error *err) {
  if (!json_is_array(record->claims) || !json_is_integer(json_object_get(record->root, "seed_offset")))
    return ripstop_fail(err, "%s:1: no record of claims", path);
  return check_entries(path, record, err);
}

ripstop_record *ripstop_record_read(const char *path, ripstop_error *err) {
  json_t *root = read_json(path, err);
  const json_t *claims = json_object_get(root, "claims");
  if (!root) return NULL;
  const ripstop_record read = {.root = root, .claims = claims, .digests = has_digests(claims)};
  if (check_record(path, &read, err)) {
    json_decref(root);
    return NULL;
  }
  ripstop_record *record = ripstop_realloc(NULL, 1, sizeof *record);
  *record = read;
  return record;
}

size_t ripstop_record_undigested(const ripstop_record *record) {
  return record->digests ? 0 : json_array_size(record->claims);
}

void ripstop_record_free(ripstop_record *record) {
  if (record) json_decref(record->root);
  ripstop_free(record);
}

uint64_t ripstop_record_seed_offset(const ripstop_record *record) {
  return (uint64_t)json_integer_value(json_object_get(record->root, "seed_offset"));
}

static double number_of(const json_t *entry, const char *key) {
  const json_t *number = json_object_get(entry, key);
  return json_is_number(number) ? json_number_value(number) : NAN;
}

static size_t count_of(const json_t *entry, const char *key) {
  json_int_t count = json_integer_value(json_object_get(entry, key));
  return count > 0 ? (size_t)count : 0;
}

static bool is_of(const json_t *entry, const ripstop_claim_row *row) {
  return !strcmp(text_of(entry, "id"), row->claim->id) && !strcmp(text_of(entry, "experiment"), row->spec->name);
}

static const json_t *find(const ripstop_record *record, const ripstop_claim_row *row) {
  for (size_t i = 0; i < json_array_size(record->claims); i++)
    if (is_of(json_array_get(record->claims, i), row)) return json_array_get(record->claims, i);
  return NULL;
}

/* The claim as it stands now, of what the entry measured. */
static ripstop_claim_row filled(const json_t *entry, const ripstop_claim_row *row) {
  ripstop_claim_row other = *row;
  const bool unbounded = json_is_true(json_object_get(entry, "unbounded"));
  ripstop_judgement before = {
      .measured = {number_of(entry, "measured"), unbounded ? -INFINITY : number_of(entry, "low"),
                   unbounded ? INFINITY : number_of(entry, "high")},
      .drifts = json_is_true(json_object_get(entry, "drifts")),
      .one_set = json_is_true(json_object_get(entry, "one_set")),
      .too_short = json_is_true(json_object_get(entry, "too_short")),  /* beside "unbounded" */
      .lost = json_number_value(json_object_get(entry, "lost_share")), /* 0 where the record has none */
  };
  other.basis.runs = count_of(entry, "runs"), other.basis.planned = count_of(entry, "asked");
  other.model = (int)count_of(entry, "model");
  bool whole = other.basis.runs == other.basis.planned;
  other.judgement = ripstop_claim_judge_again(row->claim, &before, whole);
  return other;
}

ripstop_claim_row record_row(const ripstop_record *record, const ripstop_claim_row *row, const char **basis) {
  const json_t *entry = find(record, row);
  *basis = text_of(entry, "basis");
  return filled(entry, row);
}

int ripstop_record_fill(const ripstop_record *record, ripstop_claim_row *row) {
  const json_t *entry = find(record, row);
  if (!entry || strcmp(text_of(entry, "basis"), row->basis.name) != 0) return 0;
  ripstop_claim_row old = filled(entry, row);
  bool nothing = isnan(row->judgement.measured.mean);
  bool fewer = old.model == row->model && row->basis.runs < old.basis.runs;
  if (isnan(old.judgement.measured.mean) || !(nothing || fewer)) return 0;
  *row = old;
  return 1;
}

const char *ripstop_record_unknown(const ripstop_record *record, const ripstop_ledger *ledger) {
  for (size_t i = 0; i < json_array_size(record->claims); i++) {
    const char *name = text_of(json_array_get(record->claims, i), "experiment");
    bool known = false;
    for (size_t r = 0; r < ledger->rows; r++) known |= !strcmp(ledger->row[r].spec->name, name);
    if (!known) return name;
  }
  return NULL;
}

static const ripstop_claim_row *row_of(const ripstop_ledger *ledger, const json_t *entry) {
  for (size_t r = 0; r < ledger->rows; r++)
    if (is_of(entry, &ledger->row[r])) return &ledger->row[r];
  return NULL;
}

void ripstop_record_lost(FILE *file, const ripstop_record *record, const ripstop_ledger *ledger) {
  for (size_t i = 0; i < json_array_size(record->claims); i++) {
    const json_t *entry = json_array_get(record->claims, i);
    const ripstop_claim_row *row = row_of(ledger, entry);
    if (isnan(number_of(entry, "measured")) || (row && !isnan(row->judgement.measured.mean))) continue;
    fprintf(file, "ripstop: note: %s.%s: what was recorded goes, as %s\n", text_of(entry, "experiment"),
            text_of(entry, "id"),
            row ? "the claim rests on other runs now, or measures them in another way"
                : "there is no such claim any more");
  }
}
