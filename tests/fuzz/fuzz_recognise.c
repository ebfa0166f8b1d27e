/* fuzz_recognise.c - regular fabrics with mistakes in their lists of cables: bytes choose family, size and mistakes.
 *
 * Whatever is made of such a list, the shares lie between 0 and 1 and every oddity has a sentence and a place. One
 * cable that is doubled, missing, foreign or at a wrong switch is named exactly, or the report says that other
 * explanations are possible, or the fabric is regular as it is, or nothing is recognised.
 *
 * Seven of eight inputs have one mistake: the search for it takes a tenth of a millisecond in small fabrics, and that
 * for several takes a hundred models. A hash of the input decides which: several mistakes reach more of the program, so
 * a byte would let the fuzzer keep little else. Grids have few switches for the same reason; the unit tests have large
 * ones. */
#include <string.h>

#include "damage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

static const char *const families[] = {"torus:4x4",
                                       "torus:5x5",
                                       "torus:4x5,p=2",
                                       "torus:3x3x3",
                                       "torus:2x2x2x2",
                                       "torus:2x3",
                                       "torus:7",
                                       "mesh:4x4",
                                       "mesh:3x7",
                                       "mesh:3x3x3",
                                       "mesh:6x6",
                                       "hyperx:4x4",
                                       "hyperx:4x5,p=2",
                                       "hyperx:3x3",
                                       "hyperx:4x4,k=2",
                                       "hyperx:2x2x2",
                                       "hyperx:6",
                                       "kns:k=3,n=2",
                                       "kns:k=4,n=2,s=2",
                                       "kary-ntree:k=2,n=3",
                                       "kary-ntree:k=3,n=3",
                                       "kary-ntree:k=4,n=2",
                                       "mport-ntree:m=4,n=3",
                                       "mport-ntree:m=4,n=2",
                                       "xgft:m=4.4,w=1.2",
                                       "xgft:m=2.3.2,w=1.2.2",
                                       "dragonfly:a=4,p=2,h=1",
                                       "dragonfly:a=3,p=1,h=2,arrangement=absolute",
                                       "dragonfly+:leaves=2,spines=2,h=2,p=2",
                                       "slimfly:q=3,p=2",
                                       "slimfly:q=5,p=2",
                                       "polarfly:q=3,p=2",
                                       "rail:units=2,servers=2,rails=2,spines=2",
                                       "jellyfish:n=12,r=3,p=1"};
enum { FAMILIES = sizeof families / sizeof *families };

static ripstop_fabric *open_whole(const char *spec) {
  ripstop_error err = {0};
  ripstop_fabric *f = ripstop_fabric_open(spec, &err);
  demand(f != NULL);
  return f;
}

/* A fabric of a fixed spec is opened once: the slots are the families', then the large grids'. */
static ripstop_fabric *whole_of(unsigned slot, const char *spec) {
  static ripstop_fabric *opened[FAMILIES + DAMAGE_LARGE];
  if (!opened[slot]) opened[slot] = open_whole(spec);
  return opened[slot];
}

typedef struct chosen {
  ripstop_fabric *whole;
  bool judged; /* one mistake in it is looked for in the report */
  bool own;    /* closed after the input */
} chosen;

/* The first byte chooses: most values a family, few a large grid or a grid of the size that the next bytes have. */
static chosen choose(const uint8_t *data) {
  enum { GRIDS = 208, LARGE = 240 };
  const unsigned i = data[0] % FAMILIES, large = data[0] % DAMAGE_LARGE;
  char spec[64];
  if (data[0] < GRIDS) return (chosen){whole_of(i, families[i]), i + 1 < FAMILIES, false}; /* not the random graph */
  if (data[0] >= LARGE) return (chosen){whole_of(FAMILIES + large, damage_large[large]), true, false};
  damage_grid((uint32_t[4]){data[0], data[2], data[3], data[4]}, spec, sizeof spec);
  return (chosen){open_whole(spec), true, true};
}

static void check_report(const ripstop_recognised *r) {
  demand(r->family != NULL && r->shape != NULL && r->sure >= 0 && r->sure <= 1 && r->complete >= 0 && r->complete <= 1);
  for (uint32_t i = 0; i < r->odd.count; i++)
    demand(r->odd.list[i].places > 0 && r->odd.list[i].text[0] != '\0' && r->odd.list[i].where[0][0] != '\0');
}

/* One mistake: named, one of several, none at all, or the fabric is not recognised. */
static void check_one(const damaged *d, const ripstop_recognised *r) {
  const damage_report report = damage_reported(r);
  const bool named = damage_equal(&report.missing, &d->gone) && damage_equal(&report.extra, &d->added);
  const bool regular = report.missing.count + report.extra.count == 0;
  demand(named || regular || r->explanations > 1 || !strcmp(r->family, "irregular"));
}

static void look(const damaged *d, bool ports, bool one) {
  ripstop_error err = {0};
  ripstop_fabric *f = damage_read(d, ports, &err);
  if (!f) return; /* no cable is left */
  ripstop_arena *arena = ripstop_arena_new();
  ripstop_recognised r;
  ripstop_recognise(f, arena, &r);
  check_report(&r);
  if (one) check_one(d, &r);
  ripstop_arena_free(arena);
  ripstop_fabric_free(f);
}

/* True if the fuzzer has time for a fabric of this size: its cost grows with the sum of the squares of ports. */
static bool is_quick(const ripstop_fabric *f) {
  enum { WORK_MAX = 3000 };
  uint64_t work = 0;
  for (uint32_t v = f->ends; v < f->nodes; v++) {
    const uint64_t ports = ripstop_node_ports(f, v);
    work += ports * ports;
  }
  return work <= WORK_MAX;
}

/* FNV-1a (Fowler, Noll and Vo), and one step more so that the last byte reaches all bits. */
static uint32_t hash_of(const uint8_t *data, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 16777619u;
  return (hash ^ hash >> 15) * 0x85ebca6bu >> 16;
}

/* One, in seven of eight inputs and in grids of a size that the bytes choose. */
static unsigned most_mistakes(const chosen *c, const uint8_t *data, size_t size) {
  enum { MISTAKES = 12 };
  return hash_of(data, size) % 8 == 0 && !c->own ? MISTAKES : 1;
}

/* Bytes: the fabric, whether the list has ports, then five for each mistake. The first five are a grid's size as well.
 * Up to four bytes more change only the hash. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { HEAD = 2, BYTES = 5 };
  if (size < HEAD + BYTES) return 0;
  const chosen c = choose(data);
  damaged d = damage_open(c.whole);
  const unsigned most = most_mistakes(&c, data, size);
  unsigned made = 0, kind = 0;
  for (size_t at = HEAD; at + BYTES <= size && made < most; at += BYTES) {
    const uint32_t one = (uint32_t)data[at + 1] << 8 | data[at + 2], two = (uint32_t)data[at + 3] << 8 | data[at + 4];
    if (!damage_make(&d, (damage_kind)(data[at] % DAMAGE_KINDS), one, two)) continue;
    kind = data[at] % DAMAGE_KINDS;
    made++;
  }
  if (is_quick(c.whole)) look(&d, data[1] & 1, made == 1 && kind != SWAPPED && c.judged);
  damage_close(&d);
  if (c.own) ripstop_fabric_free(c.whole);
  return 0;
}
