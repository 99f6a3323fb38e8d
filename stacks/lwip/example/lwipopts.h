/* SPDX-License-Identifier: MIT
 *
 * lwipopts.h - options of a small firmware: those of the project, with less of everything.
 */
#ifndef EXAMPLE_LWIPOPTS_H
#define EXAMPLE_LWIPOPTS_H

#define MEMP_NUM_NETBUF           128 /* as many as there are buffers */
#define DEFAULT_UDP_RECVMBOX_SIZE 32
#define DEFAULT_TCP_RECVMBOX_SIZE 32
#define DEFAULT_RAW_RECVMBOX_SIZE 8
#define DEFAULT_ACCEPTMBOX_SIZE   4
#define MEMP_NUM_TCP_PCB          8
#define MEMP_NUM_TCP_PCB_LISTEN   2
#define MEMP_NUM_UDP_PCB          8
#define MEMP_NUM_NETCONN          12
#define MEMP_NUM_TCP_SEG          64
#define MEM_SIZE                  (32 * 1024)
#define TCP_MSS                   1460
#define TCP_WND                   (4 * TCP_MSS)
#define TCP_SND_BUF               (4 * TCP_MSS)
#define TCP_SND_QUEUELEN          16
#define LWIP_COMPAT_SOCKETS       1 /* the names without a prefix, too */

#include "../options/lwipopts.h"

#endif
