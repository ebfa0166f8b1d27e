/* fault_syntax.c - splits fault files into words and finds the parts that they name. */
#include "faults/fault_syntax.h"

#include <stdio.h>
#include <string.h>

#include "base/piece.h"
#include "fabric/ib.h"
#include "fabric/inner.h"
#include "fabric/names.h"
#include "ripstop/kit/fabrics.h"

static const char switch_prefix[] = "switch:", group_prefix[] = RIPSTOP_GROUP_PREFIX;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool ripstop_words_next(ripstop_words *words, const char **text, size_t *length) {
  for (;;) {
    while (words->at < words->end && is_blank(*words->at)) words->line += *words->at++ == '\n';
    if (words->at == words->end || *words->at != '#') break;
    while (words->at < words->end && *words->at != '\n') words->at++;
  }
  *text = words->at;
  for (bool quoted = false; words->at < words->end && (quoted ? *words->at != '\n' : !is_blank(*words->at));
       words->at++)
    quoted ^= *words->at == '"';
  *length = (size_t)(words->at - *text);
  return *length > 0;
}

const char *ripstop_word_mark(const char *text, size_t length, char mark) {
  const char *start = text;
  for (const char *c = text; c < text + length; c++)
    if (*c == '"') start = c;
  return memchr(start, mark, length - (size_t)(start - text));
}

/* A link of a graph by its routers in the other order, B--A or B--A#2; RIPSTOP_NONE: there is none. */
static uint32_t turned_link(const ripstop_names *names, const char *text, size_t length) {
  const char *end = text + length, *dash = text, *hash = text;
  while (dash + 1 < end && !(dash[0] == '-' && dash[1] == '-')) dash++;
  while (hash < end && *hash != '#') hash++;
  char turned[RIPSTOP_NAME_MAX];
  if (length >= sizeof turned || dash + 2 > hash) return RIPSTOP_NONE;
  snprintf(turned, sizeof turned, "%.*s--%.*s%.*s", (int)(hash - dash - 2), dash + 2, (int)(dash - text), text,
           (int)(end - hash), hash);
  return ripstop_names_link(names, turned, length);
}

/* The two switches of a word A--B; false: the word has another form. */
static bool two_switches(const ripstop_names *names, const char *text, size_t length, uint32_t node[2]) {
  for (size_t dash = 1; dash + 2 < length; dash++) {
    if (text[dash] != '-' || text[dash + 1] != '-') continue;
    node[0] = ripstop_names_switch(names, text, dash);
    node[1] = ripstop_names_switch(names, text + dash + 2, length - dash - 2);
    if (node[0] != RIPSTOP_NONE && node[1] != RIPSTOP_NONE) return true;
  }
  return false;
}

/* Links of many fabrics are named by a switch and its port, but users give their two ends. */
static int no_such_pair(const ripstop_fabric *f, const uint32_t node[2], const char *text, size_t length,
                        ripstop_error *err) {
  for (uint32_t port = f->port_base[node[0]]; port < f->port_base[node[0] + 1]; port++) {
    if (f->peer[port] == RIPSTOP_NONE || f->port_node[f->peer[port]] != node[1]) continue;
    char name[RIPSTOP_NAME_MAX];
    ripstop_link_name(f, f->port_link[port], name);
    return ripstop_fail(err, "no link '%.*s' in %s; did you mean '%s'?", ripstop_word_shown(length), text, f->spec,
                        name);
  }
  return ripstop_fail(err, "no link '%.*s' in %s: no link joins these two switches", ripstop_word_shown(length), text,
                      f->spec);
}

/* The text before the first ':' of a word may be a misspelt 'switch:' or 'group:'. */
static const char *meant_prefix(const char *text, size_t length, size_t *own) {
  static const char *const words[] = {"switch", "group", NULL};
  const char *colon = memchr(text, ':', length);
  char word[16];
  *own = colon ? (size_t)(colon - text) : 0;
  if (!colon || *own >= sizeof word || memchr(text, '"', *own)) return NULL;
  snprintf(word, sizeof word, "%.*s", (int)*own, text);
  return ripstop_nearest_word(word, words);
}

/* No name is near: says how parts are named here. */
static int no_such_form(const ripstop_fabric *f, const char *text, size_t length, bool is_switch, ripstop_error *err) {
  const int shown = ripstop_word_shown(length);
  char link[RIPSTOP_NAME_MAX], node[RIPSTOP_NAME_MAX];
  ripstop_link_name(f, f->link_ends < f->links ? f->link_ends : 0, link);
  ripstop_node_name(f, f->ends, node);
  if (is_switch)
    return ripstop_fail(err, "no switch '%.*s' in %s, whose switches are named like '%s%s'", shown, text, f->spec,
                        switch_prefix, node);
  return ripstop_fail(err, "no link '%.*s' in %s, whose links are named like '%s' and switches like '%s%s'", shown,
                      text, f->spec, link, switch_prefix, node);
}

