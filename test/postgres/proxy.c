/* proxy.c - between a client and a PostgreSQL server: delays, cuts, stalls and counts.
 *
 *     proxy LISTEN SERVER [COMMAND]...       LISTEN and SERVER: the path of a socket, or a port of loopback (0: any)
 *
 *     client --> from[CLIENT] --> frames --> held until due --> server
 *     client <-- held until due <-- frames <-- from[SERVER] <-- server
 *
 * It prints "listening WHERE", then reads commands, one in a line, and answers each with one line, "ok …" or "error …".
 * It ends with its standard input, and then prints its counts. Arguments are commands that come before the first
 * connection.
 *
 *     delay MS               every message waits that long, in both directions
 *     cut before commit [N]  of the N-th COMMIT from now, nothing reaches the server; what was sent before it does
 *     cut at commit [N]      it reaches the server, and the connections are closed at once
 *     cut after commit [N]   the server has answered it; nothing of the answer reaches the client
 *     cut message N          before the N-th message from now reaches the server
 *     cut byte N             after N bytes from now have reached the server, in the middle of a message or not
 *     cut random SEED M      each message of a client, with a probability of M in a thousand: before it, in its middle,
 *                            after it, or after its answer
 *     cut never              what was armed is forgotten
 *     cut now                every connection
 *     pause, resume          nothing is forwarded; everything again
 *     refuse, accept         new connections are closed; accepted again
 *     count, reset           "ok connections 1 trips 3 messages 9 syncs 3 commits 1 cuts 0 to_server 120 to_client 300"
 *
 * A cut but the random one happens once, and closes both sides of its connection. A trip is a message of the client
 * after something from the server; a sync is what the server answers with "ready": Query, Sync, or a function call.
 * COMMIT is found in Query and Parse messages, where it begins a statement. A connection with TLS is forwarded, not
 * read. SIGUSR1 prints the counts, too.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CLIENT, SERVER };
enum { MAX_CONNECTIONS = 1024, MAX_LINE = 256, CHUNK = 64 * 1024, MAX_MESSAGE = 1 << 30 };
enum { SPIN_NS = 60000 }; /* a process that sleeps wakes up so late: the rest of a delay is waited for awake */
enum { CODE_CANCEL = 80877102, CODE_TLS, CODE_GSS }; /* in the place of a version, at the beginning of a connection */

/* ---- bytes and time -------------------------------------------------------------------------- */

typedef struct {
    char *p;
    size_t n, capacity;
    size_t dropped; /* bytes before `p` that are free */
} bytes;

static void append(bytes *b, const void *p, size_t n)
{
    if (b->dropped + b->n + n > b->capacity) {
        char *begin = b->p - b->dropped;
        if (b->dropped && b->n)
            memmove(begin, b->p, b->n);
        b->capacity = (b->n + n) * 2 > b->capacity ? (b->n + n) * 2 : b->capacity;
        b->p = realloc(begin, b->capacity);
        b->dropped = 0;
        if (!b->p)
            abort();
    }
    if (n)
        memcpy(b->p + b->n, p, n);
    b->n += n;
}

