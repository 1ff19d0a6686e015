/* endpoint.c - an exchange over HTTP, many at the same time on one multi handle of libcurl; see parts.h.
 *
 *     key, prompt -> wire.c -> POST ---> server
 *     answer <- wire.c <- stream.c <--- pieces           200: a stream, or one document
 *     message <- wire.c <--- a few kilobytes             anything else: what the server says about it
 *
 * A redirection is not followed: the key is for the address that was approved. Times: for the connection, for all of
 * it, and between two pieces of a stream that has begun; before that a model may think in silence.
 */
#include "base/clock.h"
#include "base/heap.h"
#include "base/monotonic.h"
#include "kit/reach/url.h"
#include "run/curl.h"
#include "run/parts.h"
#include "run/retry.h"
#include "run/wire.h"

enum {
    MAX_ERROR = 16 << 10,     /* bytes of what a server says about an error */
    RECEIVE_BUFFER = 8 << 10, /* per connection: pieces of a stream are small */
    SEND_BUFFER = 16 << 10,   /* per connection: the least that the library allows */
    LINGER_MS = 1000,         /* for the end of a connection behind a whole answer: then it can be used again */
};

typedef enum { UNKNOWN, EVENTS, LINES, DOCUMENT, OTHER } content;

struct cv_endpoint {
    CURL *easy;
    struct curl_slist *headers;
    char error[CURL_ERROR_SIZE];
    int64_t last_piece; /* when it came; 0: none has */
    int64_t status;
    content content;
    cv_stream stream;
    cv_wire wire;
    cv_buf body;       /* a document, or an error */
    cv_arena outgoing; /* the request, until all of it is sent */
    size_t outgoing_bytes;
};

/* ---- what comes -------------------------------------------------------------------------------------------------- */

static void add_text(void *ctx, cv_str piece)
{
    cv_one *one = ctx;
    cv_one_add(one, piece, one->request.reach->max_output);
}

static bool header_is(cv_str line, cv_str name, cv_str *ret_value)
{
    if (!cv_str_starts_nocase(line, name))
        return false;
    *ret_value = cv_str_trim(cv_str_from(line, name.n));
    return true;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *ctx)
{
    static const struct {
        cv_str type;
        content content;
    } known[] = {
        {CV_STR_INIT("text/event-stream"), EVENTS},
        {CV_STR_INIT("application/x-ndjson"), LINES},
        {CV_STR_INIT("application/json"), DOCUMENT},
    };
    cv_one *one = ctx;
    cv_str line = {bytes, size * count}, value;
    if (cv_str_starts(line, CV_STR("HTTP/")))
        one->endpoint->content = UNKNOWN; /* of the answer that counts: the last one */
    if (header_is(line, CV_STR("content-type:"), &value)) {
        one->endpoint->content = OTHER;
        for (size_t i = 0; i < CV_COUNT(known); i++)
            if (cv_str_starts_nocase(value, known[i].type))
                one->endpoint->content = known[i].content;
    } else if (header_is(line, CV_STR("retry-after-ms:"), &value)) {
        int ms;
        one->result.retry_after_ms = cv_str_to_int(value, &ms) && ms >= 0 ? ms : CV_ABSENT;
    } else if (header_is(line, CV_STR("retry-after:"), &value) && one->result.retry_after_ms == CV_ABSENT) {
        cv_clock clock = cv_clock_system();
        one->result.retry_after_ms = cv_retry_after(value, clock.now_ms(clock.ctx));
    }
    return line.n;
}

/* Not every server names what it sends, and some name it wrongly: then the first byte tells. "data:", "event:", "id:",
 * ": a comment" begin a stream. Ollama streams lines in any case. */
static void settle_content(cv_one *one, cv_str bytes)
{
    struct cv_endpoint *e = one->endpoint;
    long status = 0;
    bool streams = bytes.p[0] && strchr("dei:", bytes.p[0]);
    curl_easy_getinfo(e->easy, CURLINFO_RESPONSE_CODE, &status);
    e->status = status;
    if (e->content == UNKNOWN || (e->content == OTHER && bytes.p[0] == '{'))
        e->content = bytes.p[0] == '{' ? DOCUMENT : EVENTS;
    if (streams && (e->content == OTHER || e->content == DOCUMENT))
        e->content = EVENTS;
    if (e->content == DOCUMENT && one->request.reach->protocol == CV_PROTOCOL_OLLAMA)
        e->content = LINES;
    e->stream.lines = e->content == LINES;
    e->body.ceiling = status == 200 ? (size_t)one->request.reach->max_output * 2 + MAX_ERROR : MAX_ERROR;
}

