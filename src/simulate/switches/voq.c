/* voq.c - virtual output queues: packets of an input queue that want something else do not wait for each other. Those
 * with the same candidates stand in one line; each line's head requests one of them again and again until one is
 * granted (packet_lines.c, crossbar.c). A packet is not bound to a candidate before its grant, so methods with an
 * escape stay free of deadlock. The space of an input queue belongs to all its lines.
 *
 * A packet that finds no line of its candidates and no further line joins the line that a packet joined last, as in a
 * queue of one line: the value voq.full counts these. */
#include "ripstop/plugin/switch.h"
#include "simulate/packet_lines.h"

typedef struct voq_config {
  int64_t lines;
} voq_config;

static int open(run *r, const void *config_, ripstop_error *err) {
  const voq_config *config = config_;
  return lines_open(r, (uint32_t)config->lines, true, err);
}

#define CONFIG(field) .offset = offsetof(voq_config, field)
static const ripstop_option options[] = {{.name = "lines",
                                          .type = RIPSTOP_OPTION_INTEGER,
                                          CONFIG(lines),
                                          .min = 1,
                                          .max = 65535,
                                          .fallback = "256",
                                          .help = "lines of an input queue at most"},
                                         {0}};

const ripstop_switch ripstop_switch_voq = {
    .abi = RIPSTOP_SWITCH_ABI,
    .name = "voq",
    .summary = "lines of packets with the same candidates (virtual output queues)",
    .options = options,
    .config_size = sizeof(voq_config),
    .waits = RIPSTOP_SWITCH_WAITS_ANY,
    .space = RIPSTOP_SWITCH_SPACE_OWN,
    .open = open,
};
