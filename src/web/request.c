/* request.c - whether a request is one for the page, from this machine's own browser. */
#include <string.h>
#include <strings.h>

#include "base/locale.h"
#include "web/serve.h"

enum { OK = 200, BAD = 400, FORBIDDEN = 403, NOT_FOUND = 404, NOT_ALLOWED = 405 };

typedef struct line {
  const char *at;
  size_t length;
} line;

static bool is(line l, const char *text) { return l.length == strlen(text) && !memcmp(l.at, text, l.length); }

/* Text of one line or several, and nothing that is none. Cookies of other programs of this machine may be in any
 * encoding. */
static bool is_text(const char *head, size_t length) {
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)head[i];
    bool ends = c == '\r' && i + 1 < length && head[i + 1] == '\n';
    bool ended = c == '\n' && i > 0 && head[i - 1] == '\r';
    if (!ends && !ended && (c < ' ' || c == 127) && c != '\t') return false;
  }
  return true;
}

/* The next line, without its end; empty at the end of the head. */
static line next_line(const char **at, const char *end) {
  line l = {*at, 0};
  while (l.at + l.length < end && l.at[l.length] != '\r') l.length++;
  *at = l.at + l.length < end ? l.at + l.length + 2 : end;
  return l;
}

/* Up to the next blank. */
static line next_word(line *rest) {
  line word = {rest->at, 0};
  while (word.length < rest->length && word.at[word.length] != ' ') word.length++;
  size_t used = word.length < rest->length ? word.length + 1 : word.length;
  *rest = (line){rest->at + used, rest->length - used};
  return word;
}

/* The value of a field of this name. */
static bool field(line l, const char *name, line *value) {
  size_t length = strlen(name);
  if (l.length <= length || l.at[length] != ':' || strncasecmp(l.at, name, length) != 0) return false;
  *value = (line){l.at + length + 1, l.length - length - 1};
  while (value->length && strchr(" \t", *value->at)) value->at++, value->length--;
  while (value->length && strchr(" \t", value->at[value->length - 1])) value->length--;
  return true;
}

/* By the names that lead here whatever anybody's name server says. */
static bool is_here(line value, const char *scheme, uint16_t port) {
  static const char *const names[] = {"127.0.0.1", "localhost"};
  char text[64];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ripstop_format(text, sizeof text, "%s%s:%u", scheme, names[i], port);
    if (value.length == strlen(text) && !strncasecmp(value.at, text, value.length)) return true;
  }
  return false;
}

typedef struct fields {
  unsigned hosts;
  bool foreign, loaded; /* another host or origin; a body */
} fields;

/* A name and a colon right behind it (RFC 9112, section 5.1: what has blanks before the colon is refused, for others
 * may read it as the field that it looks like). */
static bool is_field(line l) {
  const char *colon = memchr(l.at, ':', l.length);
  if (!colon || colon == l.at) return false;
  const size_t name = (size_t)(colon - l.at);
  return !memchr(l.at, ' ', name) && !memchr(l.at, '\t', name);
}

/* False: it is no field. */
static bool read_field(line l, uint16_t port, fields *f) {
  line value;
  if (!is_field(l)) return false;
  if (field(l, "Host", &value)) {
    f->hosts++;
    f->foreign |= !is_here(value, "", port);
  }
  if (field(l, "Origin", &value)) f->foreign |= !is_here(value, "http://", port);
  if (field(l, "Content-Length", &value)) f->loaded |= !is(value, "0");
  if (field(l, "Transfer-Encoding", &value)) f->loaded = true;
  return true;
}

static int answer_first(line first) {
  line method = next_word(&first), path = next_word(&first), version = next_word(&first);
  if (!method.length || !path.length || first.length || (!is(version, "HTTP/1.1") && !is(version, "HTTP/1.0")))
    return BAD;
  if (!is(method, "GET") && !is(method, "HEAD")) return NOT_ALLOWED;
  const bool asks = path.length > 1 && path.at[1] == '?'; /* whatever is asked, the page is the same */
  return path.at[0] == '/' && (path.length == 1 || asks) ? OK : NOT_FOUND;
}

const char *ripstop_web_why(int status) {
  switch (status) {
  case OK:
    return "";
  case BAD:
    return "The request is not one of a browser: its head is malformed, it has a body, or no Host or two.";
  case FORBIDDEN:
    return "The lab answers to 127.0.0.1 and localhost alone, with the port that it has told, and to no page from "
           "elsewhere.";
  case NOT_FOUND:
    return "There is one page here: /";
  case NOT_ALLOWED:
    return "There is one page here, to be read: GET or HEAD.";
  default:
    return "The request's head has more than 16 KB.";
  }
}

int ripstop_web_answer(const char *head, size_t length, uint16_t port, bool *body) {
  const char *at = head, *end = head + length;
  fields f = {0};
  static const char head_only[] = "HEAD ";
  *body = length < sizeof head_only - 1 || memcmp(head, head_only, sizeof head_only - 1) != 0;
  if (!is_text(head, length)) return BAD;
  line first = next_line(&at, end);
  for (line l = next_line(&at, end); l.length; l = next_line(&at, end))
    if (!read_field(l, port, &f)) return BAD;
  if (f.hosts != 1 || f.loaded) return BAD;
  return f.foreign ? FORBIDDEN : answer_first(first);
}
