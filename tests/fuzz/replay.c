/* SPDX-License-Identifier: MIT
 *
 * replay.c - main() of a fuzz target in builds without libFuzzer: runs every file of the given
 * directory through it once, so that each input ever found stays a test of every build.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX_BYTES (1u << 20)

/* The target gets a buffer of exactly the size of the input, so that ASan sees a read past its
 * end. */
static int replay(const char *path)
{
    static uint8_t room[INPUT_MAX_BYTES];

    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    const size_t size = fread(room, 1, sizeof room, file);
    const int bad = ferror(file);
    (void)fclose(file);

    uint8_t *input = malloc(size + 1u);
    if (bad || !input) {
        fprintf(stderr, "%s: cannot read\n", path);
        free(input);
        return -1;
    }
    /* At the end of the allocation; size + 1 only because malloc(0) may return NULL. */
    memcpy(input + 1, room, size);
    (void)LLVMFuzzerTestOneInput(input + 1, size);
    free(input);
    return 0;
}

int main(int argc, char **argv)
{
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    if (!dir) {
        fprintf(stderr, "usage: %s DIRECTORY of inputs\n", argv[0]);
        return 2;
    }

    unsigned inputs = 0;
    int bad = 0;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[4096];
        if (entry->d_name[0] == '.') {
            continue;
        }
        const int length = snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        bad |= length < 0 || (size_t)length >= sizeof path || replay(path) != 0;
        inputs++;
    }
    (void)closedir(dir);
    printf("%u inputs replayed\n", inputs);
    return bad || inputs == 0u;
}
