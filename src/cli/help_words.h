/* help_words.h - every word that a user may have met, and what it means. */
#ifndef RIPSTOP_CLI_HELP_WORDS_H
#define RIPSTOP_CLI_HELP_WORDS_H

#include <stdbool.h>

/* Prints what the word is: an option, a method or another plug-in, a key of figures, a verdict, a value of runs;
 * several where it is several. false: none of these, and nothing was printed. */
bool cli_report_word(const char *word);
/* All of them, NULL-terminated; ripstop_free frees the list. */
const char **cli_words(void);

#endif
