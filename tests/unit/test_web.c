/* test_web.c - the lab's server: what it answers to heads of requests, and one request after the other over a socket of
 * this machine. The right status of each head follows from serve.h and RFC 9112. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "web/serve.h"

enum { PORT = 8642, OK = 200, BAD = 400, FORBIDDEN = 403, NOT_FOUND = 404, NOT_ALLOWED = 405 };

#define HOST "Host: localhost:8642\r\n"

static const struct {
  const char *head;
  int status;
} heads[] = {
    {"GET / HTTP/1.1\r\n" HOST "\r\n", OK},
    {"HEAD / HTTP/1.0\r\n" HOST "\r\n", OK},
    {"GET /?a=b HTTP/1.1\r\n" HOST "\r\n", OK},
    {"GET / HTTP/1.1\r\nhOST:127.0.0.1:8642\r\nCookie: a\tb \xff\r\n\r\n", OK},
    {"GET / HTTP/1.1\r\nHost: \t LOCALHOST:8642 \t\r\nOrigin: http://localhost:8642\r\nContent-Length: 0\r\n\r\n", OK},
    {"GET / HTTP/1.1\r\n" HOST, OK}, /* the last line may lack its end */
    {"GET / HTTP/1.1\r\nHost: localhost:8642", OK},
    {"GET / HTTP/1.1\r\nHost: localhost:8643\r\n\r\n", FORBIDDEN},
    {"GET / HTTP/1.1\r\nHost: localhost:86420\r\n\r\n", FORBIDDEN},
    {"GET / HTTP/1.1\r\nHost: example.org:8642\r\n\r\n", FORBIDDEN},
    {"GET / HTTP/1.1\r\n" HOST "Origin: http://example.org\r\n\r\n", FORBIDDEN},
    {"GET / HTTP/1.1\r\n" HOST "Origin: localhost:8642\r\n\r\n", FORBIDDEN},
    {"GET /x HTTP/1.1\r\n" HOST "\r\n", NOT_FOUND},
    {"GET x HTTP/1.1\r\n" HOST "\r\n", NOT_FOUND},
    {"POST / HTTP/1.1\r\n" HOST "\r\n", NOT_ALLOWED},
    {"GET / HTTP/1.1\r\n\r\n", BAD},                              /* no Host */
    {"GET / HTTP/1.1\r\n" HOST HOST "\r\n", BAD},                 /* two */
    {"GET / HTTP/1.1\r\nHost : localhost:8642\r\n\r\n", BAD},     /* a blank before the colon */
    {"GET / HTTP/1.1\r\n" HOST "x\r\n\r\n", BAD},                 /* no field */
    {"GET / HTTP/1.1\r\n" HOST ": x\r\n\r\n", BAD},               /* without a name */
    {"GET / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n\r\n", BAD}, /* a body */
    {"GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: x\r\n\r\n", BAD},
    {"GET / HTTP/1.2\r\n" HOST "\r\n", BAD},
    {"GET / HTTP/1.1 x\r\n" HOST "\r\n", BAD},
    {"GET  / HTTP/1.1\r\n" HOST "\r\n", BAD},
    {" / HTTP/1.1\r\n" HOST "\r\n", BAD},
    {"GET / HTTP/1.1\n" HOST "\r\n", BAD},              /* a line feed alone */
    {"GET / HTTP/1.1\r\n" HOST "a: b\rc\r\n\r\n", BAD}, /* a carriage return alone */
    {"GET / HTTP/1.1\r\n" HOST "a: b\x01\r\n\r\n", BAD},
    {"GET / HTTP/1.1\r\n" HOST "a: b\x7f\r\n\r\n", BAD},
    {"", BAD},
};

static void each_head_has_its_status(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    bool body = false;
    const size_t length = strlen(heads[i].head);
    char *head = test_malloc(length + 1); /* of that size, so that reading beyond it shows */
    memcpy(head, heads[i].head, length);
    const int status = ripstop_web_answer(head, length, PORT, &body);
    if (status != heads[i].status) fail_msg("%d, not %d: %s", status, heads[i].status, heads[i].head);
    assert_int_equal(body, strncmp(heads[i].head, "HEAD ", 5) != 0);
    assert_int_equal(*ripstop_web_why(status) == '\0', status == OK);
    test_free(head);
  }
}

/* ------------------------------------------------------------------ over a socket */

enum { LARGE = 3000000 }; /* more than a socket takes at once */

typedef struct server {
  int listener;
  uint16_t port;
  ripstop_web_page page;
  atomic_int stop;
  int status;
} server;

static void *serve(void *context) {
  server *s = context;
  ripstop_error err;
  s->status = ripstop_web_serve(s->listener, s->port, &s->page, &s->stop, &err);
  return NULL;
}

