/* check.h - cmocka with the headers that it wants before it, which a sorted include list would put behind it. */
#ifndef RIPSTOP_TESTS_CHECK_H
#define RIPSTOP_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
