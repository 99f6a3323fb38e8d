/* SPDX-License-Identifier: MIT
 *
 * net.h - a network of the test's own: a namespace that ends with the program.
 */
#ifndef TG_TESTS_NIC_NET_H
#define TG_TESTS_NIC_NET_H

#include <stdbool.h>
#include <stdint.h>

/* Enter a fresh network namespace. Returns: false if this is not allowed here. */
bool net_enter(void);

/* Run `ip ARGUMENTS`. Returns: whether it succeeded. */
bool net_ip(const char *arguments);

/* A packet socket on an interface that is up. */
int net_open(const char *interface);

/* Send one; wait for one with this UDP destination port. Returns: its length, 0: none came. */
bool net_send(int socket, const uint8_t *bytes, uint32_t len_bytes);
uint32_t net_receive_udp(int socket, uint16_t port, uint8_t *bytes, uint32_t room_bytes);

#endif
