/* flags.c - checks what a table of flags says of their values and of each other.
 *
 * A command declares ranges, words, needs and exclusions in its ripstop_flag table; the wording of every refusal is
 * here. Values are read in the order of the command line, before flags are compared. */
#include "cli/flags.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/local.h"
#include "ripstop/kit/campaign.h"

/* ------------------------------------------------------------------ values */

static int read_integer(const ripstop_flag *flag, const char *text, ripstop_error *err) {
  const uint64_t most = flag->most ? flag->most : UINT64_MAX;
  uint64_t number;
  if (ripstop_parse_u64(text, most, &number, err)) return ripstop_fail_at(err, "--%s", flag->name);
  if (number < flag->least) return ripstop_fail(err, "--%s must be at least %" PRIu64, flag->name, flag->least);
  if (flag->integer) *flag->integer = number;
  if (flag->count) *flag->count = (unsigned)number;
  return 0;
}

static int read_shard(const ripstop_flag *flag, const char *text, ripstop_error *err) {
  enum { MOST = 1000000 };
  char first[24];
  uint64_t part, of;
  const char *slash = strchr(text, '/');
  snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - text) : 0, text);
  if (!slash || ripstop_parse_u64(first, MOST, &part, err) || ripstop_parse_u64(slash + 1, MOST, &of, err) || !part ||
      part > of)
    return ripstop_fail(err, "--%s must be PART/PARTS, as 2/5, from 1/1 to %d/%d, not '%s'", flag->name, MOST, MOST,
                        text);
  *flag->shard = (ripstop_shard){(unsigned)part, (unsigned)of};
  return 0;
}

static int read_share(const ripstop_flag *flag, const char *text, ripstop_error *err) {
  double *share = flag->share;
  if (ripstop_parse_real(text, share, err)) return ripstop_fail_at(err, "--%s", flag->name);
  if (*share >= 0 && *share <= 1 && !(flag->open && (*share == 0 || *share == 1))) return 0;
  return ripstop_fail(err, "--%s must lie between 0 and 1", flag->name);
}

static int read_word(const ripstop_flag *flag, const char *text, ripstop_error *err) {
  const char *const *words = flag->words;
  for (unsigned i = 0; words[i]; i++)
    if (strcmp(text, words[i]) == 0) return *flag->word = i, 0;
  const char *near = ripstop_nearest_word(text, words);
  RIPSTOP_LOCAL_TEXT(known);
  for (unsigned i = 0; words[i]; i++) ripstop_text_add(&known, "%s%s", i ? ", " : "", words[i]);
  ripstop_fail(err, "--%s: '%.100s' is none of %s%s%s%s", flag->name, text, known.data, near ? "; did you mean '" : "",
               near ? near : "", near ? "'?" : "");
  return -1;
}

int cli_read_flag(const ripstop_flag *flag, const char *text, ripstop_error *err) {
  if (flag->integer || flag->count) return read_integer(flag, text, err);
  if (flag->shard) return read_shard(flag, text, err);
  if (flag->share) return read_share(flag, text, err);
  return flag->word ? read_word(flag, text, err) : 0;
}

/* ------------------------------------------------------------------ which flags go with which */

/* A word of `needs` or `excludes`: "count", or "of=pairs" for a flag with this value. */
typedef struct word {
  const char *text;
  size_t length, name; /* bytes in all, and before the '=' */
} word;

/* The next word at *at, which moves behind it; false at the end. */
static bool next_word(const char **at, word *out) {
  if (!*at) return false;
  const char *text = *at + strspn(*at, " ");
  *out = (word){.text = text, .length = strcspn(text, " "), .name = strcspn(text, "= ")};
  *at = text + out->length;
  return out->length > 0;
}

static bool is_given(const ripstop_flag *flags, const cli_given *given, const word *w) {
  unsigned i = 0;
  while (flags[i].name && (strlen(flags[i].name) != w->name || memcmp(flags[i].name, w->text, w->name) != 0)) i++;
  assert(flags[i].name); /* the table names a flag that the command does not have */
  if (!given->is[i]) return false;
  const size_t value = w->name + 1;
  return w->length == w->name || (strlen(given->value[i]) == w->length - value &&
                                  memcmp(given->value[i], w->text + value, w->length - value) == 0);
}

/* The text as on the command line. */
static void add_word(ripstop_text *out, const word *w) {
  ripstop_text_add(out, "--%.*s", (int)w->name, w->text);
  if (w->length > w->name) ripstop_text_add(out, " %.*s", (int)(w->length - w->name - 1), w->text + w->name + 1);
}

static unsigned count_words(const char *at) {
  word w;
  unsigned count = 0;
  while (next_word(&at, &w)) count++;
  return count;
}

static int fail_needs(const ripstop_flag *flag, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(list);
  const char *at = flag->needs;
  for (word w; next_word(&at, &w);) {
    const unsigned left = count_words(at);
    add_word(&list, &w);
    ripstop_text_add(&list, "%s", left > 1 ? ", " : left ? " or " : "");
  }
  ripstop_fail(err, "--%s needs %s", flag->name, list.data);
  return -1;
}

static int check_needs(const ripstop_flag *flags, const ripstop_flag *flag, const cli_given *given,
                       ripstop_error *err) {
  word w;
  for (const char *at = flag->needs; next_word(&at, &w);)
    if (is_given(flags, given, &w)) return 0;
  return flag->needs ? fail_needs(flag, err) : 0;
}

static int check_excludes(const ripstop_flag *flags, const ripstop_flag *flag, const cli_given *given,
                          ripstop_error *err) {
  word w;
  for (const char *at = flag->excludes; next_word(&at, &w);) {
    if (!is_given(flags, given, &w)) continue;
    RIPSTOP_LOCAL_TEXT(other);
    add_word(&other, &w);
    ripstop_fail(err, "--%s and %s exclude each other%s%s", flag->name, other.data, flag->because ? ": " : "",
                 flag->because ? flag->because : "");
    return -1;
  }
  return 0;
}

int cli_check_flags(const ripstop_flag *flags, const cli_given *given, ripstop_error *err) {
  for (unsigned i = 0; flags[i].name; i++)
    if (flags[i].required && !given->is[i])
      return ripstop_fail(err, "--%s is missing; %s", flags[i].name, flags[i].required);
  for (unsigned i = 0; flags[i].name; i++)
    if (given->is[i] && check_excludes(flags, &flags[i], given, err)) return -1;
  for (unsigned i = 0; flags[i].name; i++)
    if (given->is[i] && check_needs(flags, &flags[i], given, err)) return -1;
  return 0;
}
