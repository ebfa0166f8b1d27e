/* json_tokens.c - JSON by jsmn. */
#include "formats/ethernet/json_tokens.h"

#include "base/growing.h"

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS /* else the end of a large object searches backwards through all of it */
#include <jsmn.h>

enum {
  LENGTH_MOST = 1 << 30, /* bytes: places in the text are ints */
  NESTED_MOST = 256      /* jsmn climbs through all values that enclose the end of one */
};

struct jt_token {
  jsmntok_t t;
};

static uint32_t line_at(const char *text, size_t place) {
  uint32_t line = 1;
  for (const char *at = text, *end = text + place; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) line++;
  return line;
}

uint32_t jt_line(const jt_doc *doc, uint32_t value) {
  return line_at(doc->text, value < doc->count ? (size_t)doc->token[value].t.start : doc->length);
}

/* ------------------------------------------------------------------ reading */

static int refuse(const jt_doc *doc, int why, size_t place, ripstop_error *err) {
  if (why == JSMN_ERROR_PART)
    return ripstop_fail(err, "%s:%u: the file ends inside a JSON value: it was cut off", doc->name,
                        line_at(doc->text, doc->length));
  piece rest = {doc->text + place, doc->text + doc->length}, line;
  if (!piece_next_line(&rest, &line)) line = rest;
  line = piece_trimmed(line);
  const int shown = piece_length(line) > 60 ? 60 : (int)piece_length(line);
  return ripstop_fail(err, "%s:%u: this is no JSON: '%.*s'", doc->name, line_at(doc->text, place), shown, line.at);
}

static bool is_word(const jt_doc *doc, uint32_t value) {
  const piece p = jt_piece(doc, value);
  if (piece_is(p, "true") || piece_is(p, "false") || piece_is(p, "null")) return true;
  for (const char *at = p.at; at < p.end; at++)
    if (piece_digit(*at) > 9 && *at != '+' && *at != '-' && *at != '.' && *at != 'e' && *at != 'E') return false;
  return p.at < p.end && (*p.at == '-' || piece_digit(*p.at) < 10);
}

/* Checks what jsmn does not: a key is a text with one value, and nothing else has a value. RIPSTOP_NONE: all is well.
 */
static uint32_t first_bad(const jt_doc *doc) {
  for (uint32_t i = 0; i < doc->count; i++) {
    const jsmntok_t *t = &doc->token[i].t;
    const bool key = t->parent >= 0 && doc->token[t->parent].t.type == JSMN_OBJECT;
    if (key && (t->type != JSMN_STRING || t->size != 1)) return i;
    if (!key && t->type == JSMN_STRING && t->size != 0) return i;
    if (t->type == JSMN_PRIMITIVE && (t->size != 0 || !is_word(doc, i))) return i;
    if (t->parent < 0 && t->type != JSMN_OBJECT && t->type != JSMN_ARRAY) return i;
  }
  return RIPSTOP_NONE;
}

static int check_nesting(const jt_doc *doc, ripstop_error *err) {
  static const bool mark[256] = {['"'] = true, ['\\'] = true, ['{'] = true, ['}'] = true, ['['] = true, [']'] = true};
  uint32_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < doc->length; i++) {
    const char c = doc->text[i];
    if (!mark[(unsigned char)c]) continue;
    if (c == '"') quoted = !quoted;
    if (quoted) {
      i += c == '\\';
      continue;
    }
    if ((c == '{' || c == '[') && ++depth > NESTED_MOST)
      return ripstop_fail(err, "%s:%u: values are nested in more than %u others", doc->name, line_at(doc->text, i),
                          NESTED_MOST);
    if ((c == '}' || c == ']') && depth > 0) depth--;
  }
  return 0;
}

int jt_read(jt_doc *doc, ripstop_arena *arena, const char *name, const char *text, size_t length, ripstop_error *err) {
  const piece whole = piece_of_file(text, length);
  size_t needed = piece_length(whole) / 16 + 64; /* bytes of a token in files that programs indent */
  jsmn_parser parser;
  doc->name = name;
  doc->text = whole.at;
  doc->length = piece_length(whole);
  doc->count = 0;
  if (doc->length > LENGTH_MOST) return ripstop_fail(err, "%s: has more than %u MiB", name, LENGTH_MOST >> 20);
  if (check_nesting(doc, err)) return -1;
  jsmn_init(&parser);
  int count = JSMN_ERROR_NOMEM;
  for (; count == JSMN_ERROR_NOMEM; needed = 2 * doc->room) {
    RIPSTOP_ROOM_IN(arena, doc->token, needed, doc->room);
    const size_t room = doc->room > UINT32_MAX ? UINT32_MAX : doc->room;
    count = jsmn_parse(&parser, doc->text, doc->length, &doc->token->t, (unsigned)room);
  }
  if (count < 0) return refuse(doc, count, parser.pos, err);
  doc->count = parser.toknext;
  const uint32_t bad = first_bad(doc);
  if (bad != RIPSTOP_NONE) return refuse(doc, JSMN_ERROR_INVAL, (size_t)doc->token[bad].t.start, err);
  if (doc->count == 0) return ripstop_fail(err, "%s: is empty, and JSON is expected", name);
  return 0;
}

