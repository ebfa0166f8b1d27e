/* tree_writes.c - see tree_writes.h. */
#include "mend/tree_writes.h"

#include "base/bits.h"
#include "base/local.h"
#include "base/memory.h"
#include "mend/group_tree.h"
#include "tables/transient.h"

/* The tree fits its own tables. */
static bool counts(const common_tree *t) { return t->branches > 0 && (t->lanes & 1); }

/* The tree as a group on these service levels, which are VLs; NULL: it does not count. */
static const ripstop_groups *group_of(ripstop_arena *arena, const ripstop_view *view, const common_tree *t,
                                      uint16_t levels) {
  const ripstop_fabric *f = view->fabric;
  if (!counts(t)) return NULL;
  uint8_t *cable = RIPSTOP_ARRAY(arena, f->links + 1, uint8_t);
  ripstop_group *group = RIPSTOP_NEW(arena, ripstop_group);
  ripstop_groups *groups = RIPSTOP_NEW(arena, ripstop_groups);
  *group = (ripstop_group){.mlid = 1, .levels = levels};
  group->mask = RIPSTOP_ARRAY(arena, ripstop_bits_words(f->ports), uint64_t);
  group->own = RIPSTOP_ARRAY(arena, ripstop_fabric_switches(f), bool);
  common_tree_mark(t, view, cable);
  for (uint32_t link = f->link_ends; link < f->links; link++)
    for (unsigned side = 0; cable[link] && side < 2; side++)
      ripstop_bit_set(group->mask, f->link_port[2 * (size_t)link + side]);
  *groups = (ripstop_groups){.group = group, .groups = 1};
  return groups;
}

int tree_writes_judge(const ripstop_view *view, const common_tree *last, const common_tree *next,
                      const ripstop_forwarding *before, const ripstop_forwarding *after, bool *clear,
                      ripstop_update *out, ripstop_error *err) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const uint16_t levels = (counts(last) ? last->lanes : UINT16_MAX) & (counts(next) ? next->lanes : UINT16_MAX);
  ripstop_forwarding old = *before, new = *after;
  old.groups = group_of(scratch, view, last, levels);
  new.groups = group_of(scratch, view, next, levels);
  if (!old.groups && !new.groups) return ripstop_judge_update(view, before, after, out, err);
  transient_judge_masks(view, &old, &new, *clear, out);
  if (out->steps == RIPSTOP_NONE && !*clear) {
    transient_judge_masks(view, &old, &new, true, out);
    *clear = out->steps != RIPSTOP_NONE;
  }
  if (out->steps != RIPSTOP_NONE) return 0;
  if (ripstop_judge_update(view, before, after, out, err)) return -1;
  out->steps = RIPSTOP_NONE;
  return 0;
}

bool tree_writes_fit(const ripstop_view *view, const common_tree *last, const common_tree *next, depend *known) {
  RIPSTOP_LOCAL_ARENA(scratch);
  uint8_t *cable = RIPSTOP_ARRAY(scratch, view->fabric->links + 1, uint8_t);
  if (counts(last)) common_tree_mark(last, view, cable);
  if (counts(next) && !next->clashes) common_tree_mark(next, view, cable); /* otherwise it comes when masks are clear */
  return group_cables_fit(view, cable, known);
}

bool tree_writes_fit_two(const ripstop_view *view, const common_tree *last, const common_tree *next) {
  RIPSTOP_LOCAL_ARENA(scratch);
  const ripstop_fabric *f = view->fabric;
  uint8_t *old = RIPSTOP_ARRAY(scratch, f->links + 1, uint8_t), *new = RIPSTOP_ARRAY(scratch, f->links + 1, uint8_t);
  bool inside = counts(last);
  if (next->clashes || !counts(next)) return true;
  common_tree_mark(last, view, old);
  common_tree_mark(next, view, new);
  for (uint32_t link = f->link_ends; link < f->links; link++) inside &= old[link] || !new[link];
  return inside;
}