static void drop(bytes *b, size_t n)
{
    size_t back = n == b->n ? b->dropped + n : 0; /* empty: from the beginning again */
    b->n -= n;
    b->dropped += n - back;
    b->p += n - back;
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- state ----------------------------------------------------------------------------------- */

/* What is to be sent: all bytes of a batch are due at the same time. */
typedef struct {
    int64_t due;
    size_t n;
} batch;

typedef struct {
    int fd;
    bool ended;     /* nothing more comes from it */
    bytes from;     /* read, not yet a whole message */
    bytes held;     /* to be sent to the other one */
    batch *batches; /* the batches of `held`, in order */
    size_t batch_count, batch_capacity;
    size_t passing; /* bytes of a message that is forwarded as they come */
} side;

typedef struct {
    side sides[2];
    bool started;      /* the first message of the client, which has no type, is over */
    bool opaque;       /* TLS, or a cancel request */
    bool answer_byte;  /* the server answers a request for TLS with one byte */
    bool server_spoke; /* since the client's last message: its next one begins a trip */
    int64_t number;    /* of those accepted */
    int64_t messages;  /* of the client */
    int64_t syncs;     /* among them */
    int64_t readies;   /* of the server, without the one that follows the login */
    bool withhold;     /* nothing more of the server reaches the client */
    int64_t cut_ready; /* with it: the connection is cut when the server has been ready so many times */
    bool cut_sent;     /* the connection is cut when all that is held for the server has been sent */
    bool gone;
} connection;

typedef enum { NEVER, BEFORE_COMMIT, AT_COMMIT, AFTER_COMMIT, MESSAGE, BYTE, RANDOM } cut_kind;

static connection *connections[MAX_CONNECTIONS];
static size_t connection_count;
static int64_t delay_ns;
static bool paused, refusing;
static struct {
    cut_kind kind;
    int64_t left; /* commits, messages or bytes until it happens */
    uint64_t seed, permille;
    int64_t accepted; /* connections since it was armed */
} cut;
static struct {
    int64_t connections, trips, messages, syncs, commits, cuts, bytes[2]; /* bytes by who sent them */
} counts;
static volatile sig_atomic_t asked;

static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* By the seed and the place of the message: which of several clients is quicker changes nothing. */
static uint64_t chance(const connection *c)
{
    return mix(cut.seed + mix((uint64_t)c->number << 32 | (uint64_t)c->messages));
}

/* ---- the protocol ---------------------------------------------------------------------------- */

static uint32_t read32(const char *p)
{
    uint32_t n;
    memcpy(&n, p, sizeof n);
    return ntohl(n);
}

/* The length of the message that `b` begins with, or 0 when it is not there whole. */
static size_t whole_message(const bytes *b, bool typed)
{
    size_t head = typed ? 5 : 4;
    if (b->n < head)
        return 0;
    size_t n = read32(b->p + head - 4);
    if (n < 4 || n > MAX_MESSAGE)
        return b->n; /* not the protocol: as it comes */
    n += head - 4;
    return b->n >= n ? n : 0;
}

/* A message of the client with values of a statement, of which only the beginning is there, may be forwarded as it
 * comes: on a line it would not wait for its end, either. */
static size_t length_of_values(const bytes *b)
{
    return b->n >= 5 && b->p[0] == 'B' ? read32(b->p + 1) + 1 : 0;
}

/* COMMIT at the beginning of one of the statements of a text. */
static bool has_commit(const char *p, size_t n)
{
    bool begins = true;
    for (size_t i = 0; i < n && p[i]; i++) {
        if (begins && n - i >= 6 && strncasecmp(p + i, "commit", 6) == 0 &&
            (n - i == 6 || (!isalnum((unsigned char)p[i + 6]) && p[i + 6] != '_')))
            return true;
        if (p[i] == ';')
            begins = true;
        else if (!isspace((unsigned char)p[i]))
            begins = false;
    }
    return false;
}

/* A message with its type: 'Q' text, or 'P' name, text. */
static bool is_commit(const char *p, size_t n)
{
    if (p[0] == 'Q')
        return has_commit(p + 5, n - 5);
    if (p[0] != 'P')
        return false;
    const char *end = memchr(p + 5, 0, n - 5);
    return end && has_commit(end + 1, (size_t)(p + n - (end + 1)));
}

/* ---- forwarding ------------------------------------------------------------------------------ */

static void close_connection(connection *c)
{
    if (c->gone)
        return;
    c->gone = true;
    for (int i = 0; i < 2; i++)
        close(c->sides[i].fd);
}

static void cut_connection(connection *c)
{
    counts.cuts++;
    close_connection(c);
}

/* Puts bytes that came from `who` into what is held for the other one. */
static void hold(connection *c, int who, const char *p, size_t n)
{
    side *s = &c->sides[who];
    if (s->batch_count == s->batch_capacity) {
        s->batch_capacity = s->batch_capacity ? s->batch_capacity * 2 : 16;
        s->batches = realloc(s->batches, s->batch_capacity * sizeof *s->batches);
        if (!s->batches)
            abort();
    }
    s->batches[s->batch_count++] = (batch){now_ns() + delay_ns, n};
    append(&s->held, p, n);
    counts.bytes[who] += (int64_t)n;
}

/* Only the first `n` bytes of a message, then the end. */
static void hold_last(connection *c, const char *p, size_t n)
{
    hold(c, CLIENT, p, n);
    c->cut_sent = c->withhold = true;
    c->cut_ready = INT64_MAX;
}

/* The whole message; then the server's answer to the sync that ends its batch, which the client does not get. */
static void hold_and_wait(connection *c, const char *p, size_t n)
{
    hold(c, CLIENT, p, n);
    c->withhold = true;
    c->cut_ready = c->syncs + (p[0] == 'Q' || p[0] == 'S' ? 0 : 1);
}

/* One of the ways, by chance. */
static void cut_at_random(connection *c, const char *p, size_t n)
{
    switch (mix(chance(c)) % 4) {
    case 0:
        hold_last(c, p, 0);
        break;
    case 1:
        hold_last(c, p, n / 2);
        break;
    case 2:
        hold_last(c, p, n);
        break;
    default:
        hold_and_wait(c, p, n);
        break;
    }
}

/* True when the cut that is armed happens at this message; it is forwarded as far as the cut says. */
static bool cut_here(connection *c, const char *p, size_t n, bool commit)
{
    cut_kind kind = cut.kind;
    if (kind == RANDOM && chance(c) % 1000 < cut.permille)
        return cut_at_random(c, p, n), true;
    if (kind == NEVER || kind == RANDOM || (kind <= AFTER_COMMIT && !commit))
        return false;
    int64_t step = kind == BYTE ? (int64_t)n : 1, left = cut.left;
    cut.left -= step;
    if (cut.left > 0)
        return false;
    cut.kind = NEVER;
    if (kind == AFTER_COMMIT)
        hold_and_wait(c, p, n);
    else
        hold_last(c, p, kind == AT_COMMIT ? n : kind == BYTE ? (size_t)left : 0);
    return true;
}

/* One whole message of the client. */
static void from_client(connection *c, const char *p, size_t n)
{
    bool commit = c->started && is_commit(p, n);
    counts.trips += c->server_spoke;
    c->server_spoke = false;
    c->messages++;
    counts.messages++;
    counts.commits += commit;
    if (c->started && strchr("QSF", p[0])) {
        c->syncs++;
        counts.syncs++;
    }
    if (c->started && cut_here(c, p, n, commit))
        return;
    hold(c, CLIENT, p, n);
    if (c->started || n < 8)
        return;
    uint32_t code = read32(p + 4);
    c->answer_byte = code == CODE_TLS || code == CODE_GSS;
    c->opaque = code == CODE_CANCEL;
    c->started = !c->answer_byte;
}

static void from_server(connection *c, const char *p, size_t n)
{
    c->server_spoke = true;
    if (!c->withhold)
        hold(c, SERVER, p, n);
    if (p[0] == 'Z' && n == 6 && ++c->readies >= c->cut_ready && c->withhold)
        cut_connection(c);
}

/* Takes whole messages out of what was read. */
static void take_messages(connection *c, int who)
{
    side *s = &c->sides[who];
    bytes *b = &s->from;
    size_t at = 0;
    while (at < b->n && !c->gone && !c->cut_sent) {
        bytes rest = {.p = b->p + at, .n = b->n - at};
        size_t n = rest.n, whole;
        if (s->passing) {
            n = n < s->passing ? n : s->passing;
            s->passing -= n;
            hold(c, who, rest.p, n);
        } else if (who == SERVER && c->answer_byte) {
            n = 1;
            c->answer_byte = false;
            c->opaque = *rest.p != 'N' && *rest.p != 'E';
            hold(c, who, rest.p, n);
            c->server_spoke = true;
        } else if (c->opaque) {
            hold(c, who, rest.p, n);
        } else if ((n = whole_message(&rest, who == SERVER || c->started)) == 0) {
            whole = who == CLIENT && c->started && cut.kind == NEVER ? length_of_values(&rest) : 0;
            if (whole == 0)
                break;
            n = rest.n;
            s->passing = whole - n;
            from_client(c, rest.p, n);
        } else if (who == CLIENT) {
            from_client(c, rest.p, n);
        } else {
            from_server(c, rest.p, n);
        }
        at += n;
    }
    if (!c->gone)
        drop(b, c->cut_sent ? b->n : at);
}

static void read_side(connection *c, int who)
{
    static char chunk[CHUNK];
    side *s = &c->sides[who];
    ssize_t n = read(s->fd, chunk, sizeof chunk);
    if (n > 0) {
        append(&s->from, chunk, (size_t)n);
        take_messages(c, who);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        s->ended = true;
    }
}

/* Sends what is due, as far as the other side takes it. */
static void send_due(connection *c, int who)
{
    side *s = &c->sides[who];
    size_t n = 0, due = 0;
    int64_t now = now_ns();
    while (due < s->batch_count && s->batches[due].due <= now)
        n += s->batches[due++].n;
    if (n) {
        ssize_t sent = send(c->sides[!who].fd, s->held.p, n, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            close_connection(c);
            return;
        }
        n = sent > 0 ? (size_t)sent : 0;
    }
    drop(&s->held, n);
    size_t done = 0;
    for (; done < s->batch_count && s->batches[done].n <= n && (n || s->batches[done].n == 0); done++)
        n -= s->batches[done].n;
    if (done < s->batch_count)
        s->batches[done].n -= n;
    memmove(s->batches, s->batches + done, (s->batch_count - done) * sizeof *s->batches);
    s->batch_count -= done;
    if (who == CLIENT && c->cut_sent && s->held.n == 0)
        cut_connection(c);
    else if (s->ended && s->held.n == 0)
        close_connection(c);
}

/* ---- sockets --------------------------------------------------------------------------------- */

static void die(const char *what, const char *where)
{
    fprintf(stderr, "proxy: %s %s: %s\n", what, where, strerror(errno));
    exit(1);
}

/* A path, or a port of loopback. */
static socklen_t place(const char *where, struct sockaddr_storage *ret)
{
    memset(ret, 0, sizeof *ret);
    if (strchr(where, '/')) {
        struct sockaddr_un *un = (struct sockaddr_un *)ret;
        un->sun_family = AF_UNIX;
        if (strlen(where) >= sizeof un->sun_path) {
            errno = ENAMETOOLONG;
            die("cannot use", where);
        }
        strcpy(un->sun_path, where);
        return sizeof *un;
    }
    struct sockaddr_in *in = (struct sockaddr_in *)ret;
    in->sin_family = AF_INET;
    in->sin_port = htons((uint16_t)atoi(where));
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return sizeof *in;
}

static int listen_at(const char *where)
{
    struct sockaddr_storage address;
    socklen_t n = place(where, &address);
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (address.ss_family == AF_UNIX)
        unlink(where);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, n) < 0 || listen(fd, 256) < 0)
        die("cannot listen at", where);
    getsockname(fd, (struct sockaddr *)&address, &n);
    if (address.ss_family == AF_UNIX)
        printf("listening %s\n", where);
    else
        printf("listening %d\n", ntohs(((struct sockaddr_in *)&address)->sin_port));
    fflush(stdout);
    return fd;
}

