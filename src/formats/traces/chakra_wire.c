/* chakra_wire.c - reads Chakra's protobuf form: messages behind their lengths, the first of which is metadata.
 *
 *   message = field *                         field = key (number * 8 + wire type), then its value
 *   wire types: 0 varint, 1 eight bytes, 2 a length and so many bytes, 5 four bytes; others are refused
 *
 * Rules of proto3: fields come in any order, what is absent is 0 or empty, unknown fields are left out, of a field that
 * stands twice the last counts, repeated numbers are packed or not. A mistake is reported with its byte in the file. */
#include <inttypes.h>

#include "formats/traces/chakra_reader.h"

enum { VARINT = 0, EIGHT = 1, BYTES = 2, FOUR = 5, WIRE_BITS = 3, WIRE_MASK = 7 };
enum {
  NODE_ID = 1,
  NODE_TYPE = 3,
  NODE_CONTROL = 4,
  NODE_DATA = 5,
  NODE_DURATION = 7,
  NODE_INPUTS = 8,
  NODE_ATTRIBUTE = 10
};
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_FIRST = 7, ATTRIBUTE_LAST = 27, ATTRIBUTE_TEXT = 29 };

typedef struct field {
  uint64_t number, value; /* value: of all but BYTES */
  unsigned wire;
  piece bytes;
  const char *at;
} field;

static int at_byte(const chakra_reader *r, const char *at) {
  return ripstop_fail_at(r->err, "byte %zu", (size_t)(at - r->text.at));
}

/* At most `most` bytes of seven bits. */
static bool take_varint(piece *p, unsigned most, uint64_t *out) {
  enum { BITS = 7, MORE = 0x80 };
  *out = 0;
  for (unsigned i = 0; i < most && p->at < p->end; i++) {
    const uint8_t byte = (uint8_t)*p->at++;
    *out |= (uint64_t)(byte & (MORE - 1)) << (BITS * i);
    if (!(byte & MORE)) return true;
  }
  return false;
}

static bool take_fixed(piece *p, unsigned bytes, uint64_t *out) {
  *out = 0;
  if (piece_length(*p) < bytes) return false;
  for (unsigned i = bytes; i-- > 0;) *out = *out << 8 | (uint8_t)p->at[i];
  p->at += bytes;
  return true;
}

static bool take_bytes(piece *p, piece *out) {
  enum { MOST = 10 };
  uint64_t size;
  if (!take_varint(p, MOST, &size) || size > piece_length(*p)) return false;
  *out = (piece){p->at, p->at + size};
  p->at = out->end;
  return true;
}

static bool take_value(piece *p, field *f) {
  enum { MOST = 10 };
  switch (f->wire) {
  case VARINT:
    return take_varint(p, MOST, &f->value);
  case EIGHT:
    return take_fixed(p, 8, &f->value);
  case FOUR:
    return take_fixed(p, 4, &f->value);
  default:
    return take_bytes(p, &f->bytes);
  }
}

/* 1: there is none left; -1: it is cut off or has an unknown wire type. */
static int take_field(const chakra_reader *r, piece *message, field *f) {
  enum { MOST = 10 };
  uint64_t key;
  *f = (field){.at = message->at, .bytes = {message->at, message->at}};
  if (message->at == message->end) return 1;
  if (take_varint(message, MOST, &key)) {
    f->number = key >> WIRE_BITS;
    f->wire = key & WIRE_MASK;
    if (f->number == 0 || (f->wire != VARINT && f->wire != EIGHT && f->wire != BYTES && f->wire != FOUR)) {
      ripstop_fail(r->err, "no field of a message: number %" PRIu64 ", wire type %u", f->number, f->wire);
      return at_byte(r, f->at);
    }
    if (take_value(message, f)) return 0;
  }
  ripstop_fail(r->err, "a field is cut off by the end of its message");
  return at_byte(r, f->at);
}

static int expect(const chakra_reader *r, const field *f, unsigned wire, const char *what) {
  if (f->wire == wire) return 0;
  ripstop_fail(r->err, "%s has the wire type %u, not %u", what, f->wire, wire);
  return at_byte(r, f->at);
}

/* ------------------------------------------------------------------ nodes */

static bool is_zigzag(uint64_t number) { return number == 15 || number == 17; }

static uint64_t whole_of(const field *f) {
  return is_zigzag(f->number) ? (f->value >> 1) ^ (0 - (f->value & 1)) : f->value;
}

/* The value of an attribute: one of the odd field numbers; even ones are lists. */
static bool is_number(const field *f) {
  return f->wire != BYTES && f->number >= ATTRIBUTE_FIRST && f->number <= ATTRIBUTE_LAST && f->number % 2;
}