static int no_part(const ripstop_names *names, const char *text, size_t length, bool is_switch, ripstop_error *err) {
  const ripstop_fabric *fabric = ripstop_names_fabric(names);
  const int shown = ripstop_word_shown(length);
  const char *what = is_switch ? "switch" : "link";
  size_t own;
  const char *prefix = is_switch ? NULL : meant_prefix(text, length, &own);
  if (prefix)
    return ripstop_fail(err, "no link '%.*s' in %s; did you mean '%s%.*s'?", shown, text, fabric->spec, prefix,
                        ripstop_word_shown(length - own), text + own);
  const char *near =
      is_switch ? ripstop_names_nearest_switch(names, text, length) : ripstop_names_nearest_link(names, text, length);
  if (near != NULL)
    return ripstop_fail(err, "no %s '%.*s' in %s; did you mean '%s%s'?", what, shown, text, fabric->spec,
                        is_switch ? switch_prefix : "", near);
  const char *whole = ripstop_ib_begun(fabric, text, length);
  if (whole != NULL)
    return ripstop_fail(err, "no %s '%.*s' in %s; '%s' has blanks and needs quotes: '\"%s\"'", what, shown, text,
                        fabric->spec, whole, whole);
  return no_such_form(fabric, text, length, is_switch, err);
}

int ripstop_part_find(const ripstop_names *names, const char *text, size_t length, uint32_t *id, bool *is_switch,
                      ripstop_error *err) {
  const size_t prefix = sizeof switch_prefix - 1;
  *is_switch = length >= prefix && memcmp(text, switch_prefix, prefix) == 0;
  if (*is_switch) {
    text += prefix;
    length -= prefix;
  }
  *id = *is_switch ? ripstop_names_switch(names, text, length) : ripstop_names_link(names, text, length);
  if (*id != RIPSTOP_NONE) return 0;

  const char *spec = ripstop_names_fabric(names)->spec;
  if (!*is_switch && ripstop_names_switch(names, text, length) != RIPSTOP_NONE)
    return ripstop_fail(err, "no link '%.*s' in %s; did you mean the switch '%s%.*s'?", ripstop_word_shown(length),
                        text, spec, switch_prefix, ripstop_word_shown(length), text);
  char shared[RIPSTOP_NAME_MAX];
  if (ripstop_ib_shared(ripstop_names_fabric(names), text, length, shared))
    return ripstop_fail(err, "'%.*s' in %s: several nodes have this description: %s; use an id",
                        ripstop_word_shown(length), text, spec, shared);
  const uint32_t turned = *is_switch ? RIPSTOP_NONE : turned_link(names, text, length);
  if (turned != RIPSTOP_NONE) {
    char name[RIPSTOP_NAME_MAX];
    ripstop_link_name(ripstop_names_fabric(names), turned, name);
    return ripstop_fail(err, "no link '%.*s' in %s; did you mean '%s'?", ripstop_word_shown(length), text, spec, name);
  }
  uint32_t node[2];
  if (!*is_switch && two_switches(names, text, length, node))
    return no_such_pair(ripstop_names_fabric(names), node, text, length, err);
  return no_part(names, text, length, *is_switch, err);
}

/* The number after '~'. */
static int parse_rate(const char *text, size_t length, uint16_t *rate, ripstop_error *err) {
  uint32_t value;
  if (!piece_thousandths((piece){text, text + length}, &value) || value < RIPSTOP_RATE_LEAST ||
      value >= RIPSTOP_RATE_FULL)
    return ripstop_fail(err,
                        "a rate is a number from 0.01 to 0.999 with at most three digits behind the point, not '%.*s'",
                        ripstop_word_shown(length), text);
  *rate = (uint16_t)value;
  return 0;
}

int ripstop_part_find_rate(const ripstop_names *names, const char *text, size_t length, uint32_t *id, bool *is_switch,
                           uint16_t *rate, ripstop_error *err) {
  const char *tilde = ripstop_word_mark(text, length, '~');
  size_t name = tilde ? (size_t)(tilde - text) : length;
  *rate = 0;
  if (ripstop_part_find(names, text, name, id, is_switch, err)) return -1;
  if (!tilde) return 0;
  if (*is_switch) return ripstop_fail(err, "'%.*s': only links can be slow", ripstop_word_shown(length), text);
  if (parse_rate(tilde + 1, length - name - 1, rate, err))
    return ripstop_fail_at(err, "'%.*s'", ripstop_word_shown(length), text);
  return 0;
}

