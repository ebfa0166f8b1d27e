/* design_check.c - see design_check.h. */
#include "formats/infiniband/design_check.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/growing.h"
#include "base/piece.h"

const char *const ib_design_words[IB_DESIGN_WHATS] = {"missing", "wrong port", "wrong device", "unknown device"};

/* A name of a node, or of the director that it is a chip of. */
typedef struct device {
  const char *name;
  char board;            /* 'L', 'S' of a director; 0: a device of its own */
  uint32_t board_number; /* only in a director */
  uint32_t chip, node;
} device;

typedef struct checker {
  const ripstop_ib_dump *dump;
  ripstop_arena *arena;
  device *list; /* [devices], sorted by name */
  uint32_t devices;
  uint32_t *row_of;  /* [ports of the dump]: a row of which it is an end; RIPSTOP_NONE */
  uint32_t *partner; /* [ports of the dump]: the port at which that row's cable should end */
  ib_design_result *out;
} checker;

/* ------------------------------------------------------------------ devices by name */

static int by_name(const void *a_, const void *b_) {
  const device *a = a_, *b = b_;
  const int order = strcasecmp(a->name, b->name);
  return order ? order : (a->node > b->node) - (a->node < b->node);
}

/* "/L16/U2" */
static void find_chip(const char *text, device *d) {
  for (const char *slash = strchr(text, '/'); slash && !d->board; slash = strchr(slash + 1, '/')) {
    piece p = piece_of(slash + 1);
    const char board = slash[1];
    if (board != 'L' && board != 'S') continue;
    p.at++;
    if (piece_count(&p, UINT32_MAX - 1, &d->board_number) && piece_take(&p, "/U") &&
        piece_count(&p, UINT32_MAX - 1, &d->chip))
      d->board = board;
  }
}

/* "MF0;dir1:MCS8500/L16/U2" is the device dir1. */
static device switch_device(ripstop_arena *arena, const char *text, uint32_t node) {
  device d = {.node = node};
  if (strncmp(text, "MF0;", 4) == 0) text += 4;
  const char *colon = strchr(text, ':');
  if (colon) find_chip(colon, &d);
  d.name = ripstop_arena_printf(arena, "%.*s", (int)(colon ? colon - text : (long)strlen(text)), text);
  return d;
}

static void add_device(checker *c, const device *d) { c->list[c->devices++] = *d; }

/* A node is a device by its id, by its whole description, and a switch also by the name in it. */
static void list_devices(checker *c) {
  const ripstop_ib_dump *dump = c->dump;
  c->list = RIPSTOP_ARRAY(c->arena, 3 * (size_t)dump->nodes + 1, device);
  for (uint32_t i = 0; i < dump->nodes; i++) {
    const ripstop_ib_node *node = &dump->node[i];
    const device id = {.name = node->id, .node = i}, whole = {.name = node->text, .node = i};
    const device part = switch_device(c->arena, node->text, i);
    const bool has_part = node->kind == RIPSTOP_IB_SWITCH && strcmp(part.name, node->text) != 0;
    if (has_part) add_device(c, &part);
    if (node->text[0] != '\0') add_device(c, &whole);
    if (strcasecmp(node->id, node->text) != 0 && !(has_part && strcasecmp(node->id, part.name) == 0))
      add_device(c, &id);
  }
  qsort(c->list, c->devices, sizeof *c->list, by_name);
}

