/* bench_round.h - a full round as a request: 495 entities with contents of 480 bytes and 1,485 references. */
#ifndef CV_BENCH_ROUND_H
#define CV_BENCH_ROUND_H

#include "base/buf.h"

enum {
    CV_BENCH_KINDS = 5,
    CV_BENCH_PER_KIND = 99,
    CV_BENCH_ENTITIES = CV_BENCH_KINDS * CV_BENCH_PER_KIND,
    CV_BENCH_CONTENT = 480
};

static const char cv_bench_letters[] = "PRTEC";
static const char *const cv_bench_plurals[CV_BENCH_KINDS] = {"perspectives", "recommendations", "tensions", "evidence",
                                                             "claims"};
static const char *const cv_bench_experts[] = {"muffin", "cupcake", "scone", "eclair", "donut"};

static inline void cv_bench_add_local_id(cv_buf *b, size_t i)
{
    cv_buf_printf(b, "%s-%c00%02zu", cv_bench_experts[i % CV_BENCH_KINDS], cv_bench_letters[i / CV_BENCH_PER_KIND],
                  i % CV_BENCH_PER_KIND + 1);
}

static inline void cv_bench_add_entity(cv_buf *b, size_t i)
{
    static const char sentence[] = "Three of the five measured it, and the figures agree to within the noise. ";
    static const char *const types[3] = {"support", "depend", "question"};
    cv_buf_add_z(b, "{\"local_id\":\"");
    cv_bench_add_local_id(b, i);
    cv_buf_printf(b, "\",\"label\":\"Ownership of fields, %zu\",\"contributors\":[\"%s\"],\"content\":\"", i,
                  cv_bench_experts[i % CV_BENCH_KINDS]);
    for (size_t k = 0; k < CV_BENCH_CONTENT; k++)
        cv_buf_add_char(b, sentence[k % (sizeof sentence - 1)]);
    cv_buf_add_z(b, "\",\"references\":[");
    for (size_t k = 0; k < 3; k++) {
        cv_buf_printf(b, "%s{\"type\":\"%s\",\"target\":\"", k ? "," : "", types[k]);
        cv_bench_add_local_id(b, (i + 1 + k * 97) % CV_BENCH_ENTITIES);
        cv_buf_add_z(b, "\"}");
    }
    cv_buf_add_z(b, "]}");
}

static inline cv_str cv_bench_round(cv_arena *a, int number)
{
    cv_buf b = {0};
    cv_buf_printf(&b, "{\"dialogue_id\":\"d%d\",\"round\":0,\"score\":50,\"expert_scores\":{\"muffin\":10}", number);
    for (size_t i = 0; i < CV_BENCH_ENTITIES; i++) {
        if (i % CV_BENCH_PER_KIND == 0)
            cv_buf_printf(&b, "%s,\"%s\":[", i ? "]" : "", cv_bench_plurals[i / CV_BENCH_PER_KIND]);
        else
            cv_buf_add_char(&b, ',');
        cv_bench_add_entity(&b, i);
    }
    cv_buf_add_z(&b, "]}");
    cv_str text = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return text;
}

static inline cv_str cv_bench_dialogue(cv_arena *a, int number)
{
    cv_buf b = {0};
    cv_buf_printf(&b, "{\"title\":\"d%d\",\"question\":\"Which?\",\"seed\":1,\"panel_size\":%d", number,
                  CV_BENCH_KINDS);
    cv_buf_add_z(&b, ",\"expert_pool\":{\"domain\":\"Baking\",\"experts\":[");
    for (int i = 0; i < CV_BENCH_KINDS; i++)
        cv_buf_printf(&b, "%s{\"role\":\"Baker %d\",\"tier\":\"Core\",\"relevance\":0.9}", i ? "," : "", i);
    cv_buf_add_z(&b, "]}}");
    cv_str text = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return text;
}

#endif