static void set_up(int fd)
{
    int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes); /* of a path: not supported, and not needed */
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void accept_client(int listener, const char *server)
{
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0)
        return;
    struct sockaddr_storage address;
    socklen_t n = place(server, &address);
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (refusing || connection_count == MAX_CONNECTIONS || connect(fd, (struct sockaddr *)&address, n) < 0) {
        close(client);
        close(fd);
        return;
    }
    set_up(client);
    set_up(fd);
    connection *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    *c = (connection){.sides = {{.fd = client}, {.fd = fd}},
                      .number = cut.accepted++,
                      .server_spoke = true,
                      .readies = -1,
                      .cut_ready = INT64_MAX};
    connections[connection_count++] = c;
    counts.connections++;
}

static void forget_closed(void)
{
    for (size_t i = 0; i < connection_count;) {
        connection *c = connections[i];
        if (!c->gone) {
            i++;
            continue;
        }
        for (int k = 0; k < 2; k++) {
            free(c->sides[k].from.p - c->sides[k].from.dropped);
            free(c->sides[k].held.p - c->sides[k].held.dropped);
            free(c->sides[k].batches);
        }
        free(c);
        connections[i] = connections[--connection_count];
    }
}

/* ---- commands -------------------------------------------------------------------------------- */

static void print_counts(FILE *out, const char *word)
{
    fprintf(out,
            "%sconnections %" PRId64 " trips %" PRId64 " messages %" PRId64 " syncs %" PRId64 " commits %" PRId64
            " cuts %" PRId64 " to_server %" PRId64 " to_client %" PRId64 "\n",
            word, counts.connections, counts.trips, counts.messages, counts.syncs, counts.commits, counts.cuts,
            counts.bytes[CLIENT], counts.bytes[SERVER]);
    fflush(out);
}

