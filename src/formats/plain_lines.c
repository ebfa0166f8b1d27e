/* plain_lines.c - see plain_lines.h. The first pass removes what stands within lines, and is left out if there is
 * nothing such; plain_next removes what stands before a line. The character BREAK of the first pass separates lines of
 * one number. */
#include "formats/plain_lines.h"

#include <string.h>
#include <strings.h>

enum { BREAK = '\v', ESCAPE = 0x1b, TAG_MAX = 4000 /* bytes of a tag that is left out */ };

static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* ------------------------------------------------------------------ within lines */

typedef struct writer {
  char *out, *line;     /* behind the last character; the begin of the line */
  bool filled;          /* something stands in the line behind its last BREAK */
  const char *empty[2]; /* searches for '>' and for "-->" found none before this */
} writer;

static void end_line(writer *w) {
  while (w->out > w->line && (piece_blank(w->out[-1]) || w->out[-1] == BREAK)) w->out--;
}

static void put(writer *w, char c) {
  if (c == '\n') end_line(w);
  *w->out++ = c;
  if (c == '\n') w->line = w->out;
  w->filled = c != '\n' && (w->filled || !piece_blank(c));
}

/* Separates the rest of a line, if something stands before it. */
static void put_break(writer *w) {
  if (w->filled) *w->out++ = BREAK;
  w->filled = false;
}

/* ESC [ 1 ; 31 m, ESC ] title BEL, ESC ( B; also "^[" for ESC, as programs show it. */
static bool take_escape(piece *p) {
  piece at = *p;
  if (!piece_take_char(&at, ESCAPE) && !(piece_begins(at, "^[[") && piece_take(&at, "^["))) return false;
  if (piece_take_char(&at, '[')) {
    while (at.at < at.end && *at.at >= ' ' && *at.at < '@') at.at++;
    if (at.at < at.end && *at.at >= '@') at.at++;
  } else if (piece_take_char(&at, ']')) {
    while (at.at < at.end && *at.at != '\a' && *at.at != '\n' && *at.at != ESCAPE) at.at++;
    (void)piece_take_char(&at, '\a');
  } else {
    while (at.at < at.end && *at.at >= ' ' && *at.at <= '/') at.at++;
    if (at.at < at.end && *at.at != '\n') at.at++;
  }
  *p = at;
  return true;
}

/* Tags that end a line of what is shown. */
static bool ends_line(piece name) {
  static const char *const list[] = {"br",    "p",    "pre", "div", "tr", "li", "ul", "ol",         "table",
                                     "tbody", "body", "h1",  "h2",  "h3", "h4", "hr", "blockquote", NULL};
  for (unsigned i = 0; list[i]; i++)
    if (piece_length(name) == strlen(list[i]) && strncasecmp(name.at, list[i], piece_length(name)) == 0) return true;
  return false;
}

/* The end of a tag. A damaged page may have many tags without one, so no byte is searched twice. */
static const char *find_end(writer *w, piece tag, const char *mark) {
  const char **empty = &w->empty[mark[0] == '-'];
  if (piece_length(tag) > TAG_MAX) tag.end = tag.at + TAG_MAX;
  if (*empty > tag.at) tag.at = *empty;
  const char *end = piece_find(tag, mark);
  if (!end) *empty = tag.end - (strlen(mark) - 1);
  return end;
}

/* The name of a tag, and *p behind it: "<br/>", "</p>", "<!-- ... -->". Lines within it still count. */
static bool take_tag(writer *w, piece *p) {
  piece at = *p;
  if (!piece_take_char(&at, '<')) return false;
  const bool comment = piece_begins(at, "!--");
  (void)piece_take_char(&at, '/');
  piece name = {at.at, at.at};
  while (name.end < at.end && (is_letter(*name.end) || is_digit(*name.end))) name.end++;
  if (!comment && name.end == name.at && !piece_begins(at, "!") && !piece_begins(at, "?")) return false;
  const char *end = find_end(w, at, comment ? "-->" : ">");
  if (!end) return false;
  if (ends_line(name)) put_break(w);
  for (const char *c = p->at; c < end; c++)
    if (*c == '\n') put(w, '\n');
  p->at = end + (comment ? 3 : 1);
  return true;
}