static int call(const server *s) {
  const struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons(s->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int socket_ = socket(AF_INET, SOCK_STREAM, 0);
  assert_true(socket_ >= 0);
  assert_int_equal(connect(socket_, (const struct sockaddr *)&to, sizeof to), 0);
  return socket_;
}

static void say(int socket_, const char *text, size_t length) {
  assert_int_equal(send(socket_, text, length, MSG_NOSIGNAL), (ssize_t)length);
}

/* All that comes until the server hangs up; its length. */
static size_t hear(int socket_, char *answer, size_t room) {
  size_t length = 0;
  for (ssize_t got; (got = recv(socket_, answer + length, room - length - 1, 0)) > 0;) length += (size_t)got;
  answer[length] = '\0';
  close(socket_);
  return length;
}

static size_t ask(const server *s, const char *method, const char *path, char *answer, size_t room) {
  char head[200];
  int socket_ = call(s);
  snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", method, path, s->port);
  say(socket_, head, 10); /* in two pieces */
  usleep(20000);
  say(socket_, head + 10, strlen(head + 10));
  return hear(socket_, answer, room);
}

static char answer[LARGE + 10000], page[LARGE];

static pthread_t start(server *s) {
  ripstop_error err = {0};
  pthread_t thread;
  *s = (server){.page = {page, LARGE}};
  for (size_t i = 0; i < LARGE; i++) page[i] = (char)('a' + i % 23);
  s->listener = ripstop_web_listen(&s->port, &err);
  if (s->listener < 0) fail_msg("%s", err.text);
  assert_true(s->port > 0);
  assert_true(fcntl(s->listener, F_GETFD) & FD_CLOEXEC); /* the browser that is opened does not get it */
  assert_int_equal(pthread_create(&thread, NULL, serve, s), 0);
  return thread;
}

static void stop(server *s, pthread_t thread) {
  atomic_store(&s->stop, 1);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(s->status, 0);
}

/* Closes a connection at once, so that what the server still sends is refused. */
static void reset(int socket_) {
  const struct linger now = {.l_onoff = 1};
  assert_int_equal(setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now), 0);
  close(socket_);
}

enum { CLIENTS = 40 }; /* more than the server has room for at once */

/* Browsers that go, before or in the midst of the page, behind it, by closing or by a reset: each makes room for the
 * next one at once, not when its time is over. */
static void who_goes_makes_room(void **state) {
  (void)state;
  static const char head[] = "GET / HTTP/1.0\r\nHost: 127.0.0.1:%u\r\n\r\n";
  char question[100], piece[1000];
  server s;
  pthread_t thread = start(&s);
  snprintf(question, sizeof question, head, s.port);
  for (unsigned kind = 0; kind < 4; kind++)
    for (unsigned i = 0; i < CLIENTS; i++) {
      int socket_ = call(&s);
      say(socket_, question, strlen(question));
      ssize_t got = recv(socket_, piece, sizeof piece, MSG_WAITALL);
      if (got != sizeof piece) fail_msg("client %u of kind %u is not served", i, kind);
      for (ssize_t more = kind % 2; more > 0;) more = recv(socket_, answer, sizeof answer, 0);
      kind < 2 ? reset(socket_) : (void)close(socket_);
    }
  stop(&s, thread);
}

static void requests_are_answered(void **state) {
  (void)state;
  const char *body;
  server s;
  pthread_t thread = start(&s);
  size_t length = ask(&s, "GET", "/", answer, sizeof answer);
  assert_int_equal(strncmp(answer, "HTTP/1.1 200 ", 13), 0);
  body = strstr(answer, "\r\n\r\n");
  assert_non_null(body);
  assert_int_equal(length - (size_t)(body + 4 - answer), LARGE);
  assert_memory_equal(body + 4, page, LARGE);

  length = ask(&s, "HEAD", "/", answer, sizeof answer);
  assert_int_equal(strncmp(answer, "HTTP/1.1 200 ", 13), 0);
  assert_non_null(strstr(answer, "\r\nContent-Length: 3000000\r\n"));
  assert_string_equal(answer + length - 4, "\r\n\r\n");

  ask(&s, "GET", "/x", answer, sizeof answer);
  assert_int_equal(strncmp(answer, "HTTP/1.1 404 ", 13), 0);
  body = strstr(answer, "\r\n\r\n");
  assert_non_null(body);
  assert_int_equal(strncmp(body + 4, ripstop_web_why(NOT_FOUND), strlen(ripstop_web_why(NOT_FOUND))), 0);
  assert_string_equal(body + 4 + strlen(ripstop_web_why(NOT_FOUND)), "\n");

  length = ask(&s, "HEAD", "/x", answer, sizeof answer);
  assert_int_equal(strncmp(answer, "HTTP/1.1 404 ", 13), 0);
  assert_string_equal(answer + length - 4, "\r\n\r\n");

  int half = call(&s); /* hangs up before it has asked */
  say(half, "GET", 3);
  close(half);

  memset(page, 'x', 20000); /* a head without end */
  int long_ = call(&s);
  say(long_, page, 20000);
  hear(long_, answer, sizeof answer);
  assert_int_equal(strncmp(answer, "HTTP/1.1 431 ", 13), 0);
  assert_non_null(strstr(answer, ripstop_web_why(431)));

  int silent[70]; /* more than there is room for: the one that came first goes */
  for (unsigned i = 0; i < 70; i++) silent[i] = call(&s);
  assert_int_equal(recv(silent[0], answer, 1, 0), 0);
  ask(&s, "GET", "/x", answer, sizeof answer);
  assert_int_equal(strncmp(answer, "HTTP/1.1 404 ", 13), 0);
  assert_int_equal(recv(silent[69], answer, 1, MSG_DONTWAIT), -1); /* still there */

  stop(&s, thread);
  for (unsigned i = 0; i < 70; i++) { /* every client gets an answer */
    assert_int_equal(recv(silent[i], answer, 1, MSG_DONTWAIT), 0);
    close(silent[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_head_has_its_status),
      cmocka_unit_test(requests_are_answered),
      cmocka_unit_test(who_goes_makes_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
