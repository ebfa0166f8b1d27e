/* design.c - see design.h. */
#include "formats/infiniband/design.h"

#include "base/growing.h"
#include "base/local.h"
#include "formats/infiniband/db_csv.h"

enum { DEVICE, PORT, FAR_DEVICE, FAR_PORT, COLUMNS };

static const char *const columns[COLUMNS] = {"StartDevice", "StartPort", "EndDevice", "EndPort"};

static bool find_columns(const ib_csv *csv, uint32_t column[COLUMNS]) {
  bool all = true;
  for (unsigned i = 0; i < COLUMNS; i++) all = (column[i] = ib_csv_column(csv, columns[i])) != RIPSTOP_NONE && all;
  return all;
}

bool ib_design_is(const char *text, size_t length) {
  RIPSTOP_LOCAL_ARENA(arena);
  uint32_t column[COLUMNS];
  piece rest = piece_of_file(text, length), first;
  const ib_csv csv = ib_csv_table(arena, rest);
  return find_columns(&csv, column) || (piece_next_line(&rest, &first) && piece_find(first, columns[DEVICE]));
}

void ib_design_add(ib_design *design, const ib_design_row *row) {
  RIPSTOP_GROW_IN(design->arena, design->list, design->count, design->room);
  design->list[design->count++] = *row;
}

static const char *keep(ripstop_arena *arena, piece p) {
  p = piece_trimmed(p);
  return ripstop_arena_printf(arena, "%.*s", (int)piece_length(p), p.at);
}

int ib_design_read(ib_design *design, ripstop_arena *arena, const char *file, const char *text, size_t length,
                   ripstop_error *err) {
  uint32_t column[COLUMNS];
  *design = (ib_design){.arena = arena};
  ib_csv csv = ib_csv_table(arena, piece_of_file(text, length));
  if (!find_columns(&csv, column))
    return ripstop_fail(err,
                        "%s:%u: the first line must name the columns StartDevice, StartPort, EndDevice, EndPort, "
                        "with commas between them",
                        file, csv.line);
  while (ib_csv_row(&csv)) {
    if (*csv.row.at == '#') continue;
    ib_design_row row = {.text = keep(arena, csv.row), .line = csv.line};
    for (unsigned i = 0; i < COLUMNS; i++) {
      const char *cell = keep(arena, ib_csv_cell(&csv, column[i]));
      *(i % 2 ? &row.port[i / 2] : &row.device[i / 2]) = cell;
    }
    ib_design_add(design, &row);
  }
  return design->count ? 0 : ripstop_fail(err, "%s: a design without any cable", file);
}
