/* ip_prefix.h - prefixes of IPv4 and IPv6 addresses. */
#ifndef RIPSTOP_FORMATS_ETHERNET_IP_PREFIX_H
#define RIPSTOP_FORMATS_ETHERNET_IP_PREFIX_H

#include "base/piece.h"

enum { IP_PREFIX_TEXT = 52 };

/* Bits behind the prefix are 0, and so is everything behind the four bytes of IPv4; equal prefixes have equal bytes. */
typedef struct ip_prefix {
  uint8_t address[16];
  uint8_t family; /* 4 or 6; 0: none */
  uint8_t bits;   /* 0 .. 32 or 128 */
} ip_prefix;

static inline unsigned ip_family_bits(const ip_prefix *p) { return p->family == 4 ? 32 : 128; }

/* "10.1.0.0/16", "fd00::/64"; without a length the address alone. False: it is none. */
bool ip_prefix_read(piece text, ip_prefix *out);
/* The address without a length where the prefix is one address and `address` is set. */
void ip_prefix_print(const ip_prefix *p, bool address, char out[IP_PREFIX_TEXT]);
/* The first `bits` bits of it. */
ip_prefix ip_prefix_cut(const ip_prefix *p, unsigned bits);
/* True if all of `inner` lies in `outer`. */
bool ip_prefix_covers(const ip_prefix *outer, const ip_prefix *inner);
bool ip_prefix_same(const ip_prefix *a, const ip_prefix *b);
/* By family, address and length: what lies in a prefix follows it. Below 0: `a` comes first. */
int ip_prefix_order(const ip_prefix *a, const ip_prefix *b);
/* True for fe80::/10, whose addresses every interface has. */
bool ip_prefix_is_link_local(const ip_prefix *p);
/* True if the parts ([parts], in their order, inside of `whole`) leave no address of it. */
bool ip_prefix_covered(const ip_prefix *whole, const ip_prefix *part, uint32_t parts);

#endif
