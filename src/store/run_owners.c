/* run_owners.c - which of several processes that use one store does which run.
 *
 * An owner is an open store that has claimed runs. It is a row in the table of owners, with a time until which it
 * counts as alive by its own clock, which it must renew regularly; the table of leases has each run that it has
 * claimed and not put yet. A claim removes the owners that have ended:
 *   - whose process is gone, which only processes in the same PID namespace can see (base/beside.h)
 *   - whose time has not changed for RIPSTOP_STORE_LEASE_SECONDS, by the reader's monotonic clock. So only the
 *     reader's clock decides: an owner whose clock is ahead counts as alive no longer than others, and a clock that
 *     jumps changes nothing
 *   - whose time is over when it is first seen. Only this rule compares clocks, so that no process waits for one that
 *     ended long ago. A live owner whose clock is behind counts as ended once, and a run may be done twice then. It
 *     notices this and writes times a day ahead
 * Outcomes that such an owner stores later are kept like any others: an error here costs work, never a row.
 * Everything happens in writing transactions, of which SQLite runs one at a time, so no two owners are granted the
 * same run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/clock.h"
#include "base/growing.h"
#include "store/inside.h"
#include "store/kept_runs.h"

enum { AHEAD_SECONDS = 86400 };

/* ------------------------------------------------------------------ processes */

typedef struct life {
  char host[256], machine[RIPSTOP_MACHINE]; /* machine: within which process numbers mean the same; "": unknown */
  int64_t process, generated_at;            /* `generated`: its start, in the kernel's ticks; 0: unknown */
} life;

/* When the process was started; 0: it does not exist, or has ended and its parent has not fetched its status. The
 * line has the program's name in parentheses, then the state and 18 numbers before the time. */
static int64_t birth_of(int64_t process) {
  char path[64], line[1024];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", process);
  ripstop_first_line(path, line, sizeof line);
  char *at = strrchr(line, ')');
  if (!at || strlen(at) < 3 || at[2] == 'Z' || at[2] == 'X') return 0;
  for (int i = 0; i < 20 && at; i++) at = strchr(at + 1, ' ');
  return at ? strtoll(at, NULL, 10) : 0;
}

static void describe_self(life *self) {
  *self = (life){.process = getpid(), .generated_at = birth_of(getpid())};
  if (self->generated_at) ripstop_machine(self->machine);
  if (gethostname(self->host, sizeof self->host)) *self->host = 0;
  self->host[sizeof self->host - 1] = 0;
}

/* Seconds since 1970: the only clock that machines share. */
static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec;
}

/* ------------------------------------------------------------------ owners */

/* An owner that lives and counted as ended may have a clock that is behind. */
static int64_t lease_end(const ripstop_store *s) {
  return now() + RIPSTOP_STORE_LEASE_SECONDS + (s->taken_for_failed ? AHEAD_SECONDS : 0);
}

static int bear(ripstop_store *s, const life *self, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, BEAR_OWNER);
  store_bind_text(st, 1, self->host);
  store_bind_text(st, 2, self->machine);
  sqlite3_bind_int64(st, 3, self->process);
  sqlite3_bind_int64(st, 4, self->generated_at);
  sqlite3_bind_int64(st, 5, lease_end(s));
  if (store_run_once(s, BEAR_OWNER, err)) return -1;
  s->owner = sqlite3_last_insert_rowid(s->db);
  return 0;
}

/* 1; 0: the row was removed, since others took the owner for ended; -1 on error. */
static int renew(ripstop_store *s, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, RENEW_OWNER);
  sqlite3_bind_int64(st, 1, s->owner);
  sqlite3_bind_int64(st, 2, lease_end(s));
  if (store_run_once(s, RENEW_OWNER, err)) return -1;
  return sqlite3_changes(s->db) > 0;
}

static int drop_owner(const ripstop_store *s, int64_t owner, ripstop_error *err) {
  sqlite3_bind_int64(store_fresh(s, DROP_LEASES), 1, owner);
  if (store_run_once(s, DROP_LEASES, err)) return -1;
  sqlite3_bind_int64(store_fresh(s, DROP_OWNER), 1, owner);
  return store_run_once(s, DROP_OWNER, err);
}

