/* read_lines.c - reads edge lists, a line at a time.
 *
 *   A B [100G] [KEY=VALUE ...]                   a cable between two routers; also 'A,B', 'A -- B', 'A--B', 'A - B',
 *                                                'A -> B' and 'A <-> B'
 *   @end NAME ROUTER [100G] [KEY=VALUE ...]      an end node
 *   @router NAME [KEY=VALUE ...]                 describes a router, which need not have a cable
 *   # comment
 *
 * Keys: rate, delay, group, class, n, name, port; of routers group, role, ports. */
#include "formats/graph/named_graph.h"
#include "ripstop/plugin/base.h"

piece ripstop_graph_word(piece *p) {
  piece word = piece_next_word(p);
  const char *mark = memchr(word.at, '#', piece_length(word));
  if (mark) p->at = word.end = mark;
  return word;
}

static int shown_of(piece word) { return piece_length(word) > 64 ? 64 : (int)piece_length(word); }

/* The words behind the names: a speed, then KEY=VALUE. */
static int read_words(ripstop_graph *g, piece *p, ripstop_graph_part part, ripstop_graph_router *router,
                      ripstop_graph_cable *cable, ripstop_error *err) {
  static const char *const behind[] = {"a router's name", "an end node and its router", "two router names"};
  for (piece word = ripstop_graph_word(p); word.at < word.end; word = ripstop_graph_word(p), g->marked = true) {
    const char *equal = memchr(word.at, '=', piece_length(word));
    if (equal == NULL && cable && !cable->speed && !cable->rate && (cable->speed = ripstop_graph_speed(word))) continue;
    if (equal == NULL)
      return ripstop_fail(err, "%s:%u: '%.*s' after %s%s", g->file, g->line, shown_of(word), word.at, behind[part],
                          !cable ? "; only KEY=VALUE may follow"
                          : *word.at >= '0' && *word.at <= '9'
                              ? "; a weight is rate=0.5 (a part of the full rate) or delay=2 (cycles), a speed 100G"
                          : cable->speed || cable->rate
                              ? " and a speed"
                              : "; a speed is a number of M, G or T, such as 100G, all else is KEY=VALUE");
    if (ripstop_graph_set(g, part, router, cable, (piece){word.at, equal}, (piece){equal + 1, word.end}, err) != 0)
      return -1;
  }
  return 0;
}

static int read_router(ripstop_graph *g, piece *p, ripstop_error *err) {
  const piece name = ripstop_graph_word(p);
  if (name.at == name.end) return ripstop_fail(err, "%s:%u: @router needs a name", g->file, g->line);
  const uint32_t router = ripstop_graph_router_of(g, name, err);
  if (router != RIPSTOP_NONE) g->router[router].listed = true;
  return router == RIPSTOP_NONE ? -1 : read_words(g, p, RIPSTOP_GRAPH_ROUTER, &g->router[router], NULL, err);
}

/* One name for an end node and a router is a slip, unless the router has a line of its own or the end node hangs on it:
 * who writes hosts by @end and forgets it once would get a switch. */
static uint32_t refuse_both(const ripstop_graph *g, piece name, ripstop_error *err) {
  ripstop_fail(err,
               "%s:%u: '%.*s' is an end node by @end, which has one cable, and a router by a cable's line; where both "
               "are meant, '@router %.*s' comes first",
               g->file, g->line, shown_of(name), name.at, shown_of(name), name.at);
  return RIPSTOP_NONE;
}

static uint32_t router_of_cable(ripstop_graph *g, piece name, ripstop_error *err) {
  if (ripstop_graph_find_end(g, name) != RIPSTOP_NONE && ripstop_graph_find_router(g, name) == RIPSTOP_NONE)
    return refuse_both(g, name, err);
  return ripstop_graph_router_of(g, name, err);
}

/* `own`: it hangs on the router of its name. */
static uint32_t end_of(ripstop_graph *g, piece name, bool own, ripstop_error *err) {
  const uint32_t router = ripstop_graph_find_router(g, name);
  if (router != RIPSTOP_NONE && !g->router[router].listed && !own) return refuse_both(g, name, err);
  return ripstop_graph_end_of(g, name, err);
}

