/* page.h - what pages are put together from, those of experiments and the index of a book. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "ripstop/plugin/base.h"

void page_put(ripstop_text *out, const char *text);
/* Escapes `text`, but not `open` and `close`. */
void page_element(ripstop_text *out, const char *open, const char *text, const char *close);
/* A path as a link says it. */
void page_put_link(ripstop_text *out, const char *path);
/* All up to the words below the title; `home`: the page that this one belongs to, or NULL. */
void page_open(ripstop_text *out, const char *title, const char *home);
/* A table that may be wider than the page; `name`: what it shows. Its head follows. */
void page_open_table(ripstop_text *out, const char *name);
void page_close_table(ripstop_text *out);

#endif
