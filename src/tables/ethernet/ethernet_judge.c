/* ethernet_judge.c - reads the files of an Ethernet fabric and judges them. */
#include "tables/ethernet/ethernet_judge.h"

#include "base/memory.h"
#include "tables/ethernet/ethernet_files.h"

static void note_names(ripstop_text *notes, const fib_names *names, const char *what) {
  enum { SHOWN = 8 };
  if (!names->count) return;
  ripstop_text_add(notes, "%s: ", what);
  for (uint32_t i = 0; i < names->count && i < SHOWN; i++)
    ripstop_text_add(notes, "%s%s", i ? ", " : "", names->name[i]);
  if (names->count > SHOWN) ripstop_text_add(notes, " and %u more", names->count - SHOWN);
  ripstop_text_add(notes, "\n");
}

static void note_all(ethernet_case *e) {
  const fib *f = &e->f;
  note_names(&e->notes, &f->no_table, "next hops lead to switches without a table, and packets are lost there");
  note_names(&e->notes, &f->out_of_band, "out of band, since nothing is connected at its ports, and left out");
  note_names(&e->notes, &f->no_prefix, "hosts without a prefix, which are in no pair");
  note_names(&e->notes, &f->unknown_interfaces, "next hops by interfaces that are in no cable");
  note_names(&e->notes, &f->nobody, "next hops with an address that the other end of the cable does not have");
  note_names(&e->notes, &f->no_before, "switches without older routes, whose entries have not changed");
  for (uint32_t i = 0; i < f->no_now.count; i++) ethernet_note_no_routes(&e->notes, f->no_now.name[i]);
  note_names(&e->notes, &f->several, "prefixes that are connected at several switches, any of which counts");
  if (!f->planned_hosts)
    ripstop_text_add(&e->notes, "the cables name no hosts: %u connected prefixes stand for them\n", f->hosts);
}

static void find_cycles(ethernet_case *e) {
  fib_waits_open(&e->waits, &e->f, 1, e->arena);
  fib_waits_fill(&e->waits, &e->f.now);
  fib_waits_cycles(&e->waits, e->arena, &e->cycles);
}

int ethernet_judge(ethernet_case *e, const ethernet_request *what, ripstop_error *err) {
  fib_source *now = NULL, *before = NULL;
  uint32_t count = 0, before_count = 0;
  *e = (ethernet_case){.arena = ripstop_arena_new()};
  cabling_open(&e->c, e->arena);
  ripstop_text_begin(&e->notes);
  if (ethernet_cabling_read(&e->c, what->cables, &e->notes, err)) return -1;
  if (ethernet_routes_read(&e->c, what->tables, what->table_count, &now, &count, &e->notes, err)) return -1;
  if (what->before_count &&
      ethernet_routes_read(&e->c, what->before, what->before_count, &before, &before_count, &e->notes, err))
    return -1;
  sonic_classes classes;
  sonic_classes_open(&classes, e->arena, &e->notes);
  if (what->classes && ethernet_classes_read(&classes, &e->c, what->classes, now, count, err)) return -1;
  if (fib_open(&e->f, e->arena, &e->c, now, count, before, before_count, err))
    return ripstop_fail_at(err, "%s", what->cables);
  note_all(e);
  e->census = fib_count(&e->f);
  fib_judge(&e->f, &e->now);
  find_cycles(e);
  e->mixed = what->before_count > 0;
  if (e->mixed) fib_judge_transient(&e->f, &e->transient);
  e->with_classes = what->classes != NULL;
  if (e->with_classes) fib_classes_judge(&e->f, &classes, &e->classes);
  if (e->with_classes) note_names(&e->notes, &e->classes.without, "switches without class maps, which pause nothing");
  return 0;
}

void ethernet_case_close(ethernet_case *e) {
  cabling_close(&e->c);
  ripstop_text_free(&e->notes);
  ripstop_arena_free(e->arena);
}