/* The first device of a name; *count: how many have it. */
static const device *find_devices(const checker *c, const char *name, uint32_t *count) {
  uint32_t low = 0, high = c->devices;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (strcasecmp(c->list[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *count = 0;
  while (low + *count < c->devices && strcasecmp(c->list[low + *count].name, name) == 0) ++*count;
  return &c->list[low];
}

/* ------------------------------------------------------------------ words for ports */

static bool take_case(piece *p, const char *word) {
  piece_skip_blanks(p);
  if (piece_length(*p) < strlen(word) || strncasecmp(p->at, word, strlen(word)) != 0) return false;
  p->at += strlen(word);
  piece_skip_blanks(p);
  return true;
}

/* "Port 21", "P21", "21" */
static bool is_port(const char *text, uint32_t *number) {
  piece p = piece_of(text);
  (void)(take_case(&p, "port") || take_case(&p, "P"));
  return piece_is_count(piece_trimmed(p), RIPSTOP_IB_PORT_LIMIT, number);
}

/* "Blade 16_Port 2/20": leaf board 16, chip 2, port 20. */
static bool is_blade(const char *text, device *chip, uint32_t *number) {
  piece p = piece_of(text);
  *chip = (device){.board = 'L'};
  return take_case(&p, "blade") && piece_count(&p, UINT32_MAX - 1, &chip->board_number) && piece_take_char(&p, '_') &&
         take_case(&p, "port") && piece_count(&p, UINT32_MAX - 1, &chip->chip) && piece_take_char(&p, '/') &&
         piece_is_count(piece_trimmed(p), RIPSTOP_IB_PORT_LIMIT, number);
}

/* ------------------------------------------------------------------ an end of a row */

/* The only adapter of a name, at its port 1, or at the only one that the dump lists. */
static bool find_adapter(const checker *c, const char *name, ib_place *out) {
  uint32_t count;
  const device *d = find_devices(c, name, &count);
  if (count != 1 || c->dump->node[d->node].kind == RIPSTOP_IB_SWITCH) return false;
  const ripstop_ib_node *node = &c->dump->node[d->node];
  *out = (ib_place){d->node, node->ports == 1 ? c->dump->port[node->first].number : 1};
  return true;
}

/* The only device of a name that is this chip, or that is no director. NULL: *why. */
static const device *find_device(const checker *c, const char *name, const device *chip, const char **why) {
  uint32_t count, found = 0;
  const device *first = find_devices(c, name, &count), *best = NULL;
  for (uint32_t i = 0; i < count; i++) {
    const device *d = &first[i];
    const bool fits = chip ? d->board == chip->board && d->board_number == chip->board_number && d->chip == chip->chip
                           : d->board == 0;
    if (fits && found++ == 0) best = d;
  }
  if (found == 1) return best;
  *why = count == 0  ? ripstop_arena_printf(c->arena, "'%s' is not in the dump", name)
         : found > 1 ? ripstop_arena_printf(c->arena, "%u devices are called '%s'", found, name)
         : chip ? ripstop_arena_printf(c->arena, "'%s' has no leaf board %u with a chip %u", name, chip->board_number,
                                       chip->chip)
                : ripstop_arena_printf(c->arena, "'%s' is a director: its ports need a blade", name);
  return NULL;
}

/* False: *why. */
static bool find_place(const checker *c, const ib_design_row *row, unsigned side, ib_place *out, const char **why) {
  const char *name = row->device[side], *word = row->port[side];
  device chip;
  uint32_t number;
  if (find_adapter(c, word, out) || find_adapter(c, ripstop_arena_printf(c->arena, "%s %s", name, word), out))
    return true;
  const bool blade = is_blade(word, &chip, &number);
  if (!blade && !is_port(word, &number)) {
    *why = ripstop_arena_printf(c->arena, "'%s' is neither a port nor an adapter of the dump", word);
    return false;
  }
  const device *d = find_device(c, name, blade ? &chip : NULL, why);
  if (d) *out = (ib_place){d->node, number};
  return d != NULL;
}

/* ------------------------------------------------------------------ rows */

static uint32_t port_at(const checker *c, ib_place place) {
  return ripstop_ib_port_of(c->dump, place.node, place.number);
}

/* The port that a cable joins to a port; RIPSTOP_NONE: the port is free. */
static uint32_t mate_of(const checker *c, uint32_t port) {
  return port == RIPSTOP_NONE ? RIPSTOP_NONE : c->dump->port[port].mate;
}

static ib_place place_of(const checker *c, uint32_t port) {
  return (ib_place){c->dump->port[port].node, c->dump->port[port].number};
}

static void add_fault(checker *c, const ib_design_fault *fault) {
  ib_design_result *out = c->out;
  RIPSTOP_GROW_IN(c->arena, out->list, out->count, out->room);
  out->list[out->count++] = *fault;
}

/* A row whose ports no cable joins. */
static void add_difference(checker *c, uint32_t row, const ib_place end[2]) {
  const uint32_t port[2] = {port_at(c, end[0]), port_at(c, end[1])};
  const uint32_t mate[2] = {mate_of(c, port[0]), mate_of(c, port[1])};
  ib_design_fault fault = {.row = row, .design = {end[0], end[1]}, .swapped = RIPSTOP_NONE};
  unsigned kept = mate[0] != RIPSTOP_NONE ? 0 : 1; /* the end whose cable is shown */
  bool right = false;
  for (unsigned side = 2; side-- > 0;)
    if (mate[side] != RIPSTOP_NONE && c->dump->port[mate[side]].node == end[!side].node) {
      kept = side;
      right = true;
    }
  if (mate[kept] != RIPSTOP_NONE) {
    fault.what = right ? IB_DESIGN_WRONG_PORT : IB_DESIGN_WRONG_DEVICE;
    fault.found[kept] = end[kept];
    fault.found[!kept] = place_of(c, mate[kept]);
  }
  add_fault(c, &fault);
}

static void note_ends(checker *c, uint32_t row, const ib_place end[2]) {
  for (unsigned side = 0; side < 2; side++) {
    const uint32_t port = port_at(c, end[side]);
    if (port == RIPSTOP_NONE) continue;
    c->row_of[port] = row;
    c->partner[port] = port_at(c, end[!side]);
  }
}

/* The ends of a row, in one order for both directions. */
typedef struct row_ends {
  ib_place end[2];
  uint32_t row;
  bool turned; /* start and end are exchanged */
} row_ends;

static int by_place(ib_place a, ib_place b) {
  if (a.node != b.node) return a.node < b.node ? -1 : 1;
  return (a.number > b.number) - (a.number < b.number);
}

static int by_ends(const void *a_, const void *b_) {
  const row_ends *a = a_, *b = b_;
  int order = by_place(a->end[0], b->end[0]);
  if (order == 0) order = by_place(a->end[1], b->end[1]);
  return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int by_row(const void *a, const void *b) {
  const uint32_t x = ((const row_ends *)a)->row, y = ((const row_ends *)b)->row;
  return (x > y) - (x < y);
}

/* The rows with known devices, each cable once, in the order of the design; reports the other rows. */
static row_ends *find_ends(checker *c, const ib_design *design, uint32_t *count) {
  row_ends *list = RIPSTOP_ARRAY(c->arena, (size_t)design->count + 1, row_ends);
  uint32_t found = 0, kept = 0;
  for (uint32_t i = 0; i < design->count; i++) {
    ib_design_fault unknown = {.what = IB_DESIGN_UNKNOWN_DEVICE, .row = i, .swapped = RIPSTOP_NONE};
    ib_place start, end;
    if (!find_place(c, &design->list[i], 0, &start, &unknown.why) ||
        !find_place(c, &design->list[i], 1, &end, &unknown.why)) {
      add_fault(c, &unknown);
      continue;
    }
    const bool turned = by_place(end, start) < 0;
    list[found++] = (row_ends){{turned ? end : start, turned ? start : end}, i, turned};
  }
  qsort(list, found, sizeof *list, by_ends);
  for (uint32_t i = 0; i < found; i++) {
    const row_ends *last = kept ? &list[kept - 1] : NULL;
    const bool again =
        last && by_place(last->end[0], list[i].end[0]) == 0 && by_place(last->end[1], list[i].end[1]) == 0;
    if (!again) list[kept++] = list[i];
  }
  qsort(list, kept, sizeof *list, by_row);
  *count = kept;
  return list;
}

static int by_row_of_fault(const void *a, const void *b) {
  const uint32_t x = ((const ib_design_fault *)a)->row, y = ((const ib_design_fault *)b)->row;
  return (x > y) - (x < y);
}

static void check_rows(checker *c, const ib_design *design) {
  const row_ends *list = find_ends(c, design, &c->out->cables);
  for (uint32_t i = 0; i < c->out->cables; i++) {
    const row_ends *row = &list[i];
    const ib_place end[2] = {row->end[row->turned], row->end[!row->turned]};
    const uint32_t port = port_at(c, end[0]), far = port_at(c, end[1]);
    note_ends(c, row->row, end);
    if (port != RIPSTOP_NONE && far != RIPSTOP_NONE && mate_of(c, port) == far)
      c->out->as_designed++;
    else
      add_difference(c, row->row, end);
  }
  if (c->out->count) qsort(c->out->list, c->out->count, sizeof *c->out->list, by_row_of_fault);
}

/* Two cables whose ends are exchanged: the design joins the two ports to which the cables of a row go. */
static void find_swaps(checker *c) {
  ib_design_result *out = c->out;
  uint32_t *fault_of = RIPSTOP_ARRAY(c->arena, (size_t)c->dump->ports + 1, uint32_t);
  for (uint32_t p = 0; p < c->dump->ports; p++) fault_of[p] = RIPSTOP_NONE;
  for (uint32_t i = 0; i < out->count; i++)
    for (unsigned side = 0; side < 2 && out->list[i].what != IB_DESIGN_UNKNOWN_DEVICE; side++) {
      const uint32_t port = port_at(c, out->list[i].design[side]);
      if (port != RIPSTOP_NONE) fault_of[port] = i;
    }
  for (uint32_t i = 0; i < out->count; i++) {
    ib_design_fault *f = &out->list[i];
    if (f->what == IB_DESIGN_UNKNOWN_DEVICE) continue;
    const uint32_t x = mate_of(c, port_at(c, f->design[0])), y = mate_of(c, port_at(c, f->design[1]));
    if (x == RIPSTOP_NONE || y == RIPSTOP_NONE || c->partner[x] != y || c->partner[y] != x) continue;
    if (fault_of[x] != RIPSTOP_NONE && fault_of[x] != i && fault_of[x] == fault_of[y]) f->swapped = fault_of[x];
  }
}

static void find_extras(checker *c) {
  ib_design_result *out = c->out;
  for (uint32_t p = 0; p < c->dump->ports; p++) {
    const uint32_t mate = c->dump->port[p].mate;
    if (mate == RIPSTOP_NONE || !ripstop_ib_is_first(c->dump, p, mate)) continue;
    if (c->row_of[p] != RIPSTOP_NONE || c->row_of[mate] != RIPSTOP_NONE) continue;
    RIPSTOP_GROW_IN(c->arena, out->extra, out->extras, out->extras_room);
    out->extra[out->extras++] = p;
  }
}

void ib_design_check(ib_design_result *out, ripstop_arena *arena, const ripstop_ib_dump *dump,
                     const ib_design *design) {
  checker c = {.dump = dump, .arena = arena, .out = out};
  *out = (ib_design_result){0};
  c.row_of = RIPSTOP_ARRAY(arena, (size_t)dump->ports + 1, uint32_t);
  c.partner = RIPSTOP_ARRAY(arena, (size_t)dump->ports + 1, uint32_t);
  for (uint32_t p = 0; p < dump->ports; p++) c.row_of[p] = c.partner[p] = RIPSTOP_NONE;
  list_devices(&c);
  check_rows(&c, design);
  find_swaps(&c);
  find_extras(&c);
}

void ib_design_of(ib_design *design, ripstop_arena *arena, const ripstop_ib_dump *dump) {
  *design = (ib_design){.arena = arena};
  for (uint32_t p = 0; p < dump->ports; p++) {
    const uint32_t end[2] = {p, dump->port[p].mate};
    if (end[1] == RIPSTOP_NONE || !ripstop_ib_is_first(dump, p, end[1])) continue;
    char name[RIPSTOP_NAME_MAX];
    ripstop_ib_cable_name(dump, p, name);
    ib_design_row row = {.text = ripstop_arena_text(arena, name), .line = dump->port[p].line};
    for (unsigned side = 0; side < 2; side++) {
      const ripstop_ib_node *node = &dump->node[dump->port[end[side]].node];
      row.device[side] = node->text[0] == '\0' || node->shares_text ? node->id : node->text;
      row.port[side] = ripstop_arena_printf(arena, "%u", dump->port[end[side]].number);
    }
    ib_design_add(design, &row);
  }
}

void ib_place_name(const ripstop_ib_dump *dump, ib_place place, char *out) {
  snprintf(out, RIPSTOP_IB_END_NAME_MAX, "%s[%u]", dump->node[place.node].id, place.number);
}
