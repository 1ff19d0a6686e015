/* bench_json.c - how fast a large request is read.
 *
 * The request registers a round: many perspectives with long contents (line breaks and quotes escaped, some letters
 * beyond ASCII), recommendations, tensions, scores. It is made here, always the same, about 360 KB. Both readers get
 * it warm: malloc keeps what is freed, as in a server that runs on, so that reading is measured and not the kernel's
 * handing out of pages. The best of several repetitions counts; everything else is noise of the machine.
 */
#include "bench_json.h"

#include <cjson/cJSON.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"

enum { KEPT = 64 << 20 }; /* bytes malloc keeps */
enum { PERSPECTIVES = 190, RECOMMENDATIONS = 50, TENSIONS = 25, REPETITIONS = 15, ROUNDS = 20 };

static const char *const experts[] = {"muffin",    "donut",   "cupcake", "scone",
                                      "croissant", "brioche", "eclair",  "churro"};

static const char *const sentences[] = {
    "The 30-delta covered call strategy keeps the income mandate within reach without giving up the upside. ",
    "Phased entry over six months lowers the concentration risk to what the charter allows.\n\n",
    "As the judge put it: \"show the drawdown before the yield\", and no response has done so yet. ",
    "- **Evidence**: realised volatility was 41 % against 38 % implied (ten years, weekly closes).\n",
    "Die Prämie trägt höchstens 2 % im Jahr – das genügt für die Zusage nicht. ",
    "The counterparty's margin terms (see `notes\\margin.md`) would force a sale at the worst moment. ",
    "If the refinancing window closes, the collar must be rolled early; the cost is about €1.3 million. ",
    "I withdraw my objection to the staged purchase and keep the one about timing. ",
};

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static const char *an_expert(unsigned *state)
{
    return experts[next_random(state) % (sizeof experts / sizeof experts[0])];
}

static void write_references(cv_json_writer *w, unsigned *state)
{
    static const char *const types[] = {"refine", "support", "address", "depend"};
    cv_json_key(w, CV_STR("references"));
    cv_json_begin_array(w);
    for (unsigned left = 1 + next_random(state) % 3; left > 0; left--) {
        char target[16];
        snprintf(target, sizeof target, "%c%04u", "PRT"[next_random(state) % 3], next_random(state) % 10000);
        cv_json_begin_object(w);
        cv_json_key_str(w, "type", cv_str_of(types[next_random(state) % 4]));
        cv_json_key_str(w, "target", cv_str_of(target));
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_entity(cv_json_writer *w, char kind, unsigned number, unsigned *state)
{
    char id[32];
    cv_buf content = {0};
    snprintf(id, sizeof id, "MUFFIN-%c%04u", kind, number);
    for (unsigned left = 6 + next_random(state) % 10; left > 0; left--)
        cv_buf_add_z(&content, sentences[next_random(state) % (sizeof sentences / sizeof sentences[0])]);
    cv_json_begin_object(w);
    cv_json_key_str(w, "local_id", cv_str_of(id));
    cv_json_key_str(w, "label", CV_STR("Options viability confirmed"));
    cv_json_key_str(w, kind == 'T' ? "description" : "content", cv_buf_str(&content));
    cv_json_key(w, CV_STR("contributors"));
    cv_json_begin_array(w);
    cv_json_str(w, cv_str_of(an_expert(state)));
    cv_json_str(w, cv_str_of(an_expert(state)));
    cv_json_end_array(w);
    if (kind == 'R') {
        cv_json_key(w, CV_STR("parameters"));
        cv_json_begin_object(w);
        cv_json_key_str(w, "delta", CV_STR("0.25"));
        cv_json_key_int(w, "dte", 45);
        cv_json_end_object(w);
    }
    write_references(w, state);
    cv_json_end_object(w);
    cv_buf_release(&content);
}

static void write_entities(cv_json_writer *w, const char *key, char kind, unsigned count, unsigned *state)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (unsigned i = 1; i <= count; i++)
        write_entity(w, kind, i, state);
    cv_json_end_array(w);
}

static void write_request(cv_buf *out)
{
    cv_json_writer w = {.out = out, .indent = 2};
    unsigned state = 20;
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "dialogue_id", CV_STR("nvidia-decision"));
    cv_json_key_int(&w, "round", 1);
    cv_json_key_int(&w, "score", 45);
    cv_json_key_str(&w, "summary", CV_STR("Panel converging on conditional approval with options overlay…"));
    cv_json_key(&w, CV_STR("expert_scores"));
    cv_json_begin_object(&w);
    for (size_t i = 0; i < sizeof experts / sizeof experts[0]; i++)
        cv_json_key_int(&w, experts[i], (int64_t)i + 5);
    cv_json_end_object(&w);
    write_entities(&w, "perspectives", 'P', PERSPECTIVES, &state);
    write_entities(&w, "recommendations", 'R', RECOMMENDATIONS, &state);
    write_entities(&w, "tensions", 'T', TENSIONS, &state);
    cv_json_end_object(&w);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void read_ours(cv_str text, size_t *ret_chunks, size_t *ret_bytes)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    if (!cv_json_parse(&a, text, &value, &err)) {
        fprintf(stderr, "bench_json: %.*s\n", CV_FMT(cv_err_text(&err)));
        exit(1);
    }
    *ret_chunks = a.chunks;
    *ret_bytes = a.bytes;
    cv_arena_release(&a);
}

static void read_cjson(cv_str text, size_t *ret_chunks, size_t *ret_bytes)
{
    cJSON *value = cJSON_ParseWithLength(text.p, text.n);
    if (!value) {
        fprintf(stderr, "bench_json: cJSON refuses the request\n");
        exit(1);
    }
    *ret_chunks = *ret_bytes = 0;
    cJSON_Delete(value);
}

/* Best MB/s of several repetitions; the first ones warm the caches. */
static double measure(void (*read)(cv_str, size_t *, size_t *), cv_str text, size_t *ret_chunks, size_t *ret_bytes)
{
    double best = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        double begin = seconds();
        for (int j = 0; j < ROUNDS; j++)
            read(text, ret_chunks, ret_bytes);
        double rate = (double)text.n * ROUNDS / 1e6 / (seconds() - begin);
        best = rate > best ? rate : best;
    }
    return best;
}

void bench_json(void)
{
    cv_buf request = {0};
    size_t chunks, bytes, unused;
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_MMAP_THRESHOLD, KEPT / 2);
    write_request(&request);
    cv_str text = cv_buf_str(&request);
    double theirs = measure(read_cjson, text, &unused, &unused);
    double ours = measure(read_ours, text, &chunks, &bytes);
    printf("JSON: reading a round registration of %zu KB\n", text.n / 1000);
    printf("  conclave  %7.0f MB/s   %zu arena chunks, %zu KB\n", ours, chunks, bytes / 1000);
    printf("  cJSON     %7.0f MB/s\n", theirs);
    printf("  ratio     %7.1f x      (goal: at least 1.5)\n", ours / theirs);
    cv_buf_release(&request);
}
