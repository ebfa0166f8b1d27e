/* odometer.h - the product of an experiment's lists: its places, which of them are wanted, and what a run's place says.
 *
 * A place is a number: the digits of an odometer, one for each axis that does not depend on the fabric, of which the
 * last turns fastest. A million runs need no more of their settings than that. */
#ifndef EXPERIMENT_ODOMETER_H
#define EXPERIMENT_ODOMETER_H

#include "experiment/axes.h"
#include "experiment/cases.h"
#include "experiment/reader.h"

typedef struct digit {
  const ripstop_axis *axis;
  uint64_t stride; /* places from one of its settings to the next */
  bool is_number;  /* a seed or a load, within its range: one stands for all when runs are tried */
  bool is_size;    /* in_queue or out_queue: preset_counts */
} digit;

typedef struct product_key {
  const char *name;
  const char *head; /* "NAME=" */
  size_t head_bytes;
  const char *silent; /* ripstop_axis.silent, or NULL */
  bool of_slow_links; /* its name is never silent in runs with slow links; without slow links the value means nothing */
  bool of_xoff;       /* a default in flits is the word of its rule in names of runs */
  bool unnamed;       /* names of runs leave it out */
  const axis_own *own; /* a word may mean the method's own value; NULL: none does */
  enum { OF_DIGIT, OF_FABRIC, OF_KIND, OF_MODEL, OF_CASE } of;
  const digit *digit;    /* whose setting is the value */
  cases_key key_of_case; /* which of a case's is the value */
} product_key;

typedef struct ripstop_product {
  const ripstop_spec *spec;
  digit *digit;
  size_t digits, method, seed; /* `method` and `seed` are the numbers of theirs */
  uint64_t places, count;      /* count: of them wanted */
  uint64_t *wanted;            /* a bit for each place; NULL: all are */
  size_t keys, before_source;  /* every run's; how many of them sort before the word "source" */
  product_key *key;            /* [keys], sorted by name */
  ripstop_settings first;      /* place 0 has them, but for what presets of the switch say */
  const digit *asked, *unit;   /* digits of switch.preset and switch.unit; NULL: runs without a switch */
  const digit *model;          /* digit of flow.model; NULL: runs with packets */
  uint8_t *preset;             /* [methods * values of switch.preset]: the number of the preset in use */
} product;

/* Which places are wanted is found in time proportional to what the parts of `only:` leave, summed. Memory from the
 * arena, in which it must stay where it is. */
int product_open(product *p, const reader *r, ripstop_arena *arena);
const ripstop_setting *digit_setting(const digit *d, uint64_t place);
/* The first wanted place from this one on; p->places: there is none. */
uint64_t product_next(const product *p, uint64_t place);
/* The place of the run that is tried for this one. */
uint64_t product_tried(const product *p, uint64_t place);
/* The settings of the place; strings from the arena or the product. */
void product_settings(const product *p, uint64_t place, ripstop_arena *arena, ripstop_settings *out);

#endif
