/* db_csv.c - see db_csv.h. */
#include "formats/infiniband/db_csv.h"

#include <strings.h>

#include "base/growing.h"

ib_csv ib_csv_of_lines(ripstop_arena *arena, plain_lines lines) { return (ib_csv){.arena = arena, .lines = lines}; }

ib_csv ib_csv_of(ripstop_arena *arena, piece text) { return ib_csv_of_lines(arena, plain_lines_of(arena, text)); }

static bool next_line(ib_csv *csv, piece *line) {
  if (!plain_next(&csv->lines, line)) return false;
  csv->line = csv->lines.number;
  return true;
}

/* The same without comments. */
static bool next_row(ib_csv *csv, piece *line) {
  while (next_line(csv, line))
    if (!piece_begins(*line, "#")) return true;
  return false;
}

static bool alike(piece p, const char *text, size_t length) {
  return piece_length(p) == length && strncasecmp(p.at, text, length) == 0;
}

/* "START_PORTS": the text behind `mark`, if it is one word. */
static bool marked(piece line, const char *mark, piece *name) {
  if (!piece_take(&line, mark)) return false;
  *name = piece_next_word(&line);
  return name->at < name->end && line.at == line.end;
}

/* The next cell of a line; *p is what follows its comma, NULL behind the last. A quote ends a quoted cell only before a
 * comma or the end of the line, for descriptions may have quotes. */
static piece next_cell(piece *p) {
  piece_skip_blanks(p);
  piece cell = *p;
  const bool quoted = piece_take_char(&cell, '"');
  const char *at = cell.at;
  for (; at < p->end; at++) {
    if (!quoted && *at == ',') break;
    if (!quoted || *at != '"') continue;
    piece behind = {at + 1, p->end};
    piece_skip_blanks(&behind);
    if (behind.at < behind.end && *behind.at != ',') continue;
    cell.end = at;
    at = behind.at;
    break;
  }
  if (!quoted) cell = piece_trimmed((piece){cell.at, at});
  p->at = at < p->end ? at + 1 : NULL;
  return cell;
}

static void split(ib_csv *csv, piece line, piece **list, uint32_t *count, uint32_t *room) {
  *count = 0;
  while (line.at) {
    RIPSTOP_GROW_IN(csv->arena, *list, *count, *room);
    (*list)[(*count)++] = next_cell(&line);
  }
}

ib_csv ib_csv_table(ripstop_arena *arena, piece text) {
  ib_csv csv = ib_csv_of(arena, text);
  piece line = {NULL, NULL};
  while (!csv.open && next_line(&csv, &line)) csv.open = line.at < line.end;
  (void)piece_take_char(&line, '#');
  if (csv.open) split(&csv, line, &csv.title, &csv.titles, &csv.titles_room);
  return csv;
}

bool ib_csv_section(ib_csv *csv) {
  piece line;
  while (next_line(csv, &line)) {
    piece ended;
    if (marked(line, "END_", &ended)) csv->open = false;
    if (!marked(line, "START_", &csv->section)) continue;
    csv->open = true;
    csv->titles = csv->cells = 0;
    if (!next_row(csv, &line)) return true;
    csv->open = !marked(line, "END_", &ended);
    if (csv->open) split(csv, line, &csv->title, &csv->titles, &csv->titles_room);
    return true;
  }
  return false;
}

bool ib_csv_is(const ib_csv *csv, const char *name) { return alike(csv->section, name, strlen(name)); }

uint32_t ib_csv_column(const ib_csv *csv, const char *names) {
  piece rest = piece_of(names);
  for (piece name = piece_next_word(&rest); name.at < name.end; name = piece_next_word(&rest))
    for (uint32_t i = 0; i < csv->titles; i++)
      if (alike(csv->title[i], name.at, piece_length(name))) return i;
  return RIPSTOP_NONE;
}

bool ib_csv_row(ib_csv *csv) {
  piece ended;
  while (csv->open && next_row(csv, &csv->row)) {
    if (marked(csv->row, "END_", &ended)) return csv->open = false;
    if (csv->row.at == csv->row.end) continue;
    split(csv, csv->row, &csv->cell, &csv->cells, &csv->cells_room);
    return true;
  }
  return false;
}

piece ib_csv_cell(const ib_csv *csv, uint32_t column) {
  static const char none[] = "";
  const piece empty = {none, none};
  return column >= csv->cells || alike(csv->cell[column], "N/A", 3) ? empty : csv->cell[column];
}

bool ib_csv_number(const ib_csv *csv, uint32_t column, uint64_t *out) {
  piece cell = ib_csv_cell(csv, column);
  const bool hex = piece_take(&cell, "0x") || piece_take(&cell, "0X");
  return piece_number(&cell, hex ? 16 : 10, out) && cell.at == cell.end;
}