static int read_attribute(const chakra_reader *r, piece message, chakra_node *node) {
  field f, number = {.number = 0}, text = {.number = 0};
  piece name = {message.at, message.at};
  int status;
  while ((status = take_field(r, &message, &f)) == 0) {
    if (f.number == ATTRIBUTE_NAME && expect(r, &f, BYTES, "an attribute's name")) return -1;
    if (f.number == ATTRIBUTE_NAME) name = f.bytes;
    if (f.number == ATTRIBUTE_TEXT && f.wire == BYTES) text = f, number.number = 0;
    if (is_number(&f)) number = f, text.number = 0;
  }
  if (number.number) chakra_set_number(node, name, whole_of(&number));
  if (text.number) chakra_set_text(node, name, text.bytes);
  return status < 0 ? -1 : 0;
}

static int read_numbers(chakra_reader *r, const field *f, chakra_list *list) {
  enum { MOST = 10 };
  piece packed = f->bytes;
  uint64_t number;
  if (f->wire == VARINT) {
    chakra_add_number(r, list, f->value);
    return 0;
  }
  if (expect(r, f, BYTES, "a list of nodes")) return -1;
  while (packed.at < packed.end) {
    const char *at = packed.at;
    if (!take_varint(&packed, MOST, &number)) {
      ripstop_fail(r->err, "a number is cut off by the end of its list");
      return at_byte(r, at);
    }
    chakra_add_number(r, list, number);
  }
  return 0;
}

/* The values of its inputs: the first field. */
static int read_inputs(chakra_reader *r, piece message) {
  field f;
  int status;
  while ((status = take_field(r, &message, &f)) == 0)
    if (f.number == 1 && f.wire == BYTES) chakra_add_groups(r, f.bytes);
  return status < 0 ? -1 : 0;
}

static int read_field(chakra_reader *r, const field *f, chakra_node *node, piece *inputs) {
  switch (f->number) {
  case NODE_ID:
    node->id = f->value;
    return expect(r, f, VARINT, "an id");
  case NODE_TYPE:
    node->type = f->value < CHAKRA_TYPES ? (uint8_t)f->value : CHAKRA_TYPES;
    return expect(r, f, VARINT, "a type");
  case NODE_DURATION:
    node->micros = f->value;
    return expect(r, f, VARINT, "a duration");
  case NODE_DATA:
    return 0; /* lists are read apart, so that each is in one piece */
  case NODE_INPUTS:
    *inputs = f->bytes;
    return expect(r, f, BYTES, "inputs");
  case NODE_ATTRIBUTE:
    return expect(r, f, BYTES, "an attribute") ? -1 : read_attribute(r, f->bytes, node);
  default:
    return 0;
  }
}

static int read_list(chakra_reader *r, piece message, uint64_t number, chakra_list *list) {
  field f;
  list->first = r->out->numbers;
  while (take_field(r, &message, &f) == 0)
    if (f.number == number && read_numbers(r, &f, list)) return -1;
  return 0;
}

static int read_node(chakra_reader *r, piece message) {
  chakra_node node = {.group = {message.at, message.at}};
  piece inputs = {message.at, message.at}, rest = message;
  field f;
  int status;
  while ((status = take_field(r, &rest, &f)) == 0)
    if (read_field(r, &f, &node, &inputs)) return -1;
  if (status < 0 || read_list(r, message, NODE_CONTROL, &node.control) || read_list(r, message, NODE_DATA, &node.data))
    return -1;
  if (node.type == CHAKRA_METADATA && read_inputs(r, inputs)) return -1;
  if (node.type == CHAKRA_TYPES) {
    ripstop_fail(r->err, "node %" PRIu64 " has an unknown type", node.id);
    return at_byte(r, message.at);
  }
  chakra_add_node(r, &node);
  return 0;
}

/* Metadata has a version and attributes, and nothing that a node needs: a node there would be swallowed. */
static int read_metadata(const chakra_reader *r, piece message) {
  const char *at = message.at;
  field f;
  int status;
  while ((status = take_field(r, &message, &f)) == 0) {
    if (f.number <= 2 && f.wire == BYTES) continue;
    ripstop_fail(r->err, "the first message is no metadata of a trace: it has a field %" PRIu64, f.number);
    return at_byte(r, at);
  }
  return status < 0 ? -1 : 0;
}

int chakra_read_wire(chakra_reader *r) {
  enum { MOST = 5 };
  piece rest = r->text;
  for (bool first = true; rest.at < rest.end || first; first = false) {
    const char *at = rest.at;
    uint64_t size;
    if (!take_varint(&rest, MOST, &size) || size > piece_length(rest)) {
      ripstop_fail(r->err, "a message is cut off: the file ends at byte %zu", piece_length(r->text));
      return at_byte(r, at);
    }
    const piece message = {rest.at, rest.at + size};
    rest.at = message.end;
    if (first ? read_metadata(r, message) : read_node(r, message)) return -1;
  }
  return 0;
}
