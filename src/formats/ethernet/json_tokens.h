/* json_tokens.h - a JSON text as tokens, which readers walk without copying it.
 *
 * The tokens are those of jsmn (jsmn.h), a header of 500 lines that makes one pass and takes no memory of its own; a
 * tree of objects would take ten times the text and most of the time. jsmn accepts some texts that are no JSON, such as
 * two values without a comma; jt_read refuses those whose keys have no value or whose words are none.
 *
 * A value is the index of its token. A text may hold several values, one after the other, as two commands print them.
 */
#ifndef RIPSTOP_FORMATS_ETHERNET_JSON_TOKENS_H
#define RIPSTOP_FORMATS_ETHERNET_JSON_TOKENS_H

#include "base/piece.h"
#include "ripstop/plugin/base.h"

typedef enum jt_kind { JT_OTHER, JT_OBJECT, JT_ARRAY, JT_TEXT } jt_kind;

typedef struct jt_token jt_token;

typedef struct jt_doc {
  const char *name; /* the file, for messages */
  const char *text;
  size_t length;
  jt_token *token;
  uint32_t count;
  size_t room; /* there is for tokens; the next text read into the same document uses it again */
} jt_doc;

/* The members of an object, or the items of an array: jt_next moves to the first one, then to the others. */
typedef struct jt_walk {
  const jt_doc *doc;
  uint32_t next, left;
  bool keys;
  piece key; /* a member's: the text between its quotes, as it stands there */
  uint32_t value;
} jt_walk;

/* Start with zeroes. The tokens belong to the arena and point into `text`, which must stay. A document may be read
 * again, with the same arena. Errors name the file and the line. */
int jt_read(jt_doc *doc, ripstop_arena *arena, const char *name, const char *text, size_t length, ripstop_error *err);

jt_kind jt_kind_of(const jt_doc *doc, uint32_t value);
/* The text of a value; of a text what is between its quotes. */
piece jt_piece(const jt_doc *doc, uint32_t value);
/* The value behind this one and all that is in it; doc->count: there is none. */
uint32_t jt_after(const jt_doc *doc, uint32_t value);
jt_walk jt_walk_of(const jt_doc *doc, uint32_t value); /* nothing if the value is neither */
bool jt_next(jt_walk *walk);
/* The value of a key; RIPSTOP_NONE: the object has none, or it is no object. */
uint32_t jt_member(const jt_doc *doc, uint32_t object, const char *key);
/* True if the value is the word true. */
bool jt_true(const jt_doc *doc, uint32_t value);
/* The text without escapes, as a string of the arena; a control character becomes '?'. */
const char *jt_string_of(const jt_doc *doc, ripstop_arena *arena, piece text);
/* From 1. */
uint32_t jt_line(const jt_doc *doc, uint32_t value);

#endif
