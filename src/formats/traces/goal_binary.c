/* goal_binary.c - reads schedules in GOAL's binary form: little-endian and packed.
 *
 *   u64 magic 4223 (2342: not finished); u32 ranks; u8 highest cpu; u8 highest nic
 *   ranks x { u64 begin, u64 end }                 counted from behind the magic; ranks follow each other without a gap
 *   rank:  u32 operations, u32 roots, roots x u32 operations that wait for nothing
 *     operation, 39 bytes: u32 requirements | u8 type: 1 send, 2 receive, 3 computation | u32 peer | u64 bytes or time
 *                          | u32 tag | u8 cpu | u8 nic | u32 count, u32 first: entries of the appendix that start after
 *                          it is done | u32 count, u32 first: after it has begun
 *     appendix: u32 operations, to the end of the rank
 *
 * All parts are checked before a rank's records are given out: sizes, types, ranks, indices, counts of requirements and
 * roots. A mistake is reported with its byte in the file. */
#include "formats/traces/goal_binary.h"

#include <inttypes.h>

enum {
  MAGIC = 4223,
  UNFINISHED = 2342,
  MAGIC_BYTES = 8,
  HEAD = MAGIC_BYTES + 6,
  ENTRY = 16,     /* bytes for each rank in the list of ranks */
  OPERATION = 39, /* bytes, and the places of its fields */
  TYPE = 4,
  PEER = 5,
  AMOUNT = 9,
  TAG = 17,
  PROCESSOR = 21,
  REQUIRES = 23,
  IREQUIRES = 31,
  SEND = 1,
  RECEIVE = 2,
  COMPUTE = 3
};

static uint64_t number_at(const goal_trace *t, uint64_t at, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = bytes; i-- > 0;) value = value << 8 | (uint8_t)t->text.at[at + i];
  return value;
}

static uint32_t word_at(const goal_trace *t, uint64_t at) { return (uint32_t)number_at(t, at, 4); }

bool goal_binary_is(const char *text, size_t length) {
  const goal_trace t = {.text = {text, text + length}};
  if (length < MAGIC_BYTES) return false;
  const uint64_t magic = number_at(&t, 0, MAGIC_BYTES);
  return magic == MAGIC || magic == UNFINISHED;
}

static int at_byte(const goal_trace *t, uint64_t at) { return ripstop_fail_at(t->err, "byte %" PRIu64, at); }

static int refuse(const goal_trace *t, uint64_t at, const char *what, uint64_t number) {
  ripstop_fail(t->err, "%s %" PRIu64, what, number);
  return at_byte(t, at);
}

static int cut_off(const goal_trace *t, const char *inside) {
  return ripstop_fail(t->err, "the file ends at byte %zu, inside %s", piece_length(t->text), inside);
}

/* ------------------------------------------------------------------ head */

static int read_head(goal_trace *t, goal_record *out) {
  const uint64_t size = piece_length(t->text);
  if (number_at(t, 0, MAGIC_BYTES) == UNFINISHED)
    return ripstop_fail(t->err, "byte 0: the schedule's writer has not finished it (2342 in place of 4223)");
  if (size < HEAD) return cut_off(t, "its head");
  t->ranks = word_at(t, MAGIC_BYTES);
  if (t->ranks == 0 || t->ranks == GOAL_ANY) return refuse(t, MAGIC_BYTES, "the number of ranks is", t->ranks);
  if ((size - HEAD) / ENTRY < t->ranks) return cut_off(t, "the list of its ranks");
  *out = (goal_record){.kind = GOAL_RANKS, .line = MAGIC_BYTES, .amount = t->ranks};
  t->binary.end = HEAD + (uint64_t)ENTRY * t->ranks;
  return 0;
}

/* ------------------------------------------------------------------ ranks */

static uint64_t place_of(const goal_trace *t, uint32_t operation) {
  return t->binary.first + (uint64_t)OPERATION * operation;
}

