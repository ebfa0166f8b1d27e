/* experiment.c - what commands about experiments share: the variant that is meant, and files. */
#include "cli/experiment.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/local.h"
#include "base/output.h"

ripstop_variant cli_variant_of(const cli_variant *variant) {
  return (ripstop_variant){.quick = variant->quick,
                           .sets = variant->set.count,
                           .set = variant->set.value,
                           .seed_offset = variant->seed_offset};
}

void cli_print_word(ripstop_text *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (*word && !word[strspn(word, plain)]) {
    ripstop_text_add(out, " %s", word);
    return;
  }
  ripstop_text_add(out, " '");
  for (; *word; word++) {
    if (*word == '\'')
      ripstop_text_add(out, "'\\''");
    else
      ripstop_text_add_bytes(out, word, 1);
  }
  ripstop_text_add(out, "'");
}

void cli_print_variant(ripstop_text *out, const ripstop_variant *variant) {
  if (variant->quick) ripstop_text_add(out, " --quick");
  for (size_t i = 0; i < variant->sets; i++) {
    ripstop_text_add(out, " --set");
    cli_print_word(out, variant->set[i]);
  }
  if (variant->seed_offset) ripstop_text_add(out, " --seed-offset %llu", (unsigned long long)variant->seed_offset);
}

void cli_print_run(ripstop_text *out, const ripstop_campaign *c, const char *file) {
  ripstop_text_add(out, "ripstop run");
  cli_print_word(out, file);
  cli_print_variant(out, &ripstop_campaign_runs(c)->spec->variant);
  ripstop_text_add(out, " --store");
  cli_print_word(out, ripstop_campaign_store_path(c));
}

static int write_text(const char *path, const ripstop_text *text, ripstop_output_kind kind, ripstop_error *err) {
  ripstop_output file;
  if (ripstop_output_begin(&file, path, kind, err)) return -1;
  fwrite(text->data, 1, text->length, file.stream);
  return ripstop_output_end(&file, err);
}

int cli_write_file(const char *path, const ripstop_text *text, ripstop_error *err) {
  return write_text(path, text, RIPSTOP_OUTPUT_NEW, err);
}

int cli_update_file(const char *path, const ripstop_text *text, ripstop_error *err) {
  return write_text(path, text, RIPSTOP_OUTPUT_UPDATE, err);
}

int cli_write_page(const char *path, const ripstop_data *data, const char *command, const char *home,
                   ripstop_error *err) {
  RIPSTOP_LOCAL_TEXT(page);
  int status = ripstop_report_html(data, command, home, &page, err);
  if (status > 0) fprintf(stderr, "ripstop: note: figures are tables alone: %s\n", err->text);
  if (status >= 0) status = cli_write_file(path, &page, err);
  return status;
}

int cli_is_there(const char *path, ripstop_error *err) {
  if (!access(path, F_OK)) return 1;
  return errno == ENOENT ? 0 : ripstop_fail_system(err, errno, "%s", path);
}

void cli_note_rounding(const ripstop_spec *spec) {
  for (const char *line = spec->notes; *line; line += strcspn(line, "\n") + 1)
    fprintf(stderr, "ripstop: note: %.*s\n", (int)strcspn(line, "\n"), line);
}
