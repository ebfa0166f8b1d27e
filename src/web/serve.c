/* serve.c - the loop of connections. One thread; nothing waits but poll.
 *
 * Invariant: a connection without a descriptor (-1) is free. READING: `used` bytes of a head that is not complete.
 * WRITING: `sent` bytes of `head`, then of the page, have gone. ENDING: all has gone, and what still comes is thrown
 * away, since closing before the browser has read would cut it off. */
#include "web/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/locale.h"

enum { CONNECTIONS = 16, HEAD_BYTES = 16384, TICK = 250 /* milliseconds */ };
enum { ASK_SECONDS = 3, SEND_SECONDS = 30, END_SECONDS = 1 };

typedef enum phase { READING, WRITING, ENDING } phase;

typedef struct connection {
  int descriptor;
  phase phase;
  double until;             /* seconds on the clock, after which it is closed */
  size_t used, sent, total; /* bytes: of the request; of the answer */
  char head[HEAD_BYTES];    /* of the request, then of the answer */
  size_t head_length;
} connection;

typedef struct server {
  uint16_t port;
  const ripstop_web_page *page;
  connection connection[CONNECTIONS];
} server;

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void hang_up(connection *c) {
  close(c->descriptor);
  c->descriptor = -1;
}

static void enter(connection *c, phase next, double seconds) {
  c->phase = next;
  c->until = seconds_now() + seconds;
}

/* ------------------------------------------------------------------ answers */

static const char *words_of(int status) {
  switch (status) {
  case 200:
    return "OK";
  case 400:
    return "Bad Request";
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  default:
    return "Request Header Fields Too Large";
  }
}

/* The page, or a line that says why not, which goes with the head. */
static void answer(const server *s, connection *c, int status, bool body) {
  const bool page = status == 200;
  const char *why = ripstop_web_why(status);
  const size_t told = page ? 0 : strlen(why) + 1;
  int length = ripstop_format(c->head, sizeof c->head,
                              "HTTP/1.1 %d %s\r\n"
                              "Content-Type: %s; charset=utf-8\r\n"
                              "Content-Length: %zu\r\n"
                              "Cache-Control: no-store\r\n"
                              "Content-Security-Policy: frame-ancestors 'none'\r\n"
                              "Cross-Origin-Resource-Policy: same-origin\r\n"
                              "Referrer-Policy: no-referrer\r\n"
                              "X-Content-Type-Options: nosniff\r\n"
                              "Connection: close\r\n\r\n%s%s",
                              status, words_of(status), page ? "text/html" : "text/plain",
                              page ? s->page->length : told, body && !page ? why : "", body && !page ? "\n" : "");
  c->head_length = (size_t)length;
  c->sent = 0;
  c->total = c->head_length + (page && body ? s->page->length : 0);
  enter(c, WRITING, SEND_SECONDS);
}

/* ------------------------------------------------------------------ one connection */

/* Up to the empty line that ends it, which is left out; 0: it is not there yet. */
static size_t whole_head(const connection *c) {
  for (size_t i = 4; i <= c->used; i++)
    if (!memcmp(c->head + i - 4, "\r\n\r\n", 4)) return i - 2;
  return 0;
}

/* True if the browser has gone, by what recv or send returned. Neither waits, so no signal interrupts them. */
static bool has_gone(ssize_t moved) { return moved == 0 || (moved < 0 && errno != EAGAIN); }

static void read_head(const server *s, connection *c) {
  ssize_t got = recv(c->descriptor, c->head + c->used, sizeof c->head - c->used, 0);
  if (has_gone(got)) hang_up(c);
  if (got <= 0) return;
  c->used += (size_t)got;
  const size_t length = whole_head(c);
  bool body = false;
  if (length) {
    int status = ripstop_web_answer(c->head, length, s->port, &body);
    answer(s, c, status, body);
  } else if (c->used == sizeof c->head) {
    answer(s, c, 431, true);
  }
}

static void write_some(const server *s, connection *c) {
  const bool in_head = c->sent < c->head_length;
  const char *from = in_head ? c->head + c->sent : s->page->bytes + (c->sent - c->head_length);
  size_t left = (in_head ? c->head_length : c->total) - c->sent;
  ssize_t sent = send(c->descriptor, from, left, MSG_NOSIGNAL);
  if (has_gone(sent)) hang_up(c);
  if (sent <= 0) return;
  c->sent += (size_t)sent;
  if (c->sent < c->total) return;
  shutdown(c->descriptor, SHUT_WR);
  enter(c, ENDING, END_SECONDS);
}