/* The next rank begins where the last one ended. */
static int find_rank(goal_trace *t) {
  goal_binary *b = &t->binary;
  const uint64_t entry = HEAD + (uint64_t)ENTRY * t->rank, size = piece_length(t->text) - MAGIC_BYTES;
  const uint64_t begin = number_at(t, entry, 8), end = number_at(t, entry + 8, 8);
  if (begin != b->end - MAGIC_BYTES) {
    ripstop_fail(t->err, "rank %u begins %" PRIu64 " bytes behind the magic number, where %" PRIu64 " is its place",
                 t->rank, begin, b->end - MAGIC_BYTES);
    return at_byte(t, entry);
  }
  if (end < begin || end > size) {
    if (end > size) return cut_off(t, "a rank");
    return refuse(t, entry + 8, "a rank ends before its begin", begin);
  }
  b->begin = begin + MAGIC_BYTES;
  b->end = end + MAGIC_BYTES;
  if (end - begin < 8) return refuse(t, b->begin, "a rank has less than 8 bytes:", end - begin);
  b->operations = word_at(t, b->begin);
  b->roots = word_at(t, b->begin + 4);
  b->first = b->begin + 8 + 4 * (uint64_t)b->roots;
  b->appendix = place_of(t, b->operations);
  if (b->appendix > b->end || (b->end - b->appendix) % 4) {
    ripstop_fail(t->err, "%u operations and %u roots do not fit into the %" PRIu64 " bytes of rank %u", b->operations,
                 b->roots, end - begin, t->rank);
    return at_byte(t, b->begin);
  }
  b->entries = (uint32_t)((b->end - b->appendix) / 4);
  return 0;
}

/* Counts an operation's entries of the appendix as requirements of theirs. */
static int count_entries(const goal_trace *t, uint64_t at, uint32_t *waits, uint64_t *sum) {
  const goal_binary *b = &t->binary;
  const uint32_t count = word_at(t, at), first = word_at(t, at + 4);
  if (count && (first > b->entries || count > b->entries - first))
    return refuse(t, at, "entries of the appendix that is shorter: from", first);
  *sum += count;
  if (*sum > b->entries) return refuse(t, at, "operations use more entries than the appendix has:", b->entries);
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t place = b->appendix + 4 * ((uint64_t)first + i);
    const uint32_t other = word_at(t, place);
    if (other >= b->operations) return refuse(t, place, "there is no operation", other);
    waits[other]++;
  }
  return 0;
}

static int check_operation(const goal_trace *t, uint32_t operation) {
  const uint64_t at = place_of(t, operation);
  const unsigned type = (uint8_t)t->text.at[at + TYPE];
  const uint32_t peer = word_at(t, at + PEER);
  if (type < SEND || type > COMPUTE)
    return refuse(t, at + TYPE, "types are 1 to 3 (send, receive, compute), and this one is", type);
  if (number_at(t, at + AMOUNT, 8) > INT64_MAX)
    return refuse(t, at + AMOUNT, "more bytes or time than 2^63 - 1:", number_at(t, at + AMOUNT, 8));
  if (type == COMPUTE) return 0;
  if (peer == t->rank) return refuse(t, at + PEER, "a rank cannot send to itself:", peer);
  if (peer == GOAL_ANY ? type == SEND : peer >= t->ranks) return refuse(t, at + PEER, "there is no rank", peer);
  return 0;
}

