/* snapshot.c - tables moved between two fabrics, and as a file: a head, GUIDs, ports, service levels, the same of the
 * plan if that differs, and a hash of all these. */
#include "mend/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/output.h"
#include "fabric/ib_subnet.h"

static uint64_t guid_of(const ripstop_fabric *f, uint32_t node) {
  ib_subnet_node n;
  ib_subnet_node_of(f, node, &n);
  return n.port_guid;
}

static snapshot *snapshot_new(uint32_t addresses, uint32_t switches, uint32_t lanes, uint32_t several) {
  ripstop_arena *arena = ripstop_arena_new();
  snapshot *s = RIPSTOP_NEW(arena, snapshot);
  *s = (snapshot){.addresses = addresses, .switches = switches, .lanes = lanes, .several = several, .arena = arena};
  s->address = RIPSTOP_ARRAY(arena, addresses, uint64_t);
  s->switch_ = RIPSTOP_ARRAY(arena, switches, uint64_t);
  s->port = RIPSTOP_ARRAY(arena, (size_t)addresses * switches, uint8_t);
  return s;
}

void snapshot_free(snapshot *s) {
  if (!s) return;
  snapshot_free(s->plan);
  ripstop_arena_free(s->arena);
}

static size_t level_bytes(const snapshot *s) {
  return s->by_address ? s->addresses : (size_t)s->addresses * s->addresses;
}

/* ------------------------------------------------------------------ from tables */

/* With levels by pair, those of a source are stored at the first address of the source. */
static void take_levels(snapshot *s, const ripstop_forwarding *t) {
  s->by_address = !ripstop_forwarding_by_pair(t);
  s->level = RIPSTOP_ARRAY(s->arena, level_bytes(s), uint8_t);
  for (uint32_t a = 0; a < t->addresses && s->by_address; a++) {
    uint32_t other = t->node[a] == 0 && t->fabric->ends > 1 ? 1 : 0; /* other than the end node of the address */
    s->level[a] = (uint8_t)ripstop_forwarding_level(t, other, a);
  }
  for (uint32_t from = 0; from < t->addresses && !s->by_address; from++)
    for (uint32_t a = 0; a < t->addresses && ripstop_is_end(t->fabric, t->node[from]); a++)
      s->level[(size_t)from * t->addresses + a] = (uint8_t)ripstop_forwarding_level(t, t->node[from], a);
}

snapshot *snapshot_of(const ripstop_forwarding *t) {
  const ripstop_fabric *f = t->fabric;
  const uint32_t first = ib_subnet_first_port(f);
  snapshot *s = snapshot_new(t->addresses, ripstop_fabric_switches(f), t->lanes, ripstop_forwarding_most(t));
  for (uint32_t a = 0; a < t->addresses; a++) s->address[a] = guid_of(f, t->node[a]);
  for (uint32_t i = 0; i < s->switches; i++) s->switch_[i] = guid_of(f, f->ends + i);
  for (size_t i = 0; i < (size_t)s->addresses * s->switches; i++)
    s->port[i] = t->port[i] + first < SNAPSHOT_NONE ? (uint8_t)(t->port[i] + first) : SNAPSHOT_NONE;
  if (t->level) take_levels(s, t);
  return s;
}

static bool same_bytes(const void *a, const void *b, size_t bytes) { return bytes == 0 || memcmp(a, b, bytes) == 0; }

bool snapshot_same(const snapshot *a, const snapshot *b) {
  return a->addresses == b->addresses && a->switches == b->switches && a->lanes == b->lanes &&
         a->several == b->several && !a->level == !b->level && a->by_address == b->by_address &&
         same_bytes(a->address, b->address, a->addresses * sizeof *a->address) &&
         same_bytes(a->switch_, b->switch_, a->switches * sizeof *a->switch_) &&
         same_bytes(a->port, b->port, (size_t)a->addresses * a->switches) &&
         (!a->level || same_bytes(a->level, b->level, level_bytes(a)));
}

/* ------------------------------------------------------------------ to a fabric */

typedef struct known {
  uint64_t guid;
  uint32_t at;
  uint32_t taken; /* in the first place with the GUID: how many of its places are taken */
} known;

