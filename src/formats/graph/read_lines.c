/* read_lines.c - edge lists, a line at a time.
 *
 *   A B [100G] [KEY=VALUE ...]                   a cable between two routers; also 'A,B', 'A -- B', 'A--B', 'A - B',
 *                                                'A -> B' and 'A <-> B'
 *   @end NAME ROUTER [100G] [KEY=VALUE ...]      an end node
 *   @router NAME [KEY=VALUE ...]                 what is told of a router, which need not have a cable
 *   # comment
 *
 * Keys: rate, delay, group, class, n, name, port; of routers group, role, ports. */
#include <string.h>

#include "formats/graph/named_graph.h"

typedef ripstop_graph_line piece;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

size_t ripstop_graph_word(piece *p, const char **word) {
  while (p->at < p->end && is_blank(*p->at)) p->at++;
  *word = p->at;
  while (p->at < p->end && !is_blank(*p->at) && *p->at != '#') p->at++;
  return (size_t)(p->at - *word);
}

/* The words behind the names: a speed, then what is told by keys. */
static int read_words(ripstop_graph *g, piece *p, ripstop_graph_part part, ripstop_graph_router *router,
                      ripstop_graph_cable *cable, ripstop_error *err) {
  static const char *const behind[] = {"a router's name", "an end node and its router", "two router names"};
  const char *word;
  for (size_t length; (length = ripstop_graph_word(p, &word)) > 0; g->marked = true) {
    const char *equal = memchr(word, '=', length);
    if (equal == NULL && cable && !cable->speed && !cable->rate && (cable->speed = ripstop_graph_speed(word, length)))
      continue;
    if (equal == NULL)
      return ripstop_fail(
          err, "%s:%u: '%.*s' after %s%s", g->file, g->line, length > 64 ? 64 : (int)length, word, behind[part],
          !cable ? "; only KEY=VALUE may follow"
          : *word >= '0' && *word <= '9'
              ? "; a weight is rate=0.5 (a part of the full rate) or delay=2 (cycles), a speed 100G"
          : cable->speed || cable->rate ? " and a speed"
                                        : "; a speed is a number of M, G or T, such as 100G, all else is KEY=VALUE");
    if (ripstop_graph_tell(g, part, router, cable, word, (size_t)(equal - word), equal + 1,
                           length - (size_t)(equal - word) - 1, err) != 0)
      return -1;
  }
  return 0;
}

static int read_router(ripstop_graph *g, piece *p, ripstop_error *err) {
  const char *word;
  size_t length = ripstop_graph_word(p, &word);
  if (length == 0) return ripstop_fail(err, "%s:%u: @router needs a name", g->file, g->line);
  uint32_t router = ripstop_graph_router_of(g, word, length, err);
  if (router != RIPSTOP_NONE) g->router[router].told = true;
  return router == RIPSTOP_NONE ? -1 : read_words(g, p, RIPSTOP_GRAPH_ROUTER, &g->router[router], NULL, err);
}

/* One name for an end node and a router is a slip, unless the router has a line of its own or the end node hangs on it:
 * who writes hosts by @end and forgets it once would get a switch. */
static uint32_t refuse_both(const ripstop_graph *g, const char *name, size_t length, ripstop_error *err) {
  const int shown = length > 64 ? 64 : (int)length;
  ripstop_fail(err,
               "%s:%u: '%.*s' is an end node by @end, which has one cable, and a router by a cable's line; where both "
               "are meant, '@router %.*s' comes first",
               g->file, g->line, shown, name, shown, name);
  return RIPSTOP_NONE;
}

static uint32_t router_of_cable(ripstop_graph *g, const char *name, size_t length, ripstop_error *err) {
  if (ripstop_graph_find_end(g, name, length) != RIPSTOP_NONE &&
      ripstop_graph_find_router(g, name, length) == RIPSTOP_NONE)
    return refuse_both(g, name, length, err);
  return ripstop_graph_router_of(g, name, length, err);
}

/* `own`: it hangs on the router of its name. */
static uint32_t end_of(ripstop_graph *g, const char *name, size_t length, bool own, ripstop_error *err) {
  const uint32_t router = ripstop_graph_find_router(g, name, length);
  if (router != RIPSTOP_NONE && !g->router[router].told && !own) return refuse_both(g, name, length, err);
  return ripstop_graph_end_of(g, name, length, err);
}

