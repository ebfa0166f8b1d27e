/* escape.h - text inside of HTML and SVG. */
#ifndef DRAW_ESCAPE_H
#define DRAW_ESCAPE_H

#include "ripstop/plugin/base.h"

/* Whatever it is: markup becomes entities, control characters but line ends and tabs question marks. */
void draw_escape(ripstop_text *out, const char *text);

#endif