static int compare_known(const void *a, const void *b) {
  const known *x = a, *y = b;
  if (x->guid != y->guid) return x->guid < y->guid ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static known *sort_guids(ripstop_arena *arena, const uint64_t *guid, uint32_t count) {
  known *list = RIPSTOP_ARRAY(arena, count, known);
  for (uint32_t i = 0; i < count; i++) list[i] = (known){guid[i], i, 0};
  qsort(list, count, sizeof *list, compare_known);
  return list;
}

/* The index at which the GUID first occurs in the list, or would. */
static uint32_t search_guid(const known *list, uint32_t count, uint64_t guid) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (list[middle].guid < guid)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The first place with the GUID that is not taken yet: nodes that share a GUID never share a place. RIPSTOP_NONE:
 * there is none. */
static uint32_t take_place(known *list, uint32_t count, uint64_t guid) {
  uint32_t first = search_guid(list, count, guid);
  if (first == count || list[first].guid != guid) return RIPSTOP_NONE;
  uint32_t next = first + list[first].taken;
  if (next >= count || list[next].guid != guid) return RIPSTOP_NONE;
  list[first].taken++;
  return list[next].at;
}

typedef struct laying {
  const snapshot *s;
  const ripstop_fabric *fabric;
  uint32_t *address; /* [addresses of the fabric's tables]: address of the snapshot */
  uint32_t *source;  /* [ends]: the snapshot's address; RIPSTOP_NONE: not in the snapshot */
  uint32_t *switch_; /* [switches]: likewise */
  uint32_t addresses;
  ripstop_forwarding *tables;
} laying;

static void lay_ports(const laying *l) {
  const ripstop_fabric *f = l->fabric;
  const uint32_t first = ib_subnet_first_port(f);
  for (uint32_t a = 0; a < l->addresses; a++)
    for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++) {
      if (l->switch_[i] == RIPSTOP_NONE) continue;
      uint32_t number = l->s->port[(size_t)l->address[a] * l->s->switches + l->switch_[i]];
      if (number >= first && number - first < ripstop_node_ports(f, f->ends + i))
        ripstop_forwarding_set(l->tables, a, f->ends + i, (uint16_t)(number - first));
    }
}

static void lay_levels(const laying *l) {
  ripstop_forwarding *t = l->tables;
  const snapshot *s = l->s;
  uint32_t rows = s->by_address ? 1 : l->fabric->ends;
  t->level = RIPSTOP_ARRAY(t->arena, (size_t)rows * l->addresses, uint8_t);
  t->level_shared = s->by_address;
  for (uint32_t row = 0; row < rows; row++)
    for (uint32_t a = 0; a < l->addresses; a++) {
      uint8_t *level = &t->level[(size_t)row * l->addresses + a];
      if (s->by_address)
        *level = s->level[l->address[a]];
      else if (l->source[row] != RIPSTOP_NONE)
        *level = s->level[(size_t)l->source[row] * s->addresses + l->address[a]];
    }
}

/* Matches the addresses of nodes that both have, by node. */
static uint32_t match_addresses(laying *l, known *list, uint32_t *node) {
  uint32_t count = 0;
  for (uint32_t n = 0; n < l->fabric->nodes; n++) {
    bool end = ripstop_is_end(l->fabric, n);
    for (uint32_t k = 0; k < (end ? l->s->several : 1); k++) {
      uint32_t at = take_place(list, l->s->addresses, guid_of(l->fabric, n));
      if (end && k == 0) l->source[n] = at;
      if (at == RIPSTOP_NONE) break;
      node[count] = n;
      l->address[count++] = at;
    }
  }
  return count;
}

ripstop_forwarding *snapshot_lay(const snapshot *s, const ripstop_fabric *f) {
  RIPSTOP_LOCAL_ARENA(scratch);
  known *addresses = sort_guids(scratch, s->address, s->addresses);
  known *switches = sort_guids(scratch, s->switch_, s->switches);
  uint32_t *node = RIPSTOP_ARRAY(scratch, s->addresses, uint32_t);
  laying l = {.s = s, .fabric = f};
  l.address = RIPSTOP_ARRAY(scratch, s->addresses, uint32_t);
  l.source = RIPSTOP_ARRAY(scratch, f->ends, uint32_t);
  l.switch_ = RIPSTOP_ARRAY(scratch, ripstop_fabric_switches(f), uint32_t);
  for (uint32_t i = 0; i < ripstop_fabric_switches(f); i++)
    l.switch_[i] = take_place(switches, s->switches, guid_of(f, f->ends + i));
  l.addresses = match_addresses(&l, addresses, node);
  l.tables = ripstop_forwarding_new(f, node, l.addresses);
  l.tables->lanes = s->lanes;
  lay_ports(&l);
  if (s->level) lay_levels(&l);
  return l.tables;
}

