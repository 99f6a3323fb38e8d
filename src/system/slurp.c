/* SPDX-License-Identifier: MIT
 *
 * slurp.c - a whole file in memory.
 */
#include "system/slurp.h"
#include "system/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct tg_position nowhere = {0u, 0u};

char *tg_slurp(const char *path, size_t *size_bytes, struct tg_errors *errors)
{
    FILE *const file = fopen(path, "rb");

    if (file == NULL) {
        tg_errors_add(errors, nowhere, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    char *const text = malloc(TG_SYSTEM_FILE_MAX_BYTES + 1u);

    errno = 0;
    *size_bytes = text != NULL ? fread(text, 1u, TG_SYSTEM_FILE_MAX_BYTES + 1u, file) : 0u;
    if (text == NULL || ferror(file)) {
        tg_errors_add(errors, nowhere, "cannot be read: %s", strerror(errno));
        (void)fclose(file);
        free(text);
        return NULL;
    }
    (void)fclose(file);
    return text;
}
