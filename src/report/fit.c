/* fit.c - texts in lines that a picture has room for. Room is counted in characters, because their width is not known
 * here: styles (plot.h) give numbers that hold for the widest usual text of their font. */
#include <ctype.h>
#include <string.h>

#include "base/local.h"
#include "report/plot.h"

static bool is_inside(char c) { return ((unsigned char)c & 0xc0) == 0x80; } /* a byte within a UTF-8 character */

static bool is_blank(char c) { return (unsigned char)c <= ' ' || c == 0x7f; }

size_t plot_letters(const char *text) {
  size_t count = 0;
  for (; *text; text++) count += !is_inside(*text);
  return count;
}

/* The bytes of so many letters, or of all there are. */
static size_t bytes_of(const char *text, size_t letters) {
  size_t at = 0;
  for (; text[at]; at++)
    if (!is_inside(text[at]) && !letters--) break;
  return at;
}

/* The end of the line that begins here: its last blank, else behind its last sign between words, else behind the
 * last one between parts of a word, but not within a number, else where the space ends. A line of less than a third
 * would look torn. */
static size_t line_of(const char *text, size_t letters) {
  size_t room = bytes_of(text, letters);
  if (!text[room]) return room;
  for (size_t at = room; at > room / 3; at--)
    if (is_blank(text[at])) return at;
  for (size_t at = room; at > room / 3; at--)
    if (strchr(",:;/=(", text[at - 1])) return at;
  for (size_t at = room; at > room / 3; at--)
    if (strchr(".-", text[at - 1]) && !isdigit((unsigned char)text[at])) return at;
  return room;
}

size_t plot_lines(ripstop_text *out, const char *text, size_t letters) {
  size_t lines = 0;
  ripstop_text_add_bytes(out, "", 0); /* no text is a line, too */
  if (letters < 4) letters = 4;
  while (*text && is_blank(*text)) text++;
  do {
    const size_t end = line_of(text, letters);
    if (lines++) ripstop_text_add(out, "\n");
    for (size_t i = 0; i < end; i++) ripstop_text_add_bytes(out, is_blank(text[i]) ? " " : text + i, 1);
    text += end;
    while (*text && is_blank(*text)) text++;
  } while (*text);
  return lines;
}

size_t plot_count_lines(const char *text, size_t letters) {
  RIPSTOP_LOCAL_TEXT(lines);
  const size_t count = plot_lines(&lines, text, letters);
  return count;
}
