/* tables.h - what the fuzzers of forwarding tables and of levels share: a small fabric, lines handed over one by one,
 * and the judgement of what was read. */
#include <stdlib.h>
#include <string.h>

#include "fabric/ib.h"
#include "ripstop/kit/judge.h"
#include "tables/infiniband/lfts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

/* Two switches with two cables between them and two adapters each. */
static const char dump[] = "Switch 5 \"S-00000000000000a0\" # \"one\" base port 0 lid 1 lmc 0\n"
                           "[1] \"H-0000000000000010\"[1](11)\n"
                           "[2] \"H-0000000000000020\"[1](21)\n"
                           "[3] \"S-00000000000000b0\"[3]\n"
                           "[4] \"S-00000000000000b0\"[4]\n\n"
                           "Switch 5 \"S-00000000000000b0\" # \"two\" base port 0 lid 2 lmc 0\n"
                           "[1] \"H-0000000000000030\"[1](31)\n"
                           "[2] \"H-0000000000000040\"[1](41)\n"
                           "[3] \"S-00000000000000a0\"[3]\n"
                           "[4] \"S-00000000000000a0\"[4]\n\n"
                           "Ca 1 \"H-0000000000000010\" # \"a\"\n[1](11) \"S-00000000000000a0\"[1] # lid 3 lmc 0\n\n"
                           "Ca 1 \"H-0000000000000020\" # \"b\"\n[1](21) \"S-00000000000000a0\"[2] # lid 4 lmc 0\n\n"
                           "Ca 1 \"H-0000000000000030\" # \"c\"\n[1](31) \"S-00000000000000b0\"[1] # lid 5 lmc 0\n\n"
                           "Ca 1 \"H-0000000000000040\" # \"d\"\n[1](41) \"S-00000000000000b0\"[2] # lid 6 lmc 0\n";

static void judge(const ripstop_fabric *fabric, const ripstop_forwarding *tables) {
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_view *view = ripstop_view_new(fabric, NULL);
  ripstop_table_verdict v;
  demand(ripstop_judge(arena, view, tables, NULL, &v, NULL) == 0);
  demand(v.paths == v.reached + v.dead_ends + v.astray + v.loops);
  demand(ripstop_judge(arena, view, tables, tables, &v, NULL) == 0 && v.lanes >= 1 && v.lanes <= RIPSTOP_LANES);
  demand(v.unreached <= v.pairs && v.worst <= v.reached * v.unit && v.credit_loop == (v.loop_length > 0));
  ripstop_view_free(view);
  ripstop_arena_free(arena);
}

/* Each line by itself, as the program hands them over. */
static int read_lines(ripstop_lfts *lfts, const char *text, size_t size, ripstop_error *err) {
  const char *end = text + size;
  while (text < end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    if (ripstop_lfts_line(lfts, text, (size_t)((stop ? stop : end) - text), err) != 0) return -1;
    text = stop ? stop + 1 : end;
  }
  return 0;
}

/* Reads `first` (NULL: nothing), the fuzzed lines, and the lines behind; NULL: the error is one line. */
static ripstop_forwarding *read_tables(const ripstop_fabric *fabric, ripstop_arena *arena, const char *before,
                                       const char *text, size_t size, const char *behind, ripstop_lfts_notes *notes) {
  ripstop_error err = {0};
  ripstop_address_book book;
  ripstop_address_book_of(fabric, &book);
  ripstop_lfts *lfts = ripstop_lfts_open(fabric, &book, &err);
  demand(lfts != NULL);
  ripstop_lfts_file(lfts, "before");
  demand(!before || read_lines(lfts, before, strlen(before), &err) == 0);
  ripstop_lfts_file(lfts, "tables");
  int status = read_lines(lfts, text, size, &err);
  if (!status) status = read_lines(lfts, behind, strlen(behind), &err);
  ripstop_forwarding *tables = status ? NULL : ripstop_lfts_finish(lfts, arena, notes, &err);
  ripstop_lfts_free(lfts);
  demand(tables || (err.text[0] != '\0' && strchr(err.text, '\n') == NULL));
  return tables;
}

/* Tables that were read can be judged, and with a line of no kind behind what some line says they cannot be read. */
static void read_and_judge(const char *before, const uint8_t *data, size_t size) {
  ripstop_error err = {0};
  ripstop_lfts_notes notes, ignored;
  static ripstop_fabric *fabric; /* once for all inputs: it is most of the work, and nothing changes it */
  if (!fabric) fabric = ripstop_ib_from_text("fabric", dump, sizeof dump - 1, &err);
  demand(fabric != NULL);
  ripstop_arena *arena = ripstop_arena_new();
  const ripstop_forwarding *tables = read_tables(fabric, arena, before, (const char *)data, size, "", &notes);
  if (tables) {
    judge(fabric, tables);
    bool says_nothing = notes.silent > !before; /* the file before the tables, too */
    demand(says_nothing || !read_tables(fabric, arena, before, (const char *)data, size, "0x0003 OO1\n", &ignored));
  }
  ripstop_arena_free(arena);
}
