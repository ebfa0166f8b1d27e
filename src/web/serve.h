/* serve.h - hands one page to browsers on this machine, and nothing else.
 *
 * It listens on 127.0.0.1 alone. What asks under another name (a page elsewhere whose name has been made to lead here)
 * or comes from another origin is refused. No path is a file: there are the page and answers that say no. A connection
 * has one request of a few kilobytes and some seconds; there are a few at a time, and the oldest that still has not
 * said what it wants makes room for a new one. Memory is taken by nobody. */
#ifndef WEB_SERVE_H
#define WEB_SERVE_H

#include "ripstop/base.h"

typedef struct ripstop_web_page {
  const char *bytes; /* HTML */
  size_t length;
} ripstop_web_page;

/* A listening socket; `port` 0: any that is free, and then which. -1 with an error. */
int ripstop_web_listen(uint16_t *port, ripstop_error *err);
/* Serves until *stop is not 0; closes the socket. */
int ripstop_web_serve(int listener, uint16_t port, const ripstop_web_page *page, const atomic_int *stop,
                      ripstop_error *err);

/* What comes of a request, all of whose head is there: its status; `*body`: what is sent has a body, and
 * not its head alone. */
int ripstop_web_answer(const char *head, size_t length, uint16_t port, bool *body);
/* Why it is refused, for people: a line; "" when it is not. */
const char *ripstop_web_why(int status);

#endif