static bool arm(const char *line)
{
    static const struct {
        const char *words;
        cut_kind kind;
    } kinds[] = {{"before commit", BEFORE_COMMIT},
                 {"at commit", AT_COMMIT},
                 {"after commit", AFTER_COMMIT},
                 {"message", MESSAGE},
                 {"byte", BYTE},
                 {"never", NEVER}};
    unsigned long long seed, permille;
    int end = 0;
    if (sscanf(line, "random %llu %llu%n", &seed, &permille, &end) == 2 && line[end] == 0 && permille <= 1000) {
        cut.kind = RANDOM, cut.seed = seed, cut.permille = permille, cut.accepted = 0;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t n = strlen(kinds[i].words);
        if (strncmp(line, kinds[i].words, n) != 0 || (line[n] && line[n] != ' '))
            continue;
        char *rest = NULL;
        long long number = line[n] ? strtoll(line + n, &rest, 10) : 1;
        if ((rest && *rest) || number < 1)
            return false;
        cut.kind = kinds[i].kind, cut.left = number;
        return true;
    }
    return false;
}

static bool set_delay(const char *text)
{
    char *end;
    double ms = strtod(text, &end);
    if (end == text || *end || !(ms >= 0 && ms <= 60000))
        return false;
    delay_ns = (int64_t)(ms * 1e6);
    return true;
}