/* ------------------------------------------------------------------ walking */

jt_kind jt_kind_of(const jt_doc *doc, uint32_t value) {
  if (value >= doc->count) return JT_OTHER;
  switch (doc->token[value].t.type) {
  case JSMN_OBJECT:
    return JT_OBJECT;
  case JSMN_ARRAY:
    return JT_ARRAY;
  case JSMN_STRING:
    return JT_TEXT;
  default:
    return JT_OTHER;
  }
}

piece jt_piece(const jt_doc *doc, uint32_t value) {
  if (value >= doc->count) return (piece){doc->text, doc->text};
  const jsmntok_t *t = &doc->token[value].t;
  return (piece){doc->text + t->start, doc->text + t->end};
}

uint32_t jt_after(const jt_doc *doc, uint32_t value) {
  const int end = doc->token[value].t.end;
  do value++;
  while (value < doc->count && doc->token[value].t.start < end);
  return value;
}

jt_walk jt_walk_of(const jt_doc *doc, uint32_t value) {
  const jt_kind kind = jt_kind_of(doc, value);
  jt_walk walk = {.doc = doc, .next = value + 1, .keys = kind == JT_OBJECT};
  if (kind == JT_OBJECT || kind == JT_ARRAY) walk.left = (uint32_t)doc->token[value].t.size;
  return walk;
}

bool jt_next(jt_walk *walk) {
  if (walk->left == 0 || walk->next + walk->keys >= walk->doc->count) return false;
  walk->left--;
  if (walk->keys) walk->key = jt_piece(walk->doc, walk->next);
  walk->value = walk->next + walk->keys;
  walk->next = jt_after(walk->doc, walk->value);
  return true;
}

uint32_t jt_member(const jt_doc *doc, uint32_t object, const char *key) {
  if (jt_kind_of(doc, object) != JT_OBJECT) return RIPSTOP_NONE;
  for (jt_walk w = jt_walk_of(doc, object); jt_next(&w);)
    if (piece_is(w.key, key)) return w.value;
  return RIPSTOP_NONE;
}

bool jt_true(const jt_doc *doc, uint32_t value) {
  return jt_kind_of(doc, value) == JT_OTHER && piece_is(jt_piece(doc, value), "true");
}

/* ------------------------------------------------------------------ texts */

/* Takes \uXXXX as UTF-8; a half of a pair becomes '?'. */
static unsigned take_unicode(piece *p, char *out) {
  unsigned code = 0;
  for (unsigned i = 0; i < 4 && p->at < p->end; i++) code = code << 4 | (piece_digit(*p->at++) & 15);
  if (code < 0x80) return *out = (char)code, 1;
  if (code >= 0xd800 && code < 0xe000) return *out = '?', 1;
  unsigned bytes = 0;
  if (code >= 0x800) {
    out[bytes++] = (char)(0xe0 | code >> 12);
    out[bytes++] = (char)(0x80 | (code >> 6 & 63));
  } else {
    out[bytes++] = (char)(0xc0 | code >> 6);
  }
  out[bytes++] = (char)(0x80 | (code & 63));
  return bytes;
}

const char *jt_string_of(const jt_doc *doc, ripstop_arena *arena, piece text) {
  (void)doc;
  char *out = RIPSTOP_ARRAY(arena, piece_length(text) + 1, char),
       *at = out; /* an escape is longer than its character */
  while (text.at < text.end) {
    const char c = *text.at++;
    if (c != '\\' || text.at == text.end) {
      *at++ = c;
    } else if (*text.at == 'u') {
      text.at++;
      at += take_unicode(&text, at);
    } else {
      *at++ = *text.at++;
    }
  }
  for (char *c = out; c < at; c++)
    if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
  return out;
}
