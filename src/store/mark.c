/* mark.c - detects that another file was copied over the open store.
 *
 * cp, rsync --inplace and some editors write over a file and keep its inode, so the path still leads to the open
 * file, but its bytes are another store's. SQLite's writes would destroy them. So the file's header is compared with
 * its earlier state:
 *   - with a log, the file changes only when a process puts the log into it (a checkpoint), which the log's shared
 *     index shows. A header that changed without one is another file's
 *   - after a checkpoint the file may have more pages and a later change counter, but no constant may differ. A
 *     closed store declares no log, and the store that is open here declares one: so a copy of a closed store is
 *     detected at once
 *   - without a log (network file systems) every write changes the header, so only a file that is older, smaller or
 *     of another schema is detected between transactions. Within one nothing may change
 * The header is read by SQLite's own file calls: closing a descriptor of ours would drop SQLite's locks
 * (first_bytes.c). */
#include <string.h>

#include "store/inside.h"

/* SQLite's file format, 1.3, and its index of the log. */
enum { MODE_AT = 18, FIXED_AT = 20, COUNTER_AT = 24, PAGES_AT = 28, COOKIE_AT = 40, VALID_FOR_AT = 92 };
enum { LOG_MODE = 2 }; /* write version in the header: WAL */
enum { INDEX_BYTES = 32768, SALT_WORD = 8, DONE_WORD = 24, BEGUN_WORD = 32 };

static uint32_t number_at(const store_start *start, size_t at) {
  const unsigned char *b = start->byte + at;
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static sqlite3_file *open_file(const ripstop_store *s) {
  sqlite3_file *file = NULL;
  sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  return file && file->pMethods ? file : NULL;
}

/* Bytes after the end are 0. False: the file cannot be read. */
static bool read_start(const ripstop_store *s, store_start *out) {
  sqlite3_int64 size = 0;
  sqlite3_file *file = open_file(s);
  *out = (store_start){.size = 0};
  if (!file || file->pMethods->xFileSize(file, &size) != SQLITE_OK) return false;
  out->size = size;
  int code = file->pMethods->xRead(file, out->byte, sizeof out->byte, 0);
  return code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ;
}

/* All 0 without a log. */
static store_backfill read_backfill(const ripstop_store *s) {
  void volatile *index = NULL;
  sqlite3_file *file = s->logs ? open_file(s) : NULL;
  if (!file || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return (store_backfill){.done = 0};
  if (file->pMethods->xShmMap(file, 0, INDEX_BYTES, 0, &index) != SQLITE_OK || !index)
    return (store_backfill){.done = 0};
  const volatile uint32_t *word = index;
  return (store_backfill){{word[SALT_WORD], word[SALT_WORD + 1]}, word[DONE_WORD], word[BEGUN_WORD]};
}

/* True if a process has put some of the log into the file between the two states, or does so now. */
static bool was_checkpointed(const store_backfill *before, const store_backfill *now) {
  return memcmp(before, now, sizeof *now) != 0 || now->begun != now->done;
}

static bool same_bytes(const store_start *a, const store_start *b, size_t from, size_t to) {
  return !memcmp(a->byte + from, b->byte + from, to - from);
}

/* True if writes to the store can have led to this state. It never has fewer pages. Without a log every change of the
 * header changes the counter. */
static bool is_later(const ripstop_store *s, const store_start *now) {
  const store_start *old = &s->start;
  bool same = same_bytes(old, now, 0, MODE_AT) && same_bytes(old, now, FIXED_AT, COUNTER_AT) &&
              same_bytes(old, now, COOKIE_AT, VALID_FOR_AT);
  int32_t changes = (int32_t)(number_at(now, COUNTER_AT) - number_at(old, COUNTER_AT));
  return same && changes >= (s->logs ? 0 : 1) && now->byte[MODE_AT] >= old->byte[MODE_AT] &&
         number_at(now, PAGES_AT) >= number_at(old, PAGES_AT);
}

static bool may_change(const ripstop_store *s, const store_backfill *now) {
  return s->logs ? was_checkpointed(&s->backfill, now)
                 : s->begins || sqlite3_txn_state(s->db, "main") != SQLITE_TXN_WRITE;
}

/* If the header cannot be read, or contradicts SQLite's state of the log because a call failed, nothing is known, and
 * no file may count as another one. */
void store_note_mark(ripstop_store *s) {
  s->backfill = read_backfill(s);
  s->marked = read_start(s, &s->start) && (s->start.byte[MODE_AT] == LOG_MODE) == s->logs;
}

bool store_is_overwritten(ripstop_store *s) {
  store_start now;
  if (!s->marked) return store_note_mark(s), false;
  const store_backfill before = read_backfill(s);
  if (!read_start(s, &now)) return false; /* SQLite reports why */
  const store_backfill after = read_backfill(s);
  bool same = same_bytes(&s->start, &now, 0, STORE_START) || (may_change(s, &after) && is_later(s, &now));
  if (!same || now.size < s->start.size) return true;
  s->start = now, s->backfill = before;
  return false;
}
