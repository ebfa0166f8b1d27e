/* papers.c - the papers, and the part of a claim about one: paper, place and reading.
 *
 * A file of papers lists the figures and tables of each that show results. So figures without a claim can be listed,
 * and a misspelt figure is noticed. */
#include <string.h>
#include <strings.h>

#include "experiment/reader.h"

static const char *const file_words[] = {"papers", NULL};
static const char *const paper_words[] = {"number", "key", "title", "source", "places", NULL};

/* ------------------------------------------------------------------ the file */

static int read_places(const reader *r, const yaml_node *node, ripstop_paper *paper) {
  const yaml_node *list = yaml_get(node, "places");
  if (!list || list->kind != YAML_LIST || !list->count)
    return reader_fail(r, node->line, "a paper needs places: [Figure 1, Table 1, ...]");
  const char **place = RIPSTOP_ARRAY(r->spec->arena, list->count + 1, const char *);
  for (size_t i = 0; i < list->count; i++) {
    if (reader_value(r, &list->item[i], "places")) return -1;
    place[i] = list->item[i].text;
  }
  paper->place = place, paper->places = list->count;
  return 0;
}

static int read_paper(const reader *r, const yaml_node *node, ripstop_paper *paper) {
  const char *source;
  if (reader_map(r, node, "a paper", paper_words)) return -1;
  if (reader_needed(r, node, "a paper", "number", &paper->number)) return -1;
  if (reader_needed(r, node, "a paper", "key", &paper->key)) return -1;
  if (reader_needed(r, node, "a paper", "title", &paper->title)) return -1;
  return reader_needed(r, node, "a paper", "source", &source) || read_places(r, node, paper) ? -1 : 0;
}

static int read_list(const reader *r, const yaml_node *root) {
  if (reader_map(r, root, "a file of papers", file_words)) return -1;
  const yaml_node *list = yaml_get(root, "papers");
  if (!list || list->kind != YAML_LIST)
    return reader_fail(r, root->line, "papers must be a list, each item starting with '- '");
  ripstop_paper *paper = RIPSTOP_ARRAY(r->spec->arena, list->count + 1, ripstop_paper);
  for (size_t i = 0; i < list->count; i++)
    if (read_paper(r, &list->item[i], &paper[i])) return -1;
  r->spec->paper = paper, r->spec->papers = list->count;
  return 0;
}

static int read_file(const reader *r) {
  yaml_node root;
  char *bytes;
  size_t length;
  ripstop_arena *arena = r->spec->arena;
  if (ripstop_read_file(arena, r->file, YAML_BYTES_MAX, &bytes, &length, r->err)) return -1;
  return yaml_read(arena, r->file, bytes, length, &root, r->err) ? -1 : read_list(r, &root);
}

/* Messages name the file of papers too. Paths start at the experiment's own folder. */
int reader_papers(reader *r) {
  const yaml_node *node = yaml_get(r->root, "papers");
  if (!node) return 0;
  if (reader_value(r, node, "papers")) return -1;
  const char *slash = strrchr(r->file, '/');
  int folder = slash && *node->text != '/' ? (int)(slash - r->file) + 1 : 0;
  ripstop_error why;
  reader own = {.spec = r->spec, .err = &why};
  own.file = ripstop_arena_printf(r->spec->arena, "%.*s%s", folder, r->file, node->text);
  return read_file(&own) ? reader_pass(r, node->line, &why, "papers") : 0;
}

/* ------------------------------------------------------------------ a claim */

/* The claim's own entry, else the root's. */
static const yaml_node *said(const reader *r, const yaml_node *claim, const char *key) {
  const yaml_node *own = yaml_get(claim, key);
  return own ? own : yaml_get(r->root, key);
}

static int find_paper(const reader *r, const yaml_node *node, const ripstop_paper **out) {
  const char **words = RIPSTOP_ARRAY(r->spec->arena, 2 * r->spec->papers + 2, const char *);
  if (reader_value(r, node, "paper")) return -1;
  *out = NULL;
  if (!strcmp(node->text, "none")) return 0;
  for (size_t i = 0; i < r->spec->papers; i++) {
    const ripstop_paper *paper = &r->spec->paper[i];
    words[2 * i] = paper->key, words[2 * i + 1] = paper->number;
    if (!strcmp(node->text, paper->key) || !strcmp(node->text, paper->number)) *out = paper;
  }
  words[2 * r->spec->papers] = "none";
  if (*out) return 0;
  if (!r->spec->papers)
    return reader_fail(r, node->line, "paper '%s' needs a file of papers: papers: PATH", node->text);
  return reader_unknown(r, node->line, "paper", node->text, words);
}

/* "Figure 4a" is a panel of "Figure 4". */
static bool is_part(const char *text, const char *place) {
  size_t length = strlen(place);
  if (strncmp(text, place, length) != 0) return false;
  return !text[length + strspn(text + length, "abcdefghijklmnopqrstuvwxyz")];
}

/* A place that looks like a figure or a table must be one; sections and theorems are not checked. */
static int find_result(const reader *r, const yaml_node *node, ripstop_claim *claim) {
  const ripstop_paper *paper = claim->paper;
  claim->place = node->text, claim->result = RIPSTOP_NOWHERE;
  for (size_t i = 0; i < paper->places; i++)
    if (is_part(node->text, paper->place[i])) claim->result = i;
  bool figure = !strncasecmp(node->text, "fig", 3) || !strncasecmp(node->text, "tab", 3);
  if (claim->result == RIPSTOP_NOWHERE && figure)
    return reader_unknown(r, node->line, "place", node->text, paper->place);
  return 0;
}

int reader_place(const reader *r, const yaml_node *node, ripstop_claim *claim) {
  const yaml_node *paper = said(r, node, "paper"), *place = said(r, node, "place"), *reading = said(r, node, "reading");
  claim->result = RIPSTOP_NOWHERE;
  if (paper && find_paper(r, paper, &claim->paper)) return -1;
  if (!claim->paper) {
    place = yaml_get(node, "place");
    if (place) return reader_fail(r, place->line, "place needs the key 'paper'");
    return reader_text(r, node, "reading", &claim->reading);
  }
  if (!place) return reader_fail(r, node->line, "a claim of paper %s needs the key 'place'", claim->paper->number);
  if (!reading) return reader_fail(r, node->line, "a claim of paper %s needs the key 'reading'", claim->paper->number);
  if (reader_value(r, place, "place") || find_result(r, place, claim)) return -1;
  return reader_needed(r, yaml_get(node, "reading") ? node : r->root, "a claim", "reading", &claim->reading);
}
