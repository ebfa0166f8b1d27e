/* rooms.h - what the check of test_rooms.c saw, for its test. (A real protocol has no globals.) */
#ifndef TESTS_ROOMS_H
#define TESTS_ROOMS_H

#include <stdint.h>

enum { ROOMS_MAX = 1000 };
extern uint32_t rooms_port;      /* the port whose queue is measured */
extern int64_t rooms[ROOMS_MAX]; /* the free places at each check */
extern uint32_t looks;

#endif
