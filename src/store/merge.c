/* merge.c - the runs of one store into another. */
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/local.h"
#include "store/inside.h"
#include "store/kept_runs.h"

#define BATCH_SECONDS 0.5 /* other processes wait meanwhile */

typedef struct merger {
  ripstop_store *into;
  ripstop_store_merger *sums;
  double begun; /* start of the open batch */
  bool wants;   /* a run would be put into a read-only store */
} merger;

/* Compares with a believed run that is there already. */
static int compare(merger *m, const store_row *row, ripstop_error *err) {
  store_row there;
  RIPSTOP_LOCAL_ARENA(arena);
  int found = store_read(m->into, row->id, arena, &there, err);
  if (found > 0 && store_same_outcome(row, &there))
    m->sums->there++;
  else if (found > 0 && !m->sums->conflicts++)
    snprintf(m->sums->conflict, sizeof m->sums->conflict, "%s", row->id);
  return found < 0 ? -1 : 0;
}

static int merge_row(merger *m, const store_row *row, ripstop_error *err) {
  int put = store_put_row(m->into, row, err);
  if (put < 0 || store_drop_lease(m->into, row->id, err)) return -1;
  m->sums->added += put > 0;
  return put > 0 ? 0 : compare(m, row, err);
}

/* For a read-only store: notes whether the row would change it. */
static int look_at_row(merger *m, const store_row *row, ripstop_error *err) {
  const int there = ripstop_store_has(m->into, row->id, err);
  m->wants = there == 0 || there == RIPSTOP_STORE_DOUBTED;
  return there < 0 || m->wants ? -1 : compare(m, row, err);
}

static int renew_batch(merger *m, ripstop_error *err) {
  if (ripstop_seconds_now() - m->begun < BATCH_SECONDS) return 0;
  if (ripstop_store_commit(m->into, err) || ripstop_store_begin(m->into, err)) return -1;
  m->begun = ripstop_seconds_now();
  return 0;
}

static int take(void *context, const store_row *row, bool believed, ripstop_error *err) {
  merger *m = context;
  if (believed && !m->into->writes) return look_at_row(m, row, err);
  if (believed) return merge_row(m, row, err) || renew_batch(m, err) ? -1 : 0;
  if (!m->sums->doubted++) snprintf(m->sums->doubt, sizeof m->sums->doubt, "%s", row->id);
  return 0;
}

static bool is_same_file(const char *a, const char *b) {
  struct stat one, two;
  return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

int ripstop_store_merge(ripstop_store *into, ripstop_store *from, ripstop_store_merger *sums, ripstop_error *err) {
  RIPSTOP_GUARD(err, (store_abandon(into), -1));
  merger m = {.into = into, .sums = sums, .begun = ripstop_seconds_now()};
  if (is_same_file(into->path, from->path))
    return ripstop_fail(err, "store %s cannot be merged into itself", from->path);
  if (!into->writes) return store_each(from, take, &m, err) && !m.wants ? -1 : m.wants;
  if (ripstop_store_begin(into, err)) return -1;
  if (!store_each(from, take, &m, err)) return ripstop_store_commit(into, err);
  store_abandon(into);
  return -1;
}