static int read_end(ripstop_graph *g, piece *p, ripstop_error *err) {
  const piece name = ripstop_graph_word(p), at = ripstop_graph_word(p);
  if (at.at == at.end) return ripstop_fail(err, "%s:%u: @end needs a name and a router", g->file, g->line);
  const bool own = piece_length(name) == piece_length(at) && memcmp(name.at, at.at, piece_length(at)) == 0;
  uint32_t end = end_of(g, name, own, err), router = RIPSTOP_NONE;
  if (end != RIPSTOP_NONE) router = (own ? ripstop_graph_router_of : router_of_cable)(g, at, err);
  ripstop_graph_cable cable = {.node = {end, router}, .ends = true, .port = {RIPSTOP_NONE, RIPSTOP_NONE}};
  if (router == RIPSTOP_NONE || read_words(g, p, RIPSTOP_GRAPH_END, NULL, &cable, err) != 0) return -1;
  return ripstop_graph_add(g, &cable, err);
}

bool ripstop_graph_is_join(piece word) {
  static const char *const joins[] = {"--", "-", "->", "<->", ",", NULL};
  for (const char *const *join = joins; *join; join++)
    if (piece_is(word, *join)) return true;
  return false;
}

/* True if a line goes on with a second name: neither a speed, nor KEY=VALUE, nor its end. */
static bool has_second(piece rest) {
  const piece word = ripstop_graph_word(&rest);
  return word.at < word.end && !memchr(word.at, '=', piece_length(word)) && !ripstop_graph_speed(word);
}

/* Ends the first name where a comma or "--" in its word joins it to the second, at which the line goes on. A word
 * before a second name is one name, but for a comma at its end. */
static piece split_names(piece *p, piece first) {
  const bool second = has_second(*p);
  for (const char *c = first.at + 1; c < first.end; c++) {
    const bool dashes = *c == '-' && c + 2 < first.end && c[1] == '-';
    if ((!dashes && *c != ',') || (second && c + 1 < first.end)) continue;
    p->at = c + 1 + dashes;
    return (piece){first.at, c};
  }
  return first;
}

/* The second name, behind a join that is a word of its own or begins the name's word. */
static piece second_name(piece *p) {
  piece second = ripstop_graph_word(p);
  if (ripstop_graph_is_join(second)) return ripstop_graph_word(p);
  if (piece_length(second) > 1) (void)piece_take_char(&second, ',');
  return second;
}

static int read_cable(ripstop_graph *g, piece *p, piece word, ripstop_error *err) {
  const piece first = split_names(p, word);
  const uint32_t a = router_of_cable(g, first, err);
  if (a == RIPSTOP_NONE) return -1;
  const piece second = second_name(p);
  if (second.at == second.end) return ripstop_fail(err, "%s:%u: a link needs two router names", g->file, g->line);
  const uint32_t b = router_of_cable(g, second, err);
  ripstop_graph_cable cable = {.node = {a, b}, .port = {RIPSTOP_NONE, RIPSTOP_NONE}, .line = g->line};
  if (b == RIPSTOP_NONE || read_words(g, p, RIPSTOP_GRAPH_CABLE, NULL, &cable, err) != 0) return -1;
  return ripstop_graph_add(g, &cable, err);
}

static int read_line(ripstop_graph *g, piece line, ripstop_error *err) {
  const piece word = ripstop_graph_word(&line);
  if (word.at == word.end) return 0;
  if (*word.at != '@') return read_cable(g, &line, word, err);
  g->marked = true;
  if (piece_is(word, "@router")) return read_router(g, &line, err);
  if (piece_is(word, "@end")) return read_end(g, &line, err);
  return ripstop_fail(err, "%s:%u: '%.*s' is unknown; there are @router and @end", g->file, g->line, shown_of(word),
                      word.at);
}

int ripstop_graph_read_text(ripstop_graph *g, const char *text, size_t length, ripstop_error *err) {
  piece all = piece_of_file(text, length), line;
  while (piece_next_line(&all, &line)) {
    g->line++;
    if (read_line(g, line, err) != 0) return -1;
  }
  return ripstop_graph_check_list(g, err);
}