/* Many calls wait at the same time, and prompts are long: what the server has is not kept here. */
static void forget_request(struct cv_endpoint *e)
{
    curl_off_t sent = 0;
    curl_easy_getinfo(e->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    if ((size_t)sent == e->outgoing_bytes)
        cv_arena_release(&e->outgoing);
}

/* Returning another number than was given ends the exchange. */
static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
    cv_one *one = ctx;
    struct cv_endpoint *e = one->endpoint;
    cv_str piece = {bytes, size * count};
    if (piece.n == 0)
        return 0;
    if (!e->last_piece) {
        settle_content(one, piece);
        forget_request(e);
    }
    e->last_piece = cv_monotonic_ms();
    if (e->status != 200 || e->content == OTHER) {
        cv_buf_add(&e->body, cv_str_head(piece, MAX_ERROR - (e->body.n < MAX_ERROR ? e->body.n : MAX_ERROR)));
        return e->body.n < MAX_ERROR ? piece.n : 0;
    }
    if (e->content == DOCUMENT) {
        cv_buf_add(&e->body, piece);
        if (!cv_buf_ok(&e->body))
            cv_one_decide(one, CV_CALL_TOO_LARGE, "the answer has more than the %lld bytes that are allowed",
                          (long long)one->request.reach->max_output);
    } else if (!cv_stream_add(&e->stream, piece, cv_wire_event, &e->wire)) {
        cv_one_decide(one, CV_CALL_GARBAGE, "one event of the stream is longer than %d bytes", CV_STREAM_EVENT);
    }
    return one->decided || e->wire.trouble != CV_CALL_ANSWERED ? 0 : piece.n;
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static void add_header(struct cv_endpoint *e, const char *text)
{
    struct curl_slist *more = curl_slist_append(e->headers, text);
    if (!more)
        cv_out_of_memory(strlen(text));
    e->headers = more;
}

/* False: there is no key, and the call is decided. */
static bool add_key(cv_calls *calls, cv_one *one)
{
    const cv_reach *reach = one->request.reach;
    if (!reach->key_env.n)
        return true;
    const char *name = cv_arena_copy_z(&one->arena, reach->key_env);
    const char *value = calls->world.variable(calls->world.ctx, name);
    cv_str key = cv_str_trim(cv_str_of(value));
    if (!key.n || cv_str_has_control(key)) {
        cv_one_decide(one, CV_CALL_NOT_STARTED, "the variable %s, which should hold the key, %s", name,
                      key.n ? "has line breaks or control characters in it" : "is not set");
        return false;
    }
    cv_secrets_add(&one->arena, &one->secrets, reach->key_env, key);
    const char *form = reach->protocol == CV_PROTOCOL_ANTHROPIC ? "x-api-key: %.*s" : "Authorization: Bearer %.*s";
    cv_buf header = {0};
    cv_buf_printf(&header, form, CV_FMT(key));
    cv_buf_add_char(&header, '\0');
    add_header(one->endpoint, header.p);
    memset(header.p, 0, header.n);
    cv_buf_release(&header);
    return true;
}

/* Certificates of a company's own: where the user's programs look for them, we do, too. */
static void trust(const cv_calls *calls, CURL *easy)
{
    static const struct {
        const char *name;
        CURLoption option;
    } places[] = {
        {"SSL_CERT_DIR", CURLOPT_CAPATH}, {"SSL_CERT_FILE", CURLOPT_CAINFO}, {"CURL_CA_BUNDLE", CURLOPT_CAINFO}};
    for (size_t i = 0; i < CV_COUNT(places); i++) {
        const char *path = calls->world.variable(calls->world.ctx, places[i].name);
        if (path && *path)
            curl_easy_setopt(easy, places[i].option, path);
    }
}

static void set_options(const cv_calls *calls, cv_one *one, cv_str body)
{
    struct cv_endpoint *e = one->endpoint;
    CURL *easy = e->easy;
    trust(calls, easy);
    curl_easy_setopt(easy, CURLOPT_URL, cv_arena_copy_z(&one->arena, one->request.reach->url));
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "conclave/" CV_VERSION);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, e->headers);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.p);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)RECEIVE_BUFFER);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)SEND_BUFFER);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CV_CALLS_CONNECT_MS);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, one);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, one);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, e->error);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, one);
    if (cv_url_is_local(one->request.reach->url))
        curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* this machine is not behind a proxy */
}

