/* words.c - splits fault files into words and finds the parts that they name. */
#include "faults/words.h"

#include <stdio.h>
#include <string.h>

static const char switch_prefix[] = "switch:";

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool rs_words_next(rs_words *words, const char **text, size_t *length) {
  for (;;) {
    while (words->at < words->end && is_blank(*words->at)) words->line += *words->at++ == '\n';
    if (words->at == words->end || *words->at != '#') break;
    while (words->at < words->end && *words->at != '\n') words->at++;
  }
  *text = words->at;
  while (words->at < words->end && !is_blank(*words->at)) words->at++;
  *length = (size_t)(words->at - *text);
  return *length > 0;
}

/* A link of a graph by its routers in the other order, B--A or B--A#2; RS_NONE when it is none. */
static uint32_t turned_link(const rs_names *names, const char *text, size_t length) {
  const char *end = text + length, *dash = text, *hash = text;
  while (dash + 1 < end && !(dash[0] == '-' && dash[1] == '-')) dash++;
  while (hash < end && *hash != '#') hash++;
  char turned[RS_NAME_MAX];
  if (length >= sizeof turned || dash + 2 > hash) return RS_NONE;
  snprintf(turned, sizeof turned, "%.*s--%.*s%.*s", (int)(hash - dash - 2), dash + 2, (int)(dash - text), text,
           (int)(end - hash), hash);
  return rs_names_link(names, turned, length);
}

int rs_part_find(const rs_names *names, const char *text, size_t length, uint32_t *id, bool *is_switch, rs_error *err) {
  const size_t prefix = sizeof switch_prefix - 1;
  *is_switch = length >= prefix && memcmp(text, switch_prefix, prefix) == 0;
  if (*is_switch) {
    text += prefix;
    length -= prefix;
  }
  *id = *is_switch ? rs_names_switch(names, text, length) : rs_names_link(names, text, length);
  if (*id != RS_NONE) return 0;

  const char *what = *is_switch ? "switch" : "link", *spec = rs_names_fabric(names)->spec;
  if (!*is_switch && rs_names_switch(names, text, length) != RS_NONE)
    return rs_fail(err, "no link '%.*s' in %s; did you mean the switch '%s%.*s'?", rs_word_shown(length), text, spec,
                   switch_prefix, rs_word_shown(length), text);
  const uint32_t turned = *is_switch ? RS_NONE : turned_link(names, text, length);
  if (turned != RS_NONE) {
    char name[RS_NAME_MAX];
    rs_link_name(rs_names_fabric(names), turned, name);
    return rs_fail(err, "no link '%.*s' in %s; did you mean '%s'?", rs_word_shown(length), text, spec, name);
  }
  const char *near =
      *is_switch ? rs_names_nearest_switch(names, text, length) : rs_names_nearest_link(names, text, length);
  if (near == NULL) return rs_fail(err, "no %s '%.*s' in %s", what, rs_word_shown(length), text, spec);
  return rs_fail(err, "no %s '%.*s' in %s; did you mean '%s%s'?", what, rs_word_shown(length), text, spec,
                 *is_switch ? switch_prefix : "", near);
}

void rs_part_add_name(rs_text *out, const rs_fabric *fabric, uint32_t id, bool is_switch) {
  char name[RS_NAME_MAX];
  if (is_switch)
    rs_node_name(fabric, id, name);
  else
    rs_link_name(fabric, id, name);
  rs_text_add(out, "%s%s", is_switch ? switch_prefix : "", name);
}
