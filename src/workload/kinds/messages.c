/* messages.c - a list of messages from a file: start, source, destination, length, and the message that each comes
 * after. */
#include "workload/rows.h"

static const ripstop_option options[] = {
    RIPSTOP_WORKLOAD_FILE_OPTIONS(
        "rows `time,source,destination,bytes[,after]`: cycles, ranks, bytes, the number of an earlier row"),
    {0}};

enum { TIME, SOURCE, DESTINATION, BYTES, AFTER, COLUMNS };

static int check_row(const rows *r, size_t i, ripstop_error *err) {
  const uint64_t *row = rows_at(r, i);
  const size_t length = rows_length(r, i);
  if (length != COLUMNS && length != COLUMNS - 1)
    return ripstop_fail(err, "line %u: %zu numbers; there are time, source, destination, bytes and perhaps after",
                        r->line[i], length);
  if (row[SOURCE] == row[DESTINATION])
    return ripstop_fail(err, "line %u: rank %llu cannot send to itself", r->line[i], (unsigned long long)row[SOURCE]);
  if (row[SOURCE] >= RIPSTOP_FABRIC_MAX_PORTS || row[DESTINATION] >= RIPSTOP_FABRIC_MAX_PORTS)
    return ripstop_fail(err, "line %u: rank numbers are too large", r->line[i]);
  if (length == COLUMNS && (row[AFTER] < 1 || row[AFTER] > i))
    return ripstop_fail(err, "line %u: it comes after message %llu, and %zu stand before it", r->line[i],
                        (unsigned long long)row[AFTER], i);
  return 0;
}

/* After the earlier message has arrived, or has left. */
static int order(ripstop_tasks *tasks, const rows *r, size_t i, const ripstop_message *m, ripstop_error *err) {
  const uint64_t *row = rows_at(r, i);
  if (rows_length(r, i) < COLUMNS) return 0;
  const size_t before = (size_t)row[AFTER] - 1;
  const uint64_t *other = rows_at(r, before);
  if (other[DESTINATION] == row[SOURCE])
    ripstop_tasks_after(tasks, m[i].send, m[before].receive);
  else if (other[SOURCE] == row[SOURCE])
    ripstop_tasks_after(tasks, m[i].send, m[before].send);
  else
    return ripstop_fail(err, "line %u: rank %llu neither sends nor receives message %zu, after which it is to send",
                        r->line[i], (unsigned long long)row[SOURCE], before + 1);
  return 0;
}

static int add_messages(ripstop_tasks *tasks, const rows *r, ripstop_error *err) {
  ripstop_message *m = RIPSTOP_ARRAY(ripstop_tasks_arena(tasks), r->count + 1, ripstop_message);
  for (size_t i = 0; i < r->count; i++) {
    const uint64_t *row = rows_at(r, i);
    m[i] = ripstop_tasks_message(tasks, (uint32_t)row[SOURCE], (uint32_t)row[DESTINATION], row[BYTES]);
    if (row[TIME]) ripstop_tasks_after(tasks, m[i].send, ripstop_tasks_wait(tasks, (uint32_t)row[SOURCE], row[TIME]));
    ripstop_tasks_line(tasks, m[i].send, r->line[i]);
    ripstop_tasks_line(tasks, m[i].receive, r->line[i]);
    if (order(tasks, r, i, m, err)) return -1;
  }
  return 0;
}

static int build(ripstop_tasks *tasks, const void *config_, ripstop_error *err) {
  const ripstop_workload_file *k = config_;
  rows r;
  uint64_t ranks = 0;
  if (rows_read(ripstop_tasks_arena(tasks), k->path, &r, err)) return -1;
  for (size_t i = 0; i < r.count; i++) {
    if (check_row(&r, i, err)) return -1;
    for (int c = SOURCE; c <= DESTINATION; c++)
      if (rows_at(&r, i)[c] >= ranks) ranks = rows_at(&r, i)[c] + 1;
  }
  return ripstop_tasks_need(tasks, (uint32_t)ranks, err) || add_messages(tasks, &r, err) ? -1 : 0;
}

const ripstop_workload ripstop_workload_messages = {
    .abi = RIPSTOP_WORKLOAD_ABI,
    .name = "messages",
    .summary = "a list of messages from a file: time, source, destination, bytes, after which",
    .options = options,
    .config_size = sizeof(ripstop_workload_file),
    .build = build,
};
