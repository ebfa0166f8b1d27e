/* scale.h - quantities with units, such as 400Gb/s, 500ns and 32KiB, as the flits and cycles that simulations count.
 *
 * A cycle is the time of a flit on the fastest link: flit / rate. So a scale, the rate and the flit, converts times to
 * cycles and sizes to flits. A number without a unit stays as it is. docs/experiment-keys.md, "Units", has the rules.
 *
 *   sizes  b, Kb, Mb, Gb (bits, powers of 1000); B, KB, MB, GB (bytes, powers of 1000); KiB, MiB, GiB (powers of 1024)
 *   rates  each of these with /s
 *   times  ns, us, ms, s */
#ifndef RIPSTOP_SCALE_H
#define RIPSTOP_SCALE_H

#include "ripstop/error.h"

RIPSTOP_BEGIN

typedef struct ripstop_scale {
  double rate; /* bits a second; 0: unknown, so times cannot be converted */
  double flit; /* bytes; 0: unknown, so sizes cannot be converted to flits */
} ripstop_scale;

/* The meaning of a number, and how a quantity is rounded to it. */
typedef enum ripstop_measure {
  RIPSTOP_MEASURE_NONE,
  RIPSTOP_MEASURE_CYCLES, /* time, rounded up */
  RIPSTOP_MEASURE_TIME,   /* cycles, not rounded */
  RIPSTOP_MEASURE_FLITS,  /* size of a packet, rounded up to flits */
  RIPSTOP_MEASURE_SPACE,  /* size of a buffer, rounded down to flits */
  RIPSTOP_MEASURE_BYTES,  /* size, rounded up to bytes */
  RIPSTOP_MEASURE_LOAD    /* rate in flits a cycle, not rounded */
} ripstop_measure;

/* The rate of a text such as 400Gb/s in bits a second. -1: it is no rate, or has no unit. */
int ripstop_scale_rate(const char *text, double *out, ripstop_error *err);
/* The size of a text such as 64B in bytes, more than 0; a number without a unit counts bytes. -1: it is no such size.
 */
int ripstop_scale_size(const char *text, double *out, ripstop_error *err);
/* True if the text is a number with letters behind it, so that the next function is meant. */
bool ripstop_scale_has_unit(const char *text);
/* A quantity as a number of what `measure` counts. `exact` (may be NULL) gets the number before it is rounded. -1: an
 * unknown unit (the error names the nearest one), a unit of something else, or a scale that lacks what it takes. */
int ripstop_scale_read(const ripstop_scale *scale, ripstop_measure measure, const char *text, double *out,
                       double *exact, ripstop_error *err);
/* Seconds of a cycle; 0: the rate or the flit is unknown. */
double ripstop_scale_cycle(const ripstop_scale *scale);

/* Writes a time with four digits and the unit that fits it, such as "1.343 ms"; the bytes that this takes. */
int ripstop_scale_time(double seconds, char *text, size_t size);

RIPSTOP_END

#endif