/* ------------------------------------------------------------------ files */

enum { MOST = 128 }; /* addresses of an end node */
enum { VERSION = 2, HASH_BYTES = RIPSTOP_HASH - 1, FILE_LIMIT = 1 << 30 };
enum { NO_PLAN, SAME_PLAN, OTHER_PLAN }; /* SAME_PLAN: the tables are the plan */

static const char magic[8] = "ripstop";

typedef struct sizes {
  uint32_t addresses, switches, lanes, level; /* level: 0: none, 1: by address, 2: by pair */
  uint32_t more;                              /* addresses of an end node beside its first */
} sizes;

typedef struct head {
  char magic[sizeof magic];
  uint32_t version;
  sizes sizes;
  uint64_t generation, worst;
  uint32_t cables, plan;
  char writer[SNAPSHOT_WRITER];
} head;

static sizes sizes_of(const snapshot *s) {
  return (sizes){.addresses = s->addresses,
                 .switches = s->switches,
                 .lanes = s->lanes,
                 .level = s->level ? s->by_address ? 1 : 2 : 0,
                 .more = s->several - 1};
}

static size_t table_bytes(const sizes *z) {
  size_t levels = z->level == 1 ? z->addresses : z->level == 2 ? (size_t)z->addresses * z->addresses : 0;
  return 8 * ((size_t)z->addresses + z->switches) + (size_t)z->addresses * z->switches + levels;
}

/* True if a reader accepts these sizes. */
static bool is_in_bounds(const sizes *z) {
  return z->more < MOST && z->level <= 2 && z->lanes >= 1 && z->lanes <= RIPSTOP_LANES &&
         z->addresses <= RIPSTOP_IB_LID_LIMIT && z->switches <= RIPSTOP_IB_LID_LIMIT &&
         table_bytes(z) <= FILE_LIMIT / 2;
}

static void add_array(ripstop_text *out, const void *array, size_t bytes) {
  if (bytes > 0) ripstop_text_add_bytes(out, array, bytes);
}

static void add_tables(ripstop_text *out, const snapshot *s) {
  add_array(out, s->address, s->addresses * sizeof *s->address);
  add_array(out, s->switch_, s->switches * sizeof *s->switch_);
  add_array(out, s->port, (size_t)s->addresses * s->switches);
  if (s->level) add_array(out, s->level, level_bytes(s));
}

static void add_file(ripstop_text *out, const snapshot *s) {
  const snapshot *plan = s->plan;
  char hash[RIPSTOP_HASH];
  head h;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, magic, sizeof magic);
  memcpy(h.writer, s->writer, sizeof h.writer);
  h.version = VERSION;
  h.sizes = sizes_of(s);
  h.generation = s->generation;
  h.plan = !plan ? NO_PLAN : snapshot_same(s, plan) ? SAME_PLAN : OTHER_PLAN;
  if (plan) h.worst = plan->worst, h.cables = plan->cables;
  add_array(out, &h, sizeof h);
  add_tables(out, s);
  if (h.plan == OTHER_PLAN) {
    sizes z = sizes_of(plan);
    add_array(out, &z, sizeof z);
    add_tables(out, plan);
  }
  ripstop_hash(out->data, out->length, hash);
  ripstop_text_add_bytes(out, hash, HASH_BYTES);
}

int snapshot_write(const snapshot *s, const char *path, ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(text);
  ripstop_output file;
  sizes z = sizes_of(s), plan = sizes_of(s->plan ? s->plan : s);
  if (!is_in_bounds(&z) || !is_in_bounds(&plan))
    return ripstop_fail(err, "%s: the tables are too large for a file", path);
  add_file(&text, s);
  int status = ripstop_output_begin(&file, path, RIPSTOP_OUTPUT_UPDATE, err);
  if (!status) {
    fwrite(text.data, 1, text.length, file.stream);
    status = ripstop_output_end(&file, err);
  }
  return status;
}

static void take_bytes(const char **at, void *out, size_t bytes) {
  if (bytes > 0) memcpy(out, *at, bytes);
  *at += bytes;
}