/* "&quot;", "&#34;", "&#x22;" */
static bool take_named(piece *p, char *out) {
  static const struct {
    const char *name;
    char is;
  } list[] = {{"&quot;", '"'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&nbsp;", ' '}, {"&apos;", '\''}};
  for (unsigned i = 0; i < sizeof list / sizeof *list; i++)
    if (piece_take(p, list[i].name)) return *out = list[i].is, true;
  piece at = *p;
  uint64_t code;
  if (!piece_take(&at, "&#")) return false;
  const bool hex = piece_take(&at, "x") || piece_take(&at, "X");
  if (!piece_number(&at, hex ? 16 : 10, &code) || !piece_take_char(&at, ';')) return false;
  if (code != 9 && code != 160 && (code < ' ' || code > '~')) return false;
  *out = code == 160 ? ' ' : (char)code;
  p->at = at.at;
  return true;
}

/* Dumps are large, so memchr searches. */
static bool is_page(piece text) {
  static const char *const marks[] = {"</",    "<br", "<BR", "<pre",   "<PRE",  "<html",
                                      "<HTML", "<p>", "<P>", "&quot;", "&#34;", NULL};
  for (unsigned i = 0; i < 2; i++)
    for (piece at = text; (at.at = memchr(at.at, "<&"[i], piece_length(at))); at.at++)
      for (unsigned k = 0; marks[k]; k++)
        if (piece_begins(at, marks[k])) return true;
  return false;
}

/* True if the text needs no copy. */
static bool is_plain(piece text, bool page) {
  static const unsigned char others[] = {ESCAPE, '\r', BREAK, 0xc2}; /* the last begins a no-break space */
  if (page) return false;
  for (unsigned i = 0; i < sizeof others; i++)
    if (memchr(text.at, others[i], piece_length(text))) return false;
  for (piece at = text; (at.at = memchr(at.at, '^', piece_length(at))); at.at++)
    if (piece_begins(at, "^[[")) return false;
  return true;
}

/* CR before the end of a line, or alone between lines. */
static void put_return(writer *w, piece rest, bool alone) {
  if (alone)
    put(w, '\n');
  else if (rest.at < rest.end && *rest.at != '\n' && *rest.at != '\r')
    put(w, ' ');
}

/* `page`: tags and characters by name count. `alone`: CR ends lines. */
static piece copy(ripstop_arena *arena, piece text, bool page, bool alone) {
  char *start = ripstop_arena_array(arena, piece_length(text) + 1, 1);
  writer w = {.out = start, .line = start, .empty = {text.at, text.at}};
  while (text.at < text.end) {
    char c;
    if (take_escape(&text) || (page && take_tag(&w, &text))) continue;
    if (page && take_named(&text, &c))
      put(&w, c);
    else if (piece_take(&text, "\xc2\xa0"))
      put(&w, ' ');
    else if (piece_take_char(&text, '\r'))
      put_return(&w, text, alone);
    else
      put(&w, *text.at == BREAK ? ' ' : *text.at), text.at++;
  }
  if (page) end_line(&w);
  return (piece){start, w.out};
}

static piece without_marks(ripstop_arena *arena, piece text, bool alone) {
  if (text.at == text.end) return text;
  (void)piece_take(&text, "\xef\xbb\xbf");
  const bool page = is_page(text);
  return is_plain(text, page) ? text : copy(arena, text, page, alone);
}

/* ------------------------------------------------------------------ before lines */

/* So many digits, at least. */
static bool take_digits(piece *p, unsigned least) {
  unsigned count = 0;
  for (; p->at < p->end && is_digit(*p->at); p->at++) count++;
  return count >= least;
}

/* "08:00:00", with a fraction and a zone. */
static bool take_clock(piece *p) {
  piece at = *p;
  if (!take_digits(&at, 2) || !piece_take_char(&at, ':') || !take_digits(&at, 2) || !piece_take_char(&at, ':') ||
      !take_digits(&at, 2))
    return false;
  while (at.at < at.end && (is_digit(*at.at) || strchr(".,+-:Z", *at.at))) at.at++;
  if (at.at < at.end && !piece_blank(*at.at)) return false;
  *p = at;
  return true;
}

/* "2026-01-05T08:00:00", "2026-01-05 08:00:00" */
static bool take_iso_time(piece *p) {
  piece at = *p;
  if (!take_digits(&at, 4) || !piece_take_char(&at, '-') || !take_digits(&at, 2) || !piece_take_char(&at, '-') ||
      !take_digits(&at, 2) || !(piece_take_char(&at, 'T') || piece_take_char(&at, ' ')) || !take_clock(&at))
    return false;
  *p = at;
  return true;
}

/* "Jan  5 08:00:00", "Jan 5 2026 08:00:00" */
static bool take_syslog_time(piece *p) {
  static const char months[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ";
  piece at = *p, word = piece_next_word(&at);
  char month[5];
  if (piece_length(word) != 3) return false;
  snprintf(month, sizeof month, "%.3s ", word.at);
  if (!strstr(months, month)) return false;
  piece_skip_blanks(&at);
  if (!take_digits(&at, 1)) return false;
  piece_skip_blanks(&at);
  piece year = at;
  if (take_digits(&year, 4) && year.at < year.end && *year.at == ' ') at = year;
  piece_skip_blanks(&at);
  if (!take_clock(&at)) return false;
  *p = at;
  return true;
}

/* "host tag[pid]: " or "host tag: "; without the tag nothing is taken. */
static void take_tag_of_log(piece *p) {
  piece at = *p, host = piece_next_word(&at), tag = piece_next_word(&at);
  if (piece_length(host) == 0 || host.end[-1] == ':' || piece_length(tag) < 2 || tag.end[-1] != ':') return;
  for (const char *c = tag.at; c < tag.end - 1; c++)
    if (!is_letter(*c) && !is_digit(*c) && !strchr("_.-/[]()@", *c)) return;
  *p = at;
}

/* The newer syslog (RFC 5424) has five words behind the time: host, program, process, message, "-" or "[data]". */
static void take_five_words(piece *p) {
  for (unsigned i = 0; i < 5; i++) (void)piece_next_word(p);
}

static bool take_log(piece *p) {
  piece at = *p;
  bool newer = false;
  if (at.at == at.end || !(is_digit(*at.at) || is_letter(*at.at) || *at.at == '<')) return false;
  if (piece_take_char(&at, '<')) { /* "<13>", "<13>1 " */
    if (!take_digits(&at, 1) || !piece_take_char(&at, '>')) return false;
    newer = piece_take(&at, "1 ");
  }
  if (!take_iso_time(&at) && !take_syslog_time(&at)) return false;
  newer ? take_five_words(&at) : take_tag_of_log(&at);
  *p = at;
  return true;
}

static piece without_prefix(piece line) {
  do line = piece_trimmed(line);
  while (piece_take_char(&line, '>') || take_log(&line));
  return line;
}

/* ------------------------------------------------------------------ lines */

plain_lines plain_lines_of(ripstop_arena *arena, piece text) {
  const bool alone = piece_length(text) > 0 && !memchr(text.at, '\n', piece_length(text));
  return (plain_lines){.rest = without_marks(arena, text, alone)};
}

bool plain_next(plain_lines *lines, piece *line) {
  if (lines->rest.at >= lines->rest.end) return false;
  if (!lines->within) {
    lines->number++;
    lines->end = memchr(lines->rest.at, '\n', piece_length(lines->rest));
    if (!lines->end) lines->end = lines->rest.end;
  }
  const char *at = memchr(lines->rest.at, BREAK, (size_t)(lines->end - lines->rest.at));
  if (!at) at = lines->end;
  lines->last = at == lines->rest.end;
  lines->within = !lines->last && *at == BREAK;
  *line = without_prefix((piece){lines->rest.at, at});
  lines->rest.at = lines->last ? at : at + 1;
  return true;
}

piece plain_line(ripstop_arena *arena, piece line) { return without_prefix(without_marks(arena, line, false)); }