static bool obey(const char *line)
{
    if (strncmp(line, "delay ", 6) == 0)
        return set_delay(line + 6);
    if (strcmp(line, "cut now") == 0) {
        for (size_t i = 0; i < connection_count; i++)
            if (!connections[i]->gone)
                cut_connection(connections[i]);
        return true;
    }
    if (strncmp(line, "cut ", 4) == 0)
        return arm(line + 4);
    if (strcmp(line, "pause") == 0 || strcmp(line, "resume") == 0)
        return paused = *line == 'p', true;
    if (strcmp(line, "refuse") == 0 || strcmp(line, "accept") == 0)
        return refusing = *line == 'r', true;
    if (strcmp(line, "reset") == 0)
        return memset(&counts, 0, sizeof counts), true;
    return false;
}

static void answer(const char *line)
{
    if (strcmp(line, "count") == 0)
        print_counts(stdout, "ok ");
    else if (obey(line))
        printf("ok %s\n", line);
    else
        printf("error '%s' is not a command\n", line);
    fflush(stdout);
}

/* False at the end of the input. */
static bool read_commands(void)
{
    static bytes input;
    char chunk[MAX_LINE];
    ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    append(&input, chunk, (size_t)n);
    for (char *end; (end = memchr(input.p, '\n', input.n));) {
        *end = 0;
        answer(input.p);
        drop(&input, (size_t)(end + 1 - input.p));
        if (!input.n)
            break;
    }
    return true;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* When the first of what is held is due; what is due and still held waits for the socket, not for the time. */
static int64_t next_due(int64_t now)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < connection_count && !paused; i++)
        for (int k = 0; k < 2; k++) {
            const side *s = &connections[i]->sides[k];
            if (s->batch_count && s->batches[0].due > now && s->batches[0].due < first)
                first = s->batches[0].due;
        }
    return first;
}

static void watch(const connection *c, int64_t now, struct pollfd two[2])
{
    for (int k = 0; k < 2; k++) {
        const side *own = &c->sides[k], *other = &c->sides[!k];
        bool send = other->batch_count && other->batches[0].due <= now;
        two[k] = (struct pollfd){own->fd, (short)((own->ended ? 0 : POLLIN) | (send ? POLLOUT : 0)), 0};
        if (paused || (own->ended && !send))
            two[k].fd = -1;
    }
}

static void serve(int listener, const char *server)
{
    static struct pollfd polled[2 + 2 * MAX_CONNECTIONS];
    for (;;) {
        int64_t now = now_ns(), due = next_due(now);
        size_t n = connection_count;
        polled[0] = (struct pollfd){STDIN_FILENO, POLLIN, 0};
        polled[1] = (struct pollfd){listener, POLLIN, 0};
        for (size_t i = 0; i < n; i++)
            watch(connections[i], now, polled + 2 + 2 * i);
        int64_t left = due - now > SPIN_NS ? due - now - SPIN_NS : 0;
        struct timespec wait = {left / 1000000000, left % 1000000000};
        int ready = ppoll(polled, 2 + 2 * n, due == INT64_MAX ? NULL : &wait, NULL);
        if (asked) {
            asked = 0;
            print_counts(stderr, "");
        }
        if (ready < 0)
            continue;
        if (polled[0].revents && !read_commands())
            return;
        for (size_t i = 0; i < n && !paused; i++) {
            connection *c = connections[i];
            for (int k = 0; k < 2 && !c->gone; k++)
                if (polled[2 + 2 * i + (size_t)k].revents & (POLLIN | POLLHUP | POLLERR))
                    read_side(c, k);
            for (int k = 0; k < 2 && !c->gone; k++)
                send_due(c, k);
        }
        if (polled[1].revents)
            accept_client(listener, server);
        forget_closed();
    }
}

static void on_signal(int number)
{
    (void)number;
    asked = 1;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: proxy LISTEN SERVER [COMMAND]...\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_TIMERSLACK, 1);
    signal(SIGPIPE, SIG_IGN);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal}, NULL);
    for (int i = 3; i < argc; i++)
        if (!obey(argv[i])) {
            fprintf(stderr, "proxy: '%s' is not a command\n", argv[i]);
            return 2;
        }
    serve(listen_at(argv[1]), argv[2]);
    if (strchr(argv[1], '/'))
        unlink(argv[1]);
    print_counts(stdout, "");
    return 0;
}
