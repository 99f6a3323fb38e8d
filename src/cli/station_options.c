/* SPDX-License-Identifier: MIT
 *
 * station_options.c - options about the receiving station that commands share.
 */
#include "station_options.h"
#include "receiver.h"

#include "system/value.h"

#include <string.h>

int tg_station_from_options(const struct tg_command *command, const char *mac, const char *mtu,
                            struct tg_station *station)
{
    struct tg_value_error error;
    uint8_t address[6];
    uint64_t mtu_bytes = station->mtu_bytes;

    if (mac != NULL) {
        if (tg_value_mac(mac, strlen(mac), address, &error) != 0) {
            return tg_command_misuse(command,
                                     "--station: found '%s', %s, allowed: an address as in "
                                     "02:00:00:00:00:01",
                                     mac, error.reason);
        }
        station->mac = tg_mac(address);
    }
    if (mtu != NULL && (tg_value_number(mtu, strlen(mtu), &mtu_bytes, &error) != 0 ||
                        mtu_bytes < TG_MTU_MIN_BYTES || mtu_bytes > TG_MTU_MAX_BYTES)) {
        return tg_command_misuse(command, "--mtu: found '%s', allowed: %u to %u", mtu,
                                 TG_MTU_MIN_BYTES, TG_MTU_MAX_BYTES);
    }
    station->mtu_bytes = (uint32_t)mtu_bytes;
    return TG_EXIT_HOLDS;
}
