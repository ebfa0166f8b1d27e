/* gossip_log.h - what the switches of gossip.h went through, step by step, as one number for each; written for the test
 * that compares two runs. (A real protocol has no globals.) */
#ifndef DIFFERENTIAL_GOSSIP_LOG_H
#define DIFFERENTIAL_GOSSIP_LOG_H

#include <stdint.h>

void gossip_note(uint32_t node, uint64_t cycle, uint32_t kind, uint32_t number);

#endif
