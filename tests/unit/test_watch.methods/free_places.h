/* free_places.h - what the check of test_free_places.c saw, for its test. (A real protocol has no globals.) */
#ifndef TESTS_FREE_PLACES_H
#define TESTS_FREE_PLACES_H

#include <stdint.h>

enum { FREE_PLACES_MAX = 1000 };
extern uint32_t free_places_port;            /* the port whose queue is measured */
extern int64_t free_places[FREE_PLACES_MAX]; /* the free places at each check */
extern uint32_t looks;

#endif