static bool levels_fit(const snapshot *s) {
  for (size_t i = 0; s->level && i < level_bytes(s); i++)
    if (s->level[i] >= s->lanes) return false;
  return true;
}

/* NULL: sizes are out of bounds, or a service level has no VL of its own. */
static snapshot *take_tables(const char **at, const char *end, const sizes *z) {
  if (!is_in_bounds(z) || table_bytes(z) > (size_t)(end - *at)) return NULL;
  snapshot *s = snapshot_new(z->addresses, z->switches, z->lanes, z->more + 1);
  s->by_address = z->level == 1;
  if (z->level) s->level = RIPSTOP_ARRAY(s->arena, level_bytes(s), uint8_t);
  take_bytes(at, s->address, s->addresses * sizeof *s->address);
  take_bytes(at, s->switch_, s->switches * sizeof *s->switch_);
  take_bytes(at, s->port, (size_t)s->addresses * s->switches);
  if (s->level) take_bytes(at, s->level, level_bytes(s));
  if (levels_fit(s)) return s;
  snapshot_free(s);
  return NULL;
}

static snapshot *take_plan(const char **at, const char *end, const head *h) {
  sizes z = h->sizes;
  if (h->plan == OTHER_PLAN && (size_t)(end - *at) >= sizeof z) take_bytes(at, &z, sizeof z);
  snapshot *plan = take_tables(at, end, &z);
  if (plan) plan->worst = h->worst, plan->cables = h->cables;
  return plan;
}

/* NULL: the contents behind the head do not fit it. */
static snapshot *unpack(const char *data, const char *end, const head *h) {
  const char *tables = data + sizeof *h, *at = tables;
  snapshot *s = take_tables(&at, end, &h->sizes);
  if (!s) return NULL;
  const char *plan = h->plan == SAME_PLAN ? tables : at;
  s->generation = h->generation;
  memcpy(s->writer, h->writer, sizeof s->writer - 1);
  if (h->plan != NO_PLAN) s->plan = take_plan(&plan, end, h);
  if (h->plan == OTHER_PLAN) at = plan;
  if (at == end && !s->plan == (h->plan == NO_PLAN)) return s;
  snapshot_free(s);
  return NULL;
}

/* NULL: the file is incomplete, changed, or of another version. */
static snapshot *read_whole(const char *data, size_t length) {
  char hash[RIPSTOP_HASH];
  head h;
  if (length < sizeof h + HASH_BYTES) return NULL;
  memcpy(&h, data, sizeof h);
  if (memcmp(h.magic, magic, sizeof magic) != 0 || h.version != VERSION || h.plan > OTHER_PLAN) return NULL;
  ripstop_hash(data, length - HASH_BYTES, hash);
  bool whole = memcmp(hash, data + length - HASH_BYTES, HASH_BYTES) == 0;
  return whole ? unpack(data, data + length - HASH_BYTES, &h) : NULL;
}

uint64_t snapshot_generation(const char *path, char *writer) {
  head h;
  FILE *file = fopen(path, "rb");
  bool is =
      file && fread(&h, sizeof h, 1, file) == 1 && memcmp(h.magic, magic, sizeof magic) == 0 && h.version == VERSION;
  if (file) fclose(file);
  if (!is) return 0;
  memcpy(writer, h.writer, SNAPSHOT_WRITER);
  writer[SNAPSHOT_WRITER - 1] = '\0';
  return h.generation;
}

bool snapshot_is(const char *path) {
  char start[sizeof magic];
  struct stat about;
  bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode); /* data read from a pipe is consumed */
  FILE *file = regular ? fopen(path, "rb") : NULL;
  bool is = file && fread(start, sizeof start, 1, file) == 1 && memcmp(start, magic, sizeof magic) == 0;
  if (file) fclose(file);
  return is;
}

snapshot *snapshot_read(const char *path, bool *missing, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  char *data;
  size_t length;
  snapshot *s = NULL;
  FILE *file = fopen(path, "rb");
  *missing = !file && errno == ENOENT;
  if (file) fclose(file);
  if (*missing)
    ripstop_fail(err, "%s: no such file", path);
  else if (ripstop_read_file(scratch, path, FILE_LIMIT, &data, &length, err) == 0) {
    s = read_whole(data, length);
    if (!s) ripstop_fail(err, "%s: damaged, or of another version", path);
  }
  return s;
}
