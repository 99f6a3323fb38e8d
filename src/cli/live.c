/* SPDX-License-Identifier: MIT
 *
 * live.c - where a running node is found.
 */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int tg_live_address(const char *name, struct sockaddr_un *out)
{
    const char *const directory = getenv("XDG_RUNTIME_DIR");

    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int length =
        snprintf(out->sun_path, sizeof out->sun_path, "%s/tidegate-%s.sock",
                 directory != NULL && directory[0] != '\0' ? directory : "/tmp", name);

    return name[0] != '\0' && strchr(name, '/') == NULL && length > 0 &&
                   (size_t)length < sizeof out->sun_path
               ? 0
               : -1;
}