static void throw_away(connection *c) {
  char nothing[HEAD_BYTES];
  if (has_gone(recv(c->descriptor, nothing, sizeof nothing, 0))) hang_up(c);
}

static void go_on(const server *s, connection *c) {
  if (c->phase == READING)
    read_head(s, c);
  else if (c->phase == WRITING)
    write_some(s, c);
  else
    throw_away(c);
}

/* ------------------------------------------------------------------ all of them */

/* A free one, or the oldest that has not asked yet; NULL: all are being answered. */
static connection *room_for_one(server *s) {
  connection *oldest = NULL;
  for (connection *c = s->connection; c < s->connection + CONNECTIONS; c++) {
    if (c->descriptor < 0) return c;
    if (c->phase == READING && (!oldest || c->until < oldest->until)) oldest = c;
  }
  if (oldest) hang_up(oldest);
  return oldest;
}

static void take_in(server *s, int listener) {
  int descriptor = accept(listener, NULL, NULL);
  if (descriptor < 0) return;
  connection *c = room_for_one(s);
  if (!c || fcntl(descriptor, F_SETFL, O_NONBLOCK) || fcntl(descriptor, F_SETFD, FD_CLOEXEC)) {
    close(descriptor);
    return;
  }
  *c = (connection){.descriptor = descriptor};
  enter(c, READING, ASK_SECONDS);
  read_head(s, c); /* which may be there already */
}

static void expire(server *s) {
  const double now = seconds_now();
  for (connection *c = s->connection; c < s->connection + CONNECTIONS; c++)
    if (c->descriptor >= 0 && now > c->until) hang_up(c);
}

static int turn(server *s, int listener, ripstop_error *err) {
  struct pollfd wait[CONNECTIONS + 1] = {{.fd = listener, .events = POLLIN}};
  for (int i = 0; i < CONNECTIONS; i++) {
    const connection *c = &s->connection[i];
    wait[i + 1] = (struct pollfd){.fd = c->descriptor, .events = c->phase == WRITING ? POLLOUT : POLLIN};
  }
  if (poll(wait, CONNECTIONS + 1, TICK) < 0)
    return errno == EINTR ? 0 : ripstop_fail_system(err, errno, "lab: waiting for requests");
  for (int i = 0; i < CONNECTIONS; i++)
    if (wait[i + 1].revents && s->connection[i].descriptor >= 0) go_on(s, &s->connection[i]);
  if (wait[0].revents) take_in(s, listener);
  expire(s);
  return 0;
}

int ripstop_web_serve(int listener, uint16_t port, const ripstop_web_page *page, const atomic_int *stop,
                      ripstop_error *err) {
  server s = {.port = port, .page = page};
  int status = 0;
  for (int i = 0; i < CONNECTIONS; i++) s.connection[i].descriptor = -1;
  while (!status && !ripstop_stopped(stop)) status = turn(&s, listener, err);
  for (int i = 0; i < CONNECTIONS; i++)
    if (s.connection[i].descriptor >= 0) hang_up(&s.connection[i]);
  close(listener);
  return status;
}

/* ------------------------------------------------------------------ listening */

static int bind_here(int socket_, uint16_t *port) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(*port)};
  socklen_t length = sizeof here;
  int yes = 1;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes)) return -1;
  if (bind(socket_, (const struct sockaddr *)&here, sizeof here) || listen(socket_, CONNECTIONS)) return -1;
  if (getsockname(socket_, (struct sockaddr *)&here, &length)) return -1;
  *port = ntohs(here.sin_port);
  return fcntl(socket_, F_SETFL, O_NONBLOCK) || fcntl(socket_, F_SETFD, FD_CLOEXEC) ? -1 : 0;
}

int ripstop_web_listen(uint16_t *port, ripstop_error *err) {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (descriptor < 0) return ripstop_fail_system(err, errno, "lab: a socket");
  if (bind_here(descriptor, port) == 0) return descriptor;
  int reason = errno;
  close(descriptor);
  return ripstop_fail_system(err, reason, "lab: port %u of 127.0.0.1 (--port 0 takes one that is free)", *port);
}
