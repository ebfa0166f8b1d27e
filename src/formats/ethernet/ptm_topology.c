/* ptm_topology.c - reads topology.dot.
 *
 *   file  = "strict"? ("graph" | "digraph") ID? "{" stmt* "}"
 *   stmt  = ID ":" ID ("--" | "->") ID ":" ID attrs* | ID attrs* | ID "=" ID | ("graph" | "node" | "edge") attrs*
 *         | "subgraph" ID? "{" stmt* "}"                                                  a ";" or "," may follow
 *   attrs = "[" ... "]"
 *
 * A name without quotes may have dashes, as files in use have, which Graphviz does not accept: "--" and "->" still end
 * it. Attributes are left out. */
#include "formats/ethernet/ptm_topology.h"

enum { SHOWN = 40 };

typedef enum kind { END, NAME, MARK, LINK, BROKEN } kind; /* MARK: one character */

typedef struct token {
  kind kind;
  char mark;
  bool quoted;
  piece text;
} token;

typedef struct reader {
  cabling *c;
  const char *name;
  piece rest;
  uint32_t line;
  token now;
  ripstop_arena *scratch;
} reader;

/* ------------------------------------------------------------------ tokens */

static bool skip_comment(reader *r) {
  piece *p = &r->rest;
  if (piece_begins(*p, "#") || piece_begins(*p, "//")) {
    while (p->at < p->end && *p->at != '\n') p->at++;
    return true;
  }
  if (!piece_take(p, "/*")) return false;
  for (; p->at < p->end && !piece_begins(*p, "*/"); p->at++) r->line += *p->at == '\n';
  (void)piece_take(p, "*/");
  return true;
}

static void skip_space(reader *r) {
  for (;;) {
    piece *p = &r->rest;
    if (p->at < p->end && (piece_blank(*p->at) || *p->at == '\n')) {
      r->line += *p->at == '\n';
      p->at++;
    } else if (!skip_comment(r)) {
      return;
    }
  }
}

static bool in_name(piece p) {
  const char c = *p.at;
  if (c == '-') return !piece_begins(p, "--") && !piece_begins(p, "->");
  if (c == '/') return !piece_begins(p, "//") && !piece_begins(p, "/*");
  return (unsigned char)c >= 0x80 || c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z');
}

/* The text between quotes; \" is a quote. */
static token take_quoted(reader *r) {
  piece *p = &r->rest;
  const char *end = p->at + 1;
  while (end < p->end && *end != '"') end += end[0] == '\\' && end + 1 < p->end && end[1] == '"' ? 2 : 1;
  char *out = RIPSTOP_ARRAY(r->scratch, (size_t)(end - p->at), char), *at = out;
  for (p->at++; p->at < end; p->at++) {
    if (piece_begins(*p, "\\\"") && p->at + 1 < end) p->at++;
    r->line += *p->at == '\n';
    *at++ = *p->at;
  }
  if (!piece_take_char(p, '"')) return (token){.kind = BROKEN};
  return (token){.kind = NAME, .quoted = true, .text = {out, at}};
}

static token take(reader *r) {
  skip_space(r);
  piece *p = &r->rest, start = *p;
  if (p->at == p->end) return (token){.kind = END};
  if (*p->at == '"') return take_quoted(r);
  if (piece_take(p, "--") || piece_take(p, "->")) return (token){.kind = LINK};
  while (p->at < p->end && in_name(*p)) p->at++;
  if (p->at > start.at) return (token){.kind = NAME, .text = {start.at, p->at}};
  return (token){.kind = MARK, .mark = *p->at++};
}

static void advance(reader *r) { r->now = take(r); }

static bool is_mark(const reader *r, char mark) { return r->now.kind == MARK && r->now.mark == mark; }

static bool is_word(const reader *r, const char *word) {
  return r->now.kind == NAME && !r->now.quoted && piece_is(r->now.text, word);
}

static int expect(const reader *r, const char *what, ripstop_error *err) {
  if (r->now.kind == BROKEN) return ripstop_fail(err, "%s:%u: a quote is not closed", r->name, r->line);
  if (r->now.kind == END) return ripstop_fail(err, "%s:%u: the file ends where %s is expected", r->name, r->line, what);
  const piece t = r->now.text;
  const int shown = piece_length(t) > SHOWN ? SHOWN : (int)piece_length(t);
  if (r->now.kind == NAME)
    return ripstop_fail(err, "%s:%u: '%.*s' where %s is expected", r->name, r->line, shown, t.at, what);
  return ripstop_fail(err, "%s:%u: '%c' where %s is expected", r->name, r->line,
                      r->now.kind == LINK ? '-' : r->now.mark, what);
}

