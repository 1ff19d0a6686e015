/* fuzz_wire.c - any bytes as what a model's server sends, in any protocol, cut anywhere: the same events and the same
 * end however it is cut. The first byte chooses the protocol, the second one where it is cut. */
#include <stdlib.h>

#include "run/output.h"
#include "run/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static void add_text(void *ctx, cv_str piece)
{
    cv_buf_add(ctx, piece);
}

static cv_calls_outcome read(cv_arena *a, cv_reach_protocol protocol, cv_str bytes, size_t step, cv_str *ret_text)
{
    cv_arena scratch = {0};
    cv_buf text = {0};
    cv_calls_result result = {.tokens_in = CV_ABSENT, .tokens_out = CV_ABSENT};
    cv_stream stream = {.lines = protocol == CV_PROTOCOL_OLLAMA};
    cv_wire w = {
        .protocol = protocol, .arena = a, .scratch = &scratch, .text = add_text, .ctx = &text, .result = &result};
    cv_str message;
    for (size_t at = 0; at < bytes.n; at += step)
        need(cv_stream_add(&stream, cv_str_head(cv_str_from(bytes, at), step), cv_wire_event, &w));
    cv_stream_end(&stream, cv_wire_event, &w);
    cv_calls_outcome outcome = cv_wire_conclude(&w, &message);
    need((outcome == CV_CALL_ANSWERED) == (message.n == 0));
    need(result.tokens_in == CV_ABSENT || result.tokens_in >= 0);
    *ret_text = cv_buf_take(&text, a);
    cv_stream_release(&stream);
    cv_arena_release(&scratch);
    return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_str whole, cut, message;
    if (size < 2 || size > 1 << 20)
        return 0;
    cv_reach_protocol protocol = (cv_reach_protocol)(data[0] % 3);
    cv_str bytes = {(const char *)data + 2, size - 2};
    cv_calls_outcome x = read(&a, protocol, bytes, bytes.n + 1, &whole);
    cv_calls_outcome y = read(&a, protocol, bytes, 1 + data[1] % 16, &cut);
    need(x == y && cv_str_eq(whole, cut));
    need(cv_wire_refusal(&a, 400 + data[1], bytes, &message) != CV_CALL_ANSWERED && message.n > 0);
    for (int form = CV_OUTPUT_TEXT; form <= CV_OUTPUT_GEMINI; form++) {
        cv_calls_result r = {.tokens_in = CV_ABSENT, .tokens_out = CV_ABSENT, .cost = CV_ABSENT};
        cv_output_read(&a, (cv_preset_output)form, bytes, (cv_str){NULL, 0}, true, &r);
        need(r.outcome == CV_CALL_ANSWERED || r.message.n > 0);
        need(r.cost == CV_ABSENT || r.cost >= 0);
    }
    cv_arena_release(&a);
    return 0;
}
