/* fuzz_request.c - any bytes as the head of a request to the lab's server, up to the first empty line. Only a request
 * under this machine's own name, and from no other origin, is answered with the page; whatever is refused is told why.
 */
#define _GNU_SOURCE /* memmem */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "web/serve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PORT = 8642, OK = 200 };

static void demand(bool holds) {
  if (!holds) abort();
}

/* Found in another way: by the text as a whole, in small letters and without blanks; the last line may lack its end. */
static bool names_this_machine(const uint8_t *data, size_t size) {
  char *text = malloc(size + 3), *to = text;
  *to++ = '\n';
  for (size_t i = 0; i < size; i++)
    if (!memchr(" \t\r", data[i], 3)) *to++ = (char)(data[i] >= 'A' && data[i] <= 'Z' ? data[i] + 32 : data[i]);
  *to++ = '\n', *to = '\0';
  bool here = strstr(text, "\nhost:127.0.0.1:8642\n") || strstr(text, "\nhost:localhost:8642\n");
  for (const char *at = text; here && (at = strstr(at, "\norigin:")); at++)
    here = !strncmp(at, "\norigin:http://127.0.0.1:8642\n", 30) || !strncmp(at, "\norigin:http://localhost:8642\n", 30);
  free(text);
  return here;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *end = memmem(data, size, "\r\n\r\n", 4);
  if (end) size = (size_t)(end - data) + 4;
  char *head = malloc(size + 1); /* of that size, so that whoever reads beyond it is seen */
  memcpy(head, data, size);
  bool body;
  int status = ripstop_web_answer(head, size, PORT, &body);
  if (status == OK)
    demand((!strncmp(head, "GET /", 5) || !strncmp(head, "HEAD /", 6)) && names_this_machine(data, size));
  else
    demand(status >= 400 && *ripstop_web_why(status) && !strchr(ripstop_web_why(status), '\n'));
  free(head);
  return 0;
}
