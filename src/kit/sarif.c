/* sarif.c - findings as SARIF 2.1.0; see sarif.h. */
#include "kit/sarif.h"

static const char *const hex = "0123456789ABCDEF";

/* A path as a URI: relative ones stay relative, what is not plain is percent-encoded. */
static cv_str uri_of(cv_arena *a, const char *file)
{
    if (strcmp(file, "-") == 0)
        return CV_STR("stdin");
    cv_buf b = {0};
    cv_buf_add_z(&b, file[0] == '/' ? "file://" : "");
    for (const char *p = file; *p; p++) {
        if (cv_is_alnum(*p) || strchr("-._~/", *p)) {
            cv_buf_add_char(&b, *p);
        } else {
            char code[3] = {'%', hex[(unsigned char)*p >> 4], hex[(unsigned char)*p & 15]};
            cv_buf_add(&b, (cv_str){code, 3});
        }
    }
    cv_str uri = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return uri;
}

static void text_object(cv_json_writer *w, const char *key, cv_str text)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_object(w);
    cv_json_key_str(w, "text", text);
    cv_json_end_object(w);
}

static void print_rule(cv_json_writer *w, const cv_rule_row *rule, cv_str pages, const char *command)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "id", rule->word);
    text_object(w, "shortDescription", rule->summary);
    cv_buf help = {0};
    bool own = cv_str_ends(pages, CV_STR("/"));
    cv_buf_printf(&help, "See %.*s%.*s%s", CV_FMT(pages), CV_FMT(own ? rule->word : CV_STR("")), own ? ".md" : "");
    if (rule->fixable)
        cv_buf_printf(&help, "; '%s --fix' can fix it", command);
    text_object(w, "help", cv_buf_str(&help));
    cv_buf_release(&help);
    cv_json_key(w, CV_STR("defaultConfiguration"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "level", cv_severity_words[rule->severity]);
    cv_json_end_object(w);
    cv_json_end_object(w);
}

void cv_sarif_begin(cv_json_writer *w, const char *version, const cv_rule_row *rules, size_t count, const char *pages,
                    const char *command)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "$schema", CV_STR("https://json.schemastore.org/sarif-2.1.0.json"));
    cv_json_key_str(w, "version", CV_STR("2.1.0"));
    cv_json_key(w, CV_STR("runs"));
    cv_json_begin_array(w);
    cv_json_begin_object(w);
    cv_json_key(w, CV_STR("tool"));
    cv_json_begin_object(w);
    cv_json_key(w, CV_STR("driver"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "name", CV_STR("conclave"));
    cv_json_key_str(w, "version", cv_str_of(version));
    cv_json_key(w, CV_STR("rules"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        print_rule(w, &rules[i], cv_str_of(pages), command);
    cv_json_end_array(w);
    cv_json_end_object(w);
    cv_json_end_object(w);
    cv_json_key_str(w, "columnKind", CV_STR("unicodeCodePoints"));
    cv_json_key(w, CV_STR("results"));
    cv_json_begin_array(w);
}

static void print_artifact(cv_json_writer *w, cv_str uri)
{
    cv_json_key(w, CV_STR("artifactLocation"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "uri", uri);
    cv_json_end_object(w);
}

static void print_location(cv_json_writer *w, cv_str uri, cv_str text, const cv_finding *f)
{
    cv_json_key(w, CV_STR("locations"));
    cv_json_begin_array(w);
    cv_json_begin_object(w);
    cv_json_key(w, CV_STR("physicalLocation"));
    cv_json_begin_object(w);
    print_artifact(w, uri);
    cv_json_key(w, CV_STR("region"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "startLine", (int64_t)f->line);
    cv_json_key_int(w, "startColumn", (int64_t)f->column);
    cv_json_key_int(w, "endColumn", (int64_t)(f->column + cv_finding_width(text, f)));
    cv_json_end_object(w);
    cv_json_end_object(w);
    cv_json_end_object(w);
    cv_json_end_array(w);
}

static void print_fix(cv_json_writer *w, cv_str uri, const cv_finding *f)
{
    cv_json_key(w, CV_STR("fixes"));
    cv_json_begin_array(w);
    cv_json_begin_object(w);
    text_object(w, "description", f->hint);
    cv_json_key(w, CV_STR("artifactChanges"));
    cv_json_begin_array(w);
    cv_json_begin_object(w);
    print_artifact(w, uri);
    cv_json_key(w, CV_STR("replacements"));
    cv_json_begin_array(w);
    cv_json_begin_object(w);
    cv_json_key(w, CV_STR("deletedRegion"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "byteOffset", (int64_t)f->start);
    cv_json_key_int(w, "byteLength", (int64_t)(f->end - f->start));
    cv_json_end_object(w);
    text_object(w, "insertedContent", f->fix);
    cv_json_end_object(w);
    cv_json_end_array(w);
    cv_json_end_object(w);
    cv_json_end_array(w);
    cv_json_end_object(w);
    cv_json_end_array(w);
}

static void print_result(cv_json_writer *w, cv_arena *a, const cv_rule_row *rule, cv_str uri, cv_str text,
                         const cv_finding *f)
{
    cv_str message = f->hint.n ? cv_arena_printf(a, "%.*s (%.*s)", CV_FMT(f->message), CV_FMT(f->hint)) : f->message;
    cv_json_begin_object(w);
    cv_json_key_str(w, "ruleId", rule->word);
    cv_json_key_int(w, "ruleIndex", (int64_t)f->rule);
    cv_json_key_str(w, "level", cv_severity_words[rule->severity]);
    text_object(w, "message", message);
    print_location(w, uri, text, f);
    if (f->has_fix)
        print_fix(w, uri, f);
    cv_json_end_object(w);
}

void cv_sarif_file(cv_json_writer *w, cv_arena *a, const cv_rule_row *rules, const char *file, cv_str text,
                   const cv_findings *findings)
{
    cv_str uri = uri_of(a, file);
    for (size_t i = 0; i < findings->count; i++)
        print_result(w, a, &rules[findings->items[i].rule], uri, text, &findings->items[i]);
}

/* The invocation names what could not be read: a scan with holes is not a clean one. */
void cv_sarif_end(cv_json_writer *w, const cv_err *errs, size_t err_count)
{
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("invocations"));
    cv_json_begin_array(w);
    cv_json_begin_object(w);
    cv_json_key_bool(w, "executionSuccessful", err_count == 0);
    if (err_count > 0) {
        cv_json_key(w, CV_STR("toolExecutionNotifications"));
        cv_json_begin_array(w);
        for (size_t i = 0; i < err_count; i++) {
            cv_json_begin_object(w);
            cv_json_key_str(w, "level", CV_STR("error"));
            text_object(w, "message", cv_err_text(&errs[i]));
            cv_json_end_object(w);
        }
        cv_json_end_array(w);
    }
    cv_json_end_object(w);
    cv_json_end_array(w);
    cv_json_end_object(w);
    cv_json_end_array(w);
    cv_json_end_object(w);
}
