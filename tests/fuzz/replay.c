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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX_BYTES (1u << 20)

/* The buffer has exactly the size of the input, so that ASan sees a read past its end. */
static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return -1;
    }
    uint8_t *room = malloc(INPUT_MAX_BYTES);
    const size_t size = room ? fread(room, 1, INPUT_MAX_BYTES, file) : 0u;
    const int bad = !room || ferror(file);
    (void)fclose(file);
    uint8_t *input = bad ? NULL : realloc(room, size ? size : 1u);
    if (!input) {
        free(room);
        fprintf(stderr, "%s: cannot read\n", path);
        return -1;
    }
    (void)LLVMFuzzerTestOneInput(input, size);
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
