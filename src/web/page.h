/* page.h - the lab's page as the build has put it into the program (cmake/lab.cmake). */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include <stddef.h>

/* NULL: it was built without. */
const char *ripstop_lab_page(size_t *length);

#endif