/* ------------------------------------------------------------------ liveness */

static store_watch *find_watch(const ripstop_store *s, int64_t owner) {
  for (size_t i = 0; i < s->watches; i++)
    if (s->watch[i].owner == owner) return &s->watch[i];
  return NULL;
}

static store_watch *begin_watch(ripstop_store *s, int64_t owner, int64_t until) {
  RIPSTOP_GROW_IN(s->arena, s->watch, s->watches, s->watch_room);
  s->watch[s->watches] = (store_watch){.owner = owner, .until = until, .since = ripstop_seconds_now()};
  return &s->watch[s->watches++];
}

static const store_watch *look_at(ripstop_store *s, int64_t owner, int64_t until) {
  store_watch *w = find_watch(s, owner);
  if (!w) return begin_watch(s, owner, until);
  if (w->until == until) return w;
  *w = (store_watch){.owner = owner, .until = until, .since = ripstop_seconds_now(), .renewed = until > w->until};
  return w;
}

/* True if the row's process can be seen from here, and is gone. */
static bool is_gone(sqlite3_stmt *st, const life *self) {
  const char *machine = (const char *)sqlite3_column_text(st, 1);
  if (!*self->machine || !machine || strcmp(machine, self->machine) != 0) return false;
  return birth_of(sqlite3_column_int64(st, 2)) != sqlite3_column_int64(st, 3);
}

static bool has_failed(ripstop_store *s, sqlite3_stmt *st, const life *self) {
  const int64_t until = sqlite3_column_int64(st, 4);
  const store_watch *w = look_at(s, sqlite3_column_int64(st, 0), until);
  if (until <= now() && !w->renewed) return true;
  return ripstop_seconds_now() - w->since >= RIPSTOP_STORE_LEASE_SECONDS || is_gone(st, self);
}

/* The first other owner that has ended; 0: none; -1 on error. */
static int64_t find_failed(ripstop_store *s, const life *self, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, GET_OWNERS);
  int64_t dead = 0;
  int code = SQLITE_DONE;
  while (!dead && (code = sqlite3_step(st)) == SQLITE_ROW)
    if (sqlite3_column_int64(st, 0) != s->owner && has_failed(s, st, self)) dead = sqlite3_column_int64(st, 0);
  sqlite3_reset(st);
  return dead || code == SQLITE_DONE ? dead : store_fail(s, err);
}

static int drop_failed(ripstop_store *s, const life *self, ripstop_error *err) {
  int64_t dead;
  while ((dead = find_failed(s, self, err)) > 0)
    if (drop_owner(s, dead, err)) return -1;
  return dead < 0 ? -1 : 0;
}

/* The number of its leases; -1 on error. */
static int64_t leases_of(const ripstop_store *s, int64_t owner, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, COUNT_LEASES);
  sqlite3_bind_int64(st, 1, owner);
  int64_t count = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : store_fail(s, err);
  sqlite3_reset(st);
  return count;
}

int store_count_owners(ripstop_store *s, ripstop_store_tally *out, ripstop_error *err) {
  life self;
  describe_self(&self);
  sqlite3_stmt *st = store_fresh(s, GET_OWNERS);
  int code = SQLITE_DONE;
  int64_t leases = 0;
  while (leases >= 0 && (code = sqlite3_step(st)) == SQLITE_ROW) {
    leases = leases_of(s, sqlite3_column_int64(st, 0), err);
    if (leases < 0) continue;
    const bool dead = has_failed(s, st, &self);
    out->owners += !dead;
    *(dead ? &out->left : &out->leases) += (uint64_t)leases;
  }
  sqlite3_reset(st);
  if (leases < 0) return -1;
  return code == SQLITE_DONE ? 0 : store_fail(s, err);
}

/* ------------------------------------------------------------------ leases */

int store_drop_lease(ripstop_store *s, const char *id, ripstop_error *err) {
  store_bind_text(store_fresh(s, DROP_LEASE), 1, id);
  return store_run_once(s, DROP_LEASE, err);
}