void cv_endpoint_start(cv_calls *calls, cv_one *one)
{
    cv_err err = {.arena = &one->arena};
    const cv_reach *reach = one->request.reach;
    one->ended = true;
    if (!cv_curl_load(&err)) {
        cv_one_decide(one, CV_CALL_NOT_STARTED, "%.*s", CV_FMT(cv_err_text(&err)));
        return;
    }
    struct cv_endpoint *e = one->endpoint = CV_NEW(&one->arena, struct cv_endpoint);
    e->wire = (cv_wire){.protocol = reach->protocol,
                        .arena = &one->arena,
                        .scratch = &calls->scratch,
                        .text = add_text,
                        .ctx = one,
                        .result = &one->result};
    calls->multi = calls->multi ? calls->multi : curl_multi_init();
    e->easy = curl_easy_init();
    if (!calls->multi || !e->easy)
        cv_out_of_memory(sizeof *e);
    add_header(e, "Content-Type: application/json");
    add_header(e, "Accept: text/event-stream, application/x-ndjson, application/json");
    add_header(e, "Expect:"); /* the body is sent at once */
    if (reach->protocol == CV_PROTOCOL_ANTHROPIC)
        add_header(e, "anthropic-version: 2023-06-01");
    if (!add_key(calls, one))
        return;
    cv_str request = cv_wire_request(&e->outgoing, reach, one->request.system, one->request.prompt);
    e->outgoing_bytes = request.n;
    set_options(calls, one, request);
    one->ended = curl_multi_add_handle(calls->multi, e->easy) != CURLM_OK;
    if (one->ended)
        cv_one_decide(one, CV_CALL_NOT_STARTED, "the request could not be started");
}

/* ---- its end ----------------------------------------------------------------------------------------------------- */

static void conclude_stream(cv_one *one, bool cut)
{
    struct cv_endpoint *e = one->endpoint;
    cv_str message;
    if (e->content == DOCUMENT) {
        cv_wire_document(&e->wire, cv_buf_str(&e->body));
    } else {
        bool sound = e->wire.trouble == CV_CALL_ANSWERED;
        cv_stream_end(&e->stream, cv_wire_event, &e->wire);
        if (sound && e->wire.trouble == CV_CALL_GARBAGE)
            e->wire.trouble = CV_CALL_ANSWERED; /* the half of an event: that it was cut is told below */
    }
    cv_calls_outcome outcome = cv_wire_conclude(&e->wire, &message);
    if (cut && outcome == CV_CALL_GARBAGE)
        cv_one_decide(one, CV_CALL_CUT, "the connection ended before the answer did");
    else
        cv_one_decide(one, outcome, "%.*s", CV_FMT(message));
}

static void conclude(cv_one *one, CURLcode code)
{
    struct cv_endpoint *e = one->endpoint;
    long status = 0;
    cv_str message;
    curl_easy_getinfo(e->easy, CURLINFO_RESPONSE_CODE, &status);
    one->result.http_status = status ? status : CV_ABSENT;
    bool cut = code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR ||
               code == CURLE_GOT_NOTHING || code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM;
    const char *why = e->error[0] ? e->error : curl_easy_strerror(code);
    if (status && status != 200) {
        cv_str body = cv_secrets_hide(&one->arena, &one->secrets, cv_buf_str(&e->body)); /* before it is cut */
        cv_calls_outcome outcome = cv_wire_refusal(&one->arena, status, body, &message);
        cv_one_decide(one, outcome, "%.*s", CV_FMT(message));
    } else if (status && e->content == OTHER) {
        cv_tail_add(&one->tail, cv_buf_str(&e->body));
        cv_one_decide(one, CV_CALL_GARBAGE, "the server sent neither a stream nor JSON");
    } else if (status && e->last_piece) {
        conclude_stream(one, cut);
    } else if (code == CURLE_OPERATION_TIMEDOUT) {
        cv_one_decide(one, CV_CALL_UNREACHABLE, "no connection: %s", why);
    } else {
        cv_one_decide(one, cut || status ? CV_CALL_CUT : CV_CALL_UNREACHABLE, "%s",
                      code == CURLE_OK ? "the server closed the connection without an answer" : why);
    }
    one->ended = true;
}

