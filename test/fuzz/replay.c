/* replay.c - a fuzz target without libFuzzer: its function is called once for each file that is named.
 *
 *     build/asan/fuzz_doc test/fuzz/corpus/doc/...
 *
 * Linked with a target by the compiler that makes the other tests. As with libFuzzer, an input lies in memory of
 * exactly its size, takes at most ten seconds, and the process at most 4 GB; the name of the input is in the output
 * before whatever the input does. Exit status 0: every file was read and its call returned.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SECONDS = 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "hard_rss_limit_mb=4096";
}

static void time_is_over(int signal)
{
    static const char text[] = "the input above takes more than 10 seconds\n";
    (void)signal;
    _exit(write(STDERR_FILENO, text, sizeof text - 1) > 0 ? 70 : 71);
}

/* The bytes of a file in memory of their size, or NULL. */
static uint8_t *read_input(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    uint8_t *bytes = NULL;
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
        bytes = malloc((size_t)size);
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    *ret_size = bytes ? (size_t)size : 0;
    return bytes;
}

int main(int argc, char **argv)
{
    signal(SIGALRM, time_is_over);
    for (int i = 1; i < argc; i++) {
        size_t size;
        fprintf(stderr, "input %s\n", argv[i]);
        uint8_t *bytes = read_input(argv[i], &size);
        if (!bytes) {
            fprintf(stderr, "it cannot be read\n");
            return 1;
        }
        alarm(SECONDS);
        LLVMFuzzerTestOneInput(bytes, size);
        alarm(0);
        free(bytes);
    }
    return 0;
}
