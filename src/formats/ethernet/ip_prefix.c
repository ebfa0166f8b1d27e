/* ip_prefix.c - prefixes of addresses, read, printed and compared. */
#include "formats/ethernet/ip_prefix.h"

#include <arpa/inet.h>
#include <stdio.h>

/* Most addresses are of this kind, and inet_pton is slower than all else together. */
static bool read_four(piece *p, uint8_t out[16]) {
  for (unsigned i = 0; i < 4; i++) {
    uint32_t byte;
    const char *start = p->at;
    if (i && !piece_take_char(p, '.')) return false;
    if (!piece_count(p, 255, &byte) || byte > 255 || p->at - start > 4) return false;
    out[i] = (uint8_t)byte;
  }
  return true;
}

static bool read_address(piece *p, ip_prefix *out) {
  char text[INET6_ADDRSTRLEN];
  piece address = *p;
  while (address.at < address.end && *address.at != '/') address.at++;
  address = (piece){p->at, address.at};
  *out = (ip_prefix){.family = memchr(address.at, ':', piece_length(address)) ? 6 : 4};
  if (out->family == 4) return read_four(p, out->address);
  p->at = address.end;
  return piece_copy(address, text, sizeof text) && inet_pton(AF_INET6, text, out->address) == 1;
}

bool ip_prefix_read(piece text, ip_prefix *out) {
  uint32_t bits;
  if (text.at == text.end || !read_address(&text, out)) return false;
  bits = ip_family_bits(out);
  if (text.at < text.end && (!piece_take_char(&text, '/') || !piece_is_count(text, bits, &bits))) return false;
  *out = ip_prefix_cut(out, bits);
  return true;
}

void ip_prefix_print(const ip_prefix *p, bool address, char out[IP_PREFIX_TEXT]) {
  char text[INET6_ADDRSTRLEN];
  if (!inet_ntop(p->family == 4 ? AF_INET : AF_INET6, p->address, text, sizeof text)) *text = '\0';
  if (address && p->bits == ip_family_bits(p))
    snprintf(out, IP_PREFIX_TEXT, "%s", text);
  else
    snprintf(out, IP_PREFIX_TEXT, "%s/%u", text, p->bits);
}

ip_prefix ip_prefix_cut(const ip_prefix *p, unsigned bits) {
  ip_prefix cut = *p;
  cut.bits = (uint8_t)bits;
  for (unsigned i = bits / 8; i < 16; i++) {
    const unsigned kept = i == bits / 8 ? bits % 8 : 0;
    cut.address[i] &= (uint8_t)(0xff00U >> kept);
  }
  return cut;
}

bool ip_prefix_same(const ip_prefix *a, const ip_prefix *b) { return memcmp(a, b, sizeof *a) == 0; }

bool ip_prefix_covers(const ip_prefix *outer, const ip_prefix *inner) {
  if (outer->family != inner->family || outer->bits > inner->bits) return false;
  const ip_prefix cut = ip_prefix_cut(inner, outer->bits);
  return ip_prefix_same(&cut, outer);
}

int ip_prefix_order(const ip_prefix *a, const ip_prefix *b) {
  if (a->family != b->family) return (int)a->family - (int)b->family;
  const int by_address = memcmp(a->address, b->address, sizeof a->address);
  return by_address ? by_address : (int)a->bits - (int)b->bits;
}

bool ip_prefix_is_link_local(const ip_prefix *p) {
  return p->family == 6 && p->bits >= 10 && p->address[0] == 0xfe && (p->address[1] & 0xc0) == 0x80;
}

/* The address behind a prefix; false: there is none, it ends with the last of all. */
static bool step_over(ip_prefix *p) {
  unsigned at = p->bits;
  while (at > 0 && (p->address[(at - 1) / 8] >> (7 - (at - 1) % 8) & 1)) {
    p->address[(at - 1) / 8] ^= (uint8_t)(1U << (7 - (at - 1) % 8));
    at--;
  }
  if (at == 0) return false;
  p->address[(at - 1) / 8] |= (uint8_t)(1U << (7 - (at - 1) % 8));
  return true;
}

bool ip_prefix_covered(const ip_prefix *whole, const ip_prefix *part, uint32_t parts) {
  ip_prefix next = *whole, end = *whole;
  const bool last = !step_over(&end);
  for (uint32_t i = 0; i < parts; i++) {
    const int order = memcmp(part[i].address, next.address, sizeof next.address);
    if (order > 0) return false; /* a gap before it */
    if (order < 0) continue;     /* inside of an earlier one */
    memcpy(next.address, part[i].address, sizeof next.address);
    next.bits = part[i].bits;
    if (!step_over(&next)) return last;
    if (!last && memcmp(next.address, end.address, sizeof end.address) >= 0) return true;
  }
  return false;
}