/* ---- while it runs ----------------------------------------------------------------------------------------------- */

int64_t cv_endpoint_due(const cv_calls *calls, const cv_one *one)
{
    const struct cv_endpoint *e = one->endpoint;
    int64_t silent = e && e->wire.over && calls->world.stall_ms > LINGER_MS ? LINGER_MS : calls->world.stall_ms;
    int64_t stall = e && e->last_piece ? e->last_piece + silent : one->deadline;
    return one->decided ? 0 : stall < one->deadline ? stall : one->deadline;
}

void cv_endpoint_check(cv_calls *calls, cv_one *one, int64_t now)
{
    if (one->endpoint->wire.over && now >= cv_endpoint_due(calls, one))
        conclude(one, CURLE_OK);
    else if (now >= one->deadline)
        cv_one_decide(one, CV_CALL_TIMEOUT, "there was no complete answer after %.*s",
                      CV_FMT(cv_one_seconds(one, one->deadline - one->began)));
    else if (now >= cv_endpoint_due(calls, one) && !one->decided)
        cv_one_decide(one, CV_CALL_TIMEOUT, "the stream was silent for %.*s",
                      CV_FMT(cv_one_seconds(one, calls->world.stall_ms)));
    one->ended = one->decided;
}

void cv_endpoint_wait(cv_calls *calls, struct pollfd *fds, size_t count, int ms)
{
    struct curl_waitfd *more = CV_NEW_ARRAY(&calls->scratch, count, struct curl_waitfd);
    unsigned used = 0;
    for (size_t i = 0; i < count; i++)
        if (fds[i].fd >= 0)
            more[used++] = (struct curl_waitfd){
                .fd = fds[i].fd, .events = fds[i].events & POLLOUT ? CURL_WAIT_POLLOUT : CURL_WAIT_POLLIN};
    curl_multi_poll(calls->multi, more, used, ms, NULL);
    cv_arena_reset(&calls->scratch);
    poll(fds, count, 0); /* the library tells nothing of ends that were closed */
}

/* ---- afterwards -------------------------------------------------------------------------------------------------- */

void cv_endpoint_answer(cv_one *one)
{
    cv_err err = {.arena = &one->arena};
    if (one->result.outcome != CV_CALL_ANSWERED || cv_spool_read(&one->arena, &one->spool, &one->result.answer, &err))
        return;
    one->decided = false;
    cv_one_decide(one, CV_CALL_FAILED, "%.*s", CV_FMT(cv_err_text(&err)));
}

void cv_endpoint_serve(cv_calls *calls)
{
    int running, left;
    curl_multi_perform(calls->multi, &running);
    for (CURLMsg *done; (done = curl_multi_info_read(calls->multi, &left));) {
        char *one = NULL;
        if (done->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(done->easy_handle, CURLINFO_PRIVATE, &one);
        conclude((cv_one *)(void *)one, done->data.result);
    }
}

void cv_endpoint_release(cv_calls *calls, cv_one *one)
{
    struct cv_endpoint *e = one->endpoint;
    if (!e)
        return;
    if (e->easy) {
        curl_multi_remove_handle(calls->multi, e->easy);
        curl_easy_cleanup(e->easy);
    }
    curl_slist_free_all(e->headers);
    cv_arena_release(&e->outgoing);
    cv_stream_release(&e->stream);
    cv_buf_release(&e->body);
}

void cv_endpoints_end(cv_calls *calls)
{
    if (calls->multi)
        curl_multi_cleanup(calls->multi);
}
