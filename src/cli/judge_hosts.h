/* judge_hosts.h - `ripstop judge FABRIC --hosts LIST`: what the tables mean for a job on some hosts. */
#ifndef RIPSTOP_CLI_JUDGE_HOSTS_H
#define RIPSTOP_CLI_JUDGE_HOSTS_H

#include <jansson.h>

#include "cli/table_case.h"
#include "tables/host_job.h"

typedef struct judge_hosts {
  const char *text, *adapters; /* from the command line; NULL: not given */
  bool speed;
  const ripstop_table_case *c;
  hostlist list;
  host_job job;
} judge_hosts;

#define JUDGE_HOSTS_FLAGS(hosts)                                                                               \
  CLI_TEXT("hosts", "LIST", &(hosts).text,                                                                     \
           "Hosts of a job, such as 'a[1-8],b[1-8]', or @FILE: how far the sets block each other, and what "   \
           "the ring of an all-reduce gets."),                                                                 \
      CLI_TEXT("adapters", "REGEX", &(hosts).adapters,                                                         \
               "For --hosts: only adapters count whose description's second word matches.", .needs = "hosts"), \
      CLI_SWITCH("speed", &(hosts).speed, "For --hosts: print each step of the ring with its Gb/s.", .needs = "hosts")

/* These do nothing without --hosts. */
int judge_hosts_open(judge_hosts *hosts, const ripstop_table_case *c, ripstop_error *err);
void judge_hosts_print(const judge_hosts *hosts);
void judge_hosts_json(const judge_hosts *hosts, json_t *out);

#endif
