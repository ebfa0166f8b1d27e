/* matrix.c - how much each rank sends to each other, from a file; or a permutation, from rows of one number. */
#include "workload/course.h"
#include "workload/rows.h"

typedef struct config {
  ripstop_workload_file from; /* first */
  int64_t bytes, repeat;
} config;

#define OPTION(field) .offset = offsetof(config, field)
static const ripstop_option options[] = {
    RIPSTOP_WORKLOAD_FILE_OPTIONS("a row for each rank: the bytes that it sends to ranks 0, 1, ...; or the one rank "
                                  "that it sends to, which may stand in "
                                  "one row for all"),
    {.name = "bytes",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(bytes),
     .min = 0,
     .max = 1e15,
     .fallback = "4096",
     .help = "bytes of a message, if rows have one rank"},
    {.name = "repeat",
     .type = RIPSTOP_OPTION_INTEGER,
     OPTION(repeat),
     .min = 1,
     .max = 1e6,
     .fallback = "1",
     .help = "times; each rank sends one message behind the other, the next rank's first"},
    {0}};

static int add_row(ripstop_tasks *tasks, const rows *r, uint32_t rank, ripstop_error *err) {
  const uint64_t *row = rows_at(r, rank);
  const uint32_t ranks = (uint32_t)r->count;
  if (rows_length(r, rank) != ranks)
    return ripstop_fail(err, "line %u: %zu numbers, for %u ranks", r->line[rank], rows_length(r, rank), ranks);
  for (uint32_t s = 1; s < ranks; s++) {
    const uint32_t to = (rank + s) % ranks;
    if (row[to]) ripstop_tasks_message(tasks, rank, to, row[to]);
  }
  return row[rank] ? ripstop_fail(err, "line %u: rank %u cannot send to itself", r->line[rank], rank) : 0;
}

/* A permutation is one row, or rows of one number. A rank that names itself sends nothing. */
static int add_one(ripstop_tasks *tasks, const rows *r, uint32_t rank, uint64_t bytes, ripstop_error *err) {
  const bool in_row = r->count == 1;
  const size_t ranks = in_row ? rows_length(r, 0) : r->count, line = in_row ? 0 : rank;
  const uint64_t to = in_row ? rows_at(r, 0)[rank] : *rows_at(r, rank);
  if (!in_row && rows_length(r, rank) != 1)
    return ripstop_fail(err, "line %u: one rank should stand here", r->line[rank]);
  if (to >= ranks)
    return ripstop_fail(err, "line %u: there is no rank %llu, only 0 to %zu", r->line[line], (unsigned long long)to,
                        ranks - 1);
  if (to != rank) ripstop_tasks_message(tasks, rank, (uint32_t)to, bytes);
  return 0;
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const config *k = config_;
  rows r;
  if (rows_read(ripstop_tasks_arena(tasks), k->from.path, &r, err)) return -1;
  const size_t first = r.count ? rows_length(&r, 0) : 0, ranks = r.count == 1 ? first : r.count;
  const bool one = ranks > 1 && (r.count == 1 || first == 1);
  if (ranks >= RIPSTOP_FABRIC_MAX_PORTS) return ripstop_fail(err, "rank numbers are too large");
  if (ripstop_tasks_need(tasks, (uint32_t)ranks, err)) return -1;
  for (int64_t n = 0; n < k->repeat; n++) {
    for (uint32_t rank = 0; rank < ranks; rank++)
      if (one ? add_one(tasks, &r, rank, (uint64_t)k->bytes, err) : add_row(tasks, &r, rank, err)) return -1;
    if (n == 0 && course_fits(tasks, k->repeat, err)) return -1;
  }
  return 0;
}

const ripstop_workload ripstop_workload_matrix = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "matrix",
    .summary = "how much each rank sends to each other, or to which one: from a file",
    .options = options,
    .config_size = sizeof(config),
    .build = build,
};