static int read_end(ripstop_graph *g, piece *p, ripstop_error *err) {
  const char *name, *at;
  size_t length = ripstop_graph_word(p, &name), at_length = ripstop_graph_word(p, &at);
  if (at_length == 0) return ripstop_fail(err, "%s:%u: @end needs a name and a router", g->file, g->line);
  const bool own = length == at_length && memcmp(name, at, length) == 0;
  uint32_t end = end_of(g, name, length, own, err), router = RIPSTOP_NONE;
  if (end != RIPSTOP_NONE) router = (own ? ripstop_graph_router_of : router_of_cable)(g, at, at_length, err);
  ripstop_graph_cable cable = {.node = {end, router}, .ends = true, .port = {RIPSTOP_NONE, RIPSTOP_NONE}};
  if (router == RIPSTOP_NONE || read_words(g, p, RIPSTOP_GRAPH_END, NULL, &cable, err) != 0) return -1;
  return ripstop_graph_add(g, &cable, err);
}

bool ripstop_graph_is_join(const char *word, size_t length) {
  static const char *const joins[] = {"--", "-", "->", "<->", ",", NULL};
  for (const char *const *join = joins; *join; join++)
    if (strlen(*join) == length && memcmp(*join, word, length) == 0) return true;
  return false;
}

/* True if a line goes on with a second name: neither a speed, nor KEY=VALUE, nor its end. */
static bool has_second(piece rest) {
  const char *word;
  const size_t length = ripstop_graph_word(&rest, &word);
  return length > 0 && !memchr(word, '=', length) && !ripstop_graph_speed(word, length);
}

/* Ends the first name where a comma or "--" in its word joins it to the second, at which the line goes on. A word
 * before a second name is one name, but for a comma at its end. */
static size_t split_names(piece *p, const char *first, size_t length) {
  const bool second = has_second(*p);
  for (size_t i = 1; i < length; i++) {
    const bool dashes = first[i] == '-' && i + 2 < length && first[i + 1] == '-';
    if ((!dashes && first[i] != ',') || (second && i + 1 < length)) continue;
    p->at = first + i + 1 + dashes;
    return i;
  }
  return length;
}

/* The second name, behind a join that is a word of its own or begins the name's word. */
static size_t second_name(piece *p, const char **second) {
  size_t length = ripstop_graph_word(p, second);
  if (ripstop_graph_is_join(*second, length)) return ripstop_graph_word(p, second);
  const bool comma = length > 1 && **second == ',';
  *second += comma;
  return length - comma;
}

static int read_cable(ripstop_graph *g, piece *p, const char *first, size_t first_length, ripstop_error *err) {
  const char *second;
  first_length = split_names(p, first, first_length);
  uint32_t a = router_of_cable(g, first, first_length, err);
  if (a == RIPSTOP_NONE) return -1;
  size_t length = second_name(p, &second);
  if (length == 0) return ripstop_fail(err, "%s:%u: a link needs two router names", g->file, g->line);
  uint32_t b = router_of_cable(g, second, length, err);
  ripstop_graph_cable cable = {.node = {a, b}, .port = {RIPSTOP_NONE, RIPSTOP_NONE}, .line = g->line};
  if (b == RIPSTOP_NONE || read_words(g, p, RIPSTOP_GRAPH_CABLE, NULL, &cable, err) != 0) return -1;
  return ripstop_graph_add(g, &cable, err);
}

static int read_line(ripstop_graph *g, piece line, ripstop_error *err) {
  static const char *const marks[] = {"@router", "@end", NULL};
  const char *word;
  size_t length = ripstop_graph_word(&line, &word);
  if (length == 0) return 0;
  if (*word != '@') return read_cable(g, &line, word, length, err);
  g->marked = true;
  if (length == 7 && memcmp(word, marks[0], 7) == 0) return read_router(g, &line, err);
  if (length == 4 && memcmp(word, marks[1], 4) == 0) return read_end(g, &line, err);
  return ripstop_fail(err, "%s:%u: '%.*s' is unknown; there are @router and @end", g->file, g->line,
                      length > 64 ? 64 : (int)length, word);
}

int ripstop_graph_read_text(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  piece all = {text, text + length};
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) all.at += 3;
  while (all.at < all.end) {
    const char *stop = memchr(all.at, '\n', (size_t)(all.end - all.at));
    g->line++;
    if (read_line(g, (piece){all.at, stop ? stop : all.end}, err) != 0) return -1;
    all.at = stop ? stop + 1 : all.end;
  }
  return ripstop_graph_check_list(g, err);
}