/* The owner that has claimed the run; 0: none; -1 on error. */
static int64_t holder(const ripstop_store *s, const char *id, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, GET_LEASE);
  store_bind_text(st, 1, id);
  int code = sqlite3_step(st);
  int64_t owner = code == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
  sqlite3_reset(st);
  return code == SQLITE_ROW || code == SQLITE_DONE ? owner : store_fail(s, err);
}

/* Fills in the store's row of an owner; 0: there is no such owner. */
static int describe_owner(ripstop_store *s, int64_t owner, ripstop_store_owner *out, ripstop_error *err) {
  sqlite3_stmt *st = store_fresh(s, GET_OWNERS);
  int code;
  while ((code = sqlite3_step(st)) == SQLITE_ROW && sqlite3_column_int64(st, 0) != owner) continue;
  if (code == SQLITE_ROW) {
    const char *host = (const char *)sqlite3_column_text(st, 5);
    const store_watch *w = look_at(s, owner, sqlite3_column_int64(st, 4));
    snprintf(out->host, sizeof out->host, "%s", host ? host : "");
    out->process = sqlite3_column_int64(st, 2);
    out->silent = ripstop_seconds_now() - w->since;
    out->left = out->silent < RIPSTOP_STORE_LEASE_SECONDS ? RIPSTOP_STORE_LEASE_SECONDS - out->silent : 0;
  }
  sqlite3_reset(st);
  return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : store_fail(s, err);
}

int ripstop_store_holder(ripstop_store *store, const char *id, ripstop_store_owner *out, ripstop_error *err) {
  RIPSTOP_GUARD(err, -1);
  *out = (ripstop_store_owner){.owner = holder(store, id, err)};
  if (out->owner <= 0) return (int)out->owner;
  int found = describe_owner(store, out->owner, out, err);
  int64_t leases = found > 0 ? leases_of(store, out->owner, err) : 0;
  out->runs = leases > 0 ? (uint64_t)leases : 0;
  return leases < 0 ? -1 : found;
}

static int claim_one(ripstop_store *s, const char *id, bool *granted, ripstop_error *err) {
  int there = ripstop_store_has(s, id, err);
  int64_t owner = holder(s, id, err);
  *granted = there != 1 && (owner == 0 || owner == s->owner);
  if (there < 0 || owner < 0) return -1;
  if (!*granted || owner == s->owner) return 0;
  sqlite3_stmt *st = store_fresh(s, PUT_LEASE);
  store_bind_text(st, 1, id);
  sqlite3_bind_int64(st, 2, s->owner);
  return store_run_once(s, PUT_LEASE, err);
}

static int claim_all(ripstop_store *s, const ripstop_run *const *run, size_t count, bool *granted, ripstop_error *err) {
  life self;
  describe_self(&self);
  int alive = s->owner ? renew(s, err) : 0;
  s->taken_for_failed |= s->owner && !alive;
  if (alive < 0 || (!alive && bear(s, &self, err)) || drop_failed(s, &self, err)) return -1;
  for (size_t i = 0; i < count; i++)
    if (claim_one(s, run[i]->id, &granted[i], err)) return -1;
  return 0;
}

static int give_up_claim(ripstop_store *store, int64_t owner_before) {
  store->owner = owner_before;
  return store_give_up(store);
}

int ripstop_store_claim(ripstop_store *store, const ripstop_run *const *run, size_t count, bool *granted,
                        ripstop_error *err) {
  const int64_t before = store->owner;
  RIPSTOP_GUARD(err, give_up_claim(store, before));
  if (store_enter(store, err)) return -1;
  if (!store_leave(store, claim_all(store, run, count, granted, err), err)) return 0;
  return give_up_claim(store, before);
}

int ripstop_store_renew(ripstop_store *store, ripstop_error *err) {
  if (!store->owner) return 0;
  if (store_enter(store, err)) return -1;
  int alive = renew(store, err);
  return store_leave(store, alive < 0 ? -1 : 0, err) ? -1 : alive;
}

int ripstop_store_release(ripstop_store *store, ripstop_error *err) {
  if (!store->owner) return 0;
  if (store_enter(store, err)) return -1;
  if (store_leave(store, drop_owner(store, store->owner, err), err)) return -1;
  store->owner = 0;
  return 0;
}
