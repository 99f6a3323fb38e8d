/* SPDX-License-Identifier: MIT
 *
 * hist.h - log-linear histogram: fixed memory, relative error of a reported value <= 1/64.
 *
 * Values below 64 are exact. Above, each power of two is cut into 32 buckets, so a bucket is at
 * most 1/32 of its values wide, and its middle is at most 1/64 away from any of them. The layout is
 * that of HdrHistogram (G. Tene), with integers only.
 */
#ifndef TIDEGATE_HIST_H
#define TIDEGATE_HIST_H

#include "tidegate/common.h"

/* Buckets needed for values below 2^bits, 6 <= bits <= 64. */
#define TG_HIST_BUCKETS(bits) (64u + 32u * ((bits)-6u))

/* Invariant: I1  count = sum of buckets + above */
struct tg_hist {
    uint32_t *buckets;
    uint32_t n_buckets;
    uint64_t count;
    uint64_t above; /* values too large for the buckets; max still knows them */
    uint64_t min;   /* exact; UINT64_MAX while empty */
    uint64_t max;   /* exact */
};

/* Start empty.
 *
 * Context: start-up.
 * Units:   n_buckets: TG_HIST_BUCKETS(bits) of the largest value wanted.
 * Returns: 0; TG_ERR_RANGE for a number of buckets that TG_HIST_BUCKETS does not give; nothing
 *          changed.
 * Cost:    O(n_buckets). */
TG_NODISCARD int tg_hist_init(struct tg_hist *h, uint32_t *buckets, uint32_t n_buckets);

/* Count one value.
 *
 * Context: any; calls on one histogram are serialised by the caller.
 * Cost:    O(1). */
void tg_hist_add(struct tg_hist *h, uint64_t value);

/* The value at a rank: the smallest v such that at least ceil(count * numerator / denominator)
 * values are <= v, within 1/64. Rank 0 gives the exact minimum, rank 1 the exact maximum.
 *
 * Context: as tg_hist_add.
 * Units:   numerator <= denominator, 1 <= denominator <= 1000000; count < 2^44.
 * Returns: the value; 0 while empty.
 * Cost:    O(n_buckets). */
uint64_t tg_hist_quantile(const struct tg_hist *h, uint32_t numerator, uint32_t denominator);

#endif
