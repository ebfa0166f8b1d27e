/* plain_lines.h - the lines of a text, without additions of the programs that showed, logged, sent or published it.
 * Readers of formats need not know of these:
 *
 *   a terminal   colours and other escape sequences (ESC [ ... letter), CR, no-break spaces, a byte-order mark
 *   a log        "Jan  5 08:00:00 host tag[pid]: ", "2026-01-05T08:00:00 host tag: ", "<13>" before them
 *   an e-mail    "> " before a line, once or more
 *   a web page   tags, <br>, &quot; &lt; &gt; &amp; and other characters by name or number
 *
 * Lines keep their numbers. A page may hold several lines of the format in one line of its file (<br> and tags of
 * paragraphs separate them); all of these have its number. Use:
 *
 *   plain_lines lines = plain_lines_of(arena, text);
 *   while (plain_next(&lines, &line)) ... lines.number ...
 *
 * Cost: O(length); a text without any of this is not copied. */
#ifndef RIPSTOP_FORMATS_PLAIN_LINES_H
#define RIPSTOP_FORMATS_PLAIN_LINES_H

#include "base/piece.h"
#include "ripstop/plugin/base.h"

typedef struct plain_lines {
  piece rest;      /* not read yet */
  uint32_t number; /* in the file, of the last line that was read */
  const char *end; /* the end of that line in the file */
  bool within;     /* the next line has the same number */
  bool last;       /* the last line that was read has no end: the file may have been cut off in it */
} plain_lines;

/* Everything belongs to the arena, or to the text, which must stay. */
plain_lines plain_lines_of(ripstop_arena *arena, piece text);
/* The next line, without the additions of logs and e-mails before it, and without blanks at both ends. */
bool plain_next(plain_lines *lines, piece *line);
/* A single line of a text that is read piece by piece, as plain_next returns it. */
piece plain_line(ripstop_arena *arena, piece line);

#endif
