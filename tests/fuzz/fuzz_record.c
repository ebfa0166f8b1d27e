/* fuzz_record.c - any bytes as a record of claims: refused with one line, or an open record. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ripstop/kit/papers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds) {
  if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[100];
  ripstop_error err = {0};
  snprintf(path, sizeof path, "%s/ripstop-record-%ld", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid());
  FILE *file = fopen(path, "wb");
  demand(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
  ripstop_record *record = ripstop_record_read(path, &err);
  demand(unlink(path) == 0);
  if (record)
    ripstop_record_seed_offset(record);
  else
    demand(*err.text && !strchr(err.text, '\n'));
  ripstop_record_free(record);
  return 0;
}
