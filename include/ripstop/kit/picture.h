/* picture.h - pictures of single things; those of an experiment's figures are in report.h. */
#ifndef RIPSTOP_KIT_PICTURE_H
#define RIPSTOP_KIT_PICTURE_H

#include "ripstop/protocol.h"

RIPSTOP_BEGIN

/* A self-contained SVG: the switches, trees by level with the top above, others in a ring; an arrow for every link and
 * direction that carried a message, coloured by the cycle in which the first arrived; the links that were dead; the
 * switches whose ways changed. */
void ripstop_wave_svg(const ripstop_wave *wave, ripstop_text *out);

RIPSTOP_END

#endif