/* ------------------------------------------------------------------ statements */

static int skip_attributes(reader *r, ripstop_error *err) {
  while (is_mark(r, '[')) {
    while (!is_mark(r, ']')) {
      if (r->now.kind == END || r->now.kind == BROKEN) return expect(r, "]", err);
      advance(r);
    }
    advance(r);
  }
  return 0;
}

/* `ID : ID`, of which the first is taken already. */
static int take_port(reader *r, piece node, uint32_t *port, ripstop_error *err) {
  if (!is_mark(r, ':')) return expect(r, "':' and a port", err);
  advance(r);
  if (r->now.kind != NAME) return expect(r, "the name of a port", err);
  const uint32_t n = cabling_add_node(r->c, node);
  *port = cabling_add_port(r->c, n, r->now.text);
  if (*port == RIPSTOP_NONE)
    return ripstop_fail(err, "%s:%u: a name is empty or has more than %u bytes", r->name, r->line, CABLING_NAME_MOST);
  advance(r);
  return 0;
}

static int take_cable(reader *r, piece node, ripstop_error *err) {
  uint32_t a = RIPSTOP_NONE, b = RIPSTOP_NONE;
  if (take_port(r, node, &a, err)) return -1;
  if (r->now.kind != LINK) return expect(r, "'--' and the other end of the cable", err);
  advance(r);
  if (r->now.kind != NAME) return expect(r, "the name of a node", err);
  node = r->now.text;
  const uint32_t line = r->line;
  advance(r);
  if (take_port(r, node, &b, err)) return -1;
  return cabling_join(r->c, a, b, true, err) ? ripstop_fail_at(err, "%s:%u", r->name, line) : 0;
}

static int take_named(reader *r, ripstop_error *err) {
  const piece name = r->now.text;
  const bool settings = is_word(r, "graph") || is_word(r, "node") || is_word(r, "edge");
  advance(r);
  if (is_mark(r, ':')) {
    if (take_cable(r, name, err)) return -1;
  } else if (is_mark(r, '=')) {
    advance(r);
    if (r->now.kind != NAME) return expect(r, "a value", err);
    advance(r);
  } else if (r->now.kind == LINK) {
    return expect(r, "':' and a port, since a cable joins ports", err);
  } else if (!settings) {
    if (cabling_add_node(r->c, name) == RIPSTOP_NONE)
      return ripstop_fail(err, "%s:%u: a name is empty or has more than %u bytes", r->name, r->line, CABLING_NAME_MOST);
  }
  return skip_attributes(r, err);
}

static int take_statements(reader *r, ripstop_error *err) {
  for (uint32_t depth = 1; depth > 0;) {
    if (is_word(r, "subgraph")) {
      advance(r);
      if (r->now.kind == NAME) advance(r);
      if (!is_mark(r, '{')) return expect(r, "{", err);
    }
    if (r->now.kind == NAME) {
      if (take_named(r, err)) return -1;
      continue;
    }
    if (is_mark(r, '{') || is_mark(r, '}'))
      depth += is_mark(r, '{') ? 1 : UINT32_MAX;
    else if (!is_mark(r, ';') && !is_mark(r, ','))
      return expect(r, "a node, a cable or }", err);
    if (depth > 0) advance(r);
  }
  return 0;
}

/* ------------------------------------------------------------------ a file */

bool ptm_topology_is(piece text) {
  reader r = {.rest = text, .scratch = ripstop_arena_new()};
  advance(&r);
  if (is_word(&r, "strict")) advance(&r);
  bool is = is_word(&r, "graph") || is_word(&r, "digraph");
  if (is) advance(&r);
  if (r.now.kind == NAME) advance(&r);
  is = is && is_mark(&r, '{');
  ripstop_arena_free(r.scratch);
  return is;
}

int ptm_topology_read(cabling *c, const char *name, piece text, ripstop_error *err) {
  reader r = {.c = c, .name = name, .rest = text, .line = 1, .scratch = ripstop_arena_new()};
  int status = 0;
  advance(&r);
  if (is_word(&r, "strict")) advance(&r);
  if (is_word(&r, "graph") || is_word(&r, "digraph"))
    advance(&r);
  else
    status = expect(&r, "'graph'", err);
  if (!status && r.now.kind == NAME) advance(&r);
  if (!status && !is_mark(&r, '{')) status = expect(&r, "{", err);
  if (!status) {
    advance(&r);
    status = take_statements(&r, err);
  }
  if (!status) {
    advance(&r);
    if (r.now.kind != END) status = expect(&r, "the end of the file", err);
  }
  c->planned = true;
  ripstop_arena_free(r.scratch);
  return status;
}