/* Changes `waits`: a root that stands a second time waits for something. */
static int check_requirements(const goal_trace *t, uint32_t *waits) {
  const goal_binary *b = &t->binary;
  uint32_t roots = 0;
  for (uint32_t i = 0; i < b->operations; i++) {
    const uint32_t own = word_at(t, place_of(t, i));
    roots += own == 0;
    if (own == waits[i]) continue;
    ripstop_fail(t->err, "operation %u of rank %u has %u requirements, but %u operations name it", i, t->rank, own,
                 waits[i]);
    return at_byte(t, place_of(t, i));
  }
  for (uint32_t i = 0; i < b->roots; i++) {
    const uint64_t at = b->begin + 8 + 4 * (uint64_t)i;
    const uint32_t root = word_at(t, at);
    if (root >= b->operations || waits[root]++)
      return refuse(t, at, "not an operation without requirements, or a second time in the list:", root);
  }
  return roots == b->roots ? 0 : refuse(t, b->begin + 4, "operations without requirements that are no root:", roots);
}

static int begin_rank(goal_trace *t) {
  goal_binary *b = &t->binary;
  if (find_rank(t)) return -1;
  ripstop_arena_free(t->arena);
  t->arena = ripstop_arena_new();
  uint32_t *waits = RIPSTOP_ARRAY(t->arena, (size_t)b->operations + 1, uint32_t);
  uint64_t sum = 0;
  for (uint32_t i = 0; i < b->operations; i++)
    if (check_operation(t, i) || count_entries(t, place_of(t, i) + REQUIRES, waits, &sum) ||
        count_entries(t, place_of(t, i) + IREQUIRES, waits, &sum))
      return -1;
  if (sum != b->entries) return refuse(t, b->appendix, "entries of the appendix, but operations use", sum);
  if (check_requirements(t, waits)) return -1;
  b->operation = b->entry = 0;
  b->orders = b->is_begin = false;
  t->inside = true;
  return 0;
}

/* ------------------------------------------------------------------ records */

static void give_operation(goal_trace *t, goal_record *out) {
  static const goal_kind kinds[] = {[SEND] = GOAL_SEND, [RECEIVE] = GOAL_RECEIVE, [COMPUTE] = GOAL_COMPUTE};
  goal_binary *b = &t->binary;
  const uint64_t at = place_of(t, b->operation);
  *out = (goal_record){.kind = kinds[(uint8_t)t->text.at[at + TYPE]],
                       .line = (uint32_t)at,
                       .rank = t->rank,
                       .peer = word_at(t, at + PEER),
                       .tag = word_at(t, at + TAG),
                       .amount = number_at(t, at + AMOUNT, 8),
                       .processor = (uint8_t)t->text.at[at + PROCESSOR],
                       .operation = t->operations + b->operation};
  if (++b->operation < b->operations) return;
  b->operation = 0;
  b->orders = true;
}

/* False: all orders of the rank have been given out. */
static bool give_order(goal_trace *t, goal_record *out) {
  goal_binary *b = &t->binary;
  while (b->operation < b->operations) {
    const uint64_t at = place_of(t, b->operation), list = at + (b->is_begin ? IREQUIRES : REQUIRES);
    if (b->entry < word_at(t, list)) {
      const uint64_t place = b->appendix + 4 * ((uint64_t)word_at(t, list + 4) + b->entry++);
      *out = (goal_record){.kind = GOAL_ORDER,
                           .line = (uint32_t)at,
                           .rank = t->rank,
                           .operation = t->operations + word_at(t, place),
                           .before = t->operations + b->operation,
                           .begin = b->is_begin};
      return true;
    }
    b->entry = 0;
    b->operation += b->is_begin;
    b->is_begin = !b->is_begin;
  }
  return false;
}

static void end_rank(goal_trace *t) {
  t->operations += t->binary.operations;
  t->rank++;
  t->inside = false;
}

int goal_binary_next(goal_trace *t, goal_record *out) {
  *out = (goal_record){.kind = GOAL_END};
  if (!t->ranks) return read_head(t, out);
  while (t->inside || t->rank < t->ranks) {
    if (!t->inside && begin_rank(t)) return -1;
    if (!t->binary.orders && t->binary.operations > 0) return give_operation(t, out), 0;
    if (give_order(t, out)) return 0;
    end_rank(t);
  }
  return 0;
}