/* Finds all links, or all switches, whose names match the pattern. */
static uint32_t find_matches(const ripstop_names *names, bool switches, const char *text, size_t length,
                             ripstop_part_found *found, void *to) {
  const ripstop_fabric *f = ripstop_names_fabric(names);
  uint32_t count = 0;
  for (uint32_t i = switches ? f->ends : 0; i < (switches ? f->nodes : f->links); i++) {
    if (!ripstop_names_match(names, switches ? RIPSTOP_PART_SWITCH : RIPSTOP_PART_LINK, i, text, length)) continue;
    found(to, i, switches);
    count++;
  }
  return count;
}

/* Everything in a group of the fabric's family or file; with a rate only its links. */
static int find_group(const ripstop_names *names, const char *text, size_t length, ripstop_part_found *found, void *to,
                      uint16_t *rate, ripstop_error *err) {
  const ripstop_fabric *f = ripstop_names_fabric(names);
  const char *tilde = memchr(text, '~', length);
  if (tilde && parse_rate(tilde + 1, length - (size_t)(tilde + 1 - text), rate, err))
    return ripstop_fail_at(err, "'%s%.*s'", group_prefix, ripstop_word_shown(length), text);
  if (tilde) length = (size_t)(tilde - text);
  char near[RIPSTOP_NAME_MAX] = "", group[RIPSTOP_NAME_MAX], wanted[RIPSTOP_NAME_MAX];
  uint32_t count = 0;
  snprintf(wanted, sizeof wanted, "%.*s", ripstop_word_shown(length), text);
  for (uint32_t i = 0; i < f->links + ripstop_fabric_switches(f); i++) {
    bool is_switch = i >= f->links;
    if (is_switch && tilde) break;
    uint32_t part = is_switch ? f->ends + (i - f->links) : i;
    if (!(is_switch ? ripstop_switch_group_of(f, part, group) : ripstop_link_group_of(f, part, group))) continue;
    if (strcmp(group, wanted) == 0) found(to, part, is_switch), count++;
    const char *const words[] = {*near ? near : group, group, NULL};
    if (count == 0 && ripstop_nearest_word(wanted, words) == group) memcpy(near, group, sizeof near);
  }
  if (count > 0) return 0;
  return ripstop_fail(err, "no part of %s is in the group '%s'%s%s%s", f->spec, wanted, *near ? "; did you mean '" : "",
                      near, *near ? "'?" : "");
}

static bool is_pattern(const char *text, size_t length) {
  return memchr(text, '*', length) != NULL || memchr(text, '?', length) != NULL;
}

int ripstop_part_find_all(const ripstop_names *names, const char *text, size_t length, ripstop_part_found *found,
                          void *to, uint16_t *rate, ripstop_error *err) {
  uint32_t id, count = 0;
  bool is_switch;
  const size_t mark = sizeof group_prefix - 1;
  *rate = 0;
  if (length > mark && memcmp(text, group_prefix, mark) == 0)
    return find_group(names, text + mark, length - mark, found, to, rate, err);
  if (ripstop_part_find_rate(names, text, length, &id, &is_switch, rate, err) == 0) return found(to, id, is_switch), 0;
  if (!is_pattern(text, length)) return -1;
  const char *tilde = ripstop_word_mark(text, length, '~');
  const size_t prefix = sizeof switch_prefix - 1, name = tilde ? (size_t)(tilde - text) : length;
  if (tilde && parse_rate(tilde + 1, length - name - 1, rate, err))
    return ripstop_fail_at(err, "'%.*s'", ripstop_word_shown(length), text);
  is_switch = name >= prefix && memcmp(text, switch_prefix, prefix) == 0;
  if (!tilde)
    count = find_matches(names, true, is_switch ? text + prefix : text, is_switch ? name - prefix : name, found, to);
  if (count == 0 && !is_switch) count = find_matches(names, false, text, name, found, to);
  if (count > 0) return 0;
  return ripstop_fail(err, "no %s of %s has a name like '%.*s'", is_switch ? "switch" : "link or switch",
                      ripstop_names_fabric(names)->spec, ripstop_word_shown(length), text);
}

void ripstop_part_add_rate(ripstop_text *out, uint16_t rate) {
  if (rate && rate != RIPSTOP_RATE_FULL) ripstop_text_add(out, "~%g", (double)rate / RIPSTOP_RATE_FULL);
}

void ripstop_part_add_name(ripstop_text *out, const ripstop_fabric *fabric, uint32_t id, bool is_switch) {
  char name[RIPSTOP_NAME_MAX];
  if (is_switch)
    ripstop_node_name(fabric, id, name);
  else
    ripstop_link_name(fabric, id, name);
  ripstop_text_add(out, "%s%s", is_switch ? switch_prefix : "", name);
}
