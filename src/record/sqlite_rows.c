/* sqlite_rows.c - rows of records.h as parameters and columns, by their field tables.
 *
 *     put_…     :dialogue_id, :rev, then the fields         an entity's kind is not bound: it is the table
 *     all_…     rev, then the fields                        of all rows; since_…, about_… of some
 *     outline_… rev, then the fields of the outline         of all rows
 */
#include "record/sqlite_engine.h"

const cv_sqlite_table cv_sqlite_tables[CV_SQLITE_TABLES] = {
    {CV_REC_DIALOGUE, 0, "put_dialogue", "all_dialogue", "outline_dialogue", NULL, NULL},
    {CV_REC_EXPERT, 0, "put_expert", "all_expert", "outline_expert", NULL, NULL},
    {CV_REC_SEAT, 0, "put_seat", "all_seat", "outline_seat", NULL, NULL},
    {CV_REC_ROUND, 0, "put_round", "all_round", "outline_round", NULL, NULL},
    {CV_REC_SCORE, 0, "put_score", "all_score", NULL, NULL, NULL},
    {CV_REC_RESPONSE, 0, "put_response", "all_response", "outline_response", NULL, NULL},
    {CV_REC_ENTITY, 'P', "put_P", "all_P", "outline_P", "since_P", "about_P"},
    {CV_REC_ENTITY, 'R', "put_R", "all_R", "outline_R", "since_R", "about_R"},
    {CV_REC_ENTITY, 'T', "put_T", "all_T", "outline_T", "since_T", "about_T"},
    {CV_REC_ENTITY, 'E', "put_E", "all_E", "outline_E", "since_E", "about_E"},
    {CV_REC_ENTITY, 'C', "put_C", "all_C", "outline_C", "since_C", "about_C"},
    {CV_REC_ORIGIN, 0, "put_origin", "all_origin", NULL, "since_origin", "about_origin"},
    {CV_REC_REFERENCE, 0, "put_reference", "all_reference", NULL, "since_reference", "about_reference"},
    {CV_REC_MOVE, 0, "put_move", "all_move", "outline_move", NULL, NULL},
    {CV_REC_VERDICT, 0, "put_verdict", "all_verdict", "outline_verdict", NULL, NULL},
    {CV_REC_EVENT, 0, "put_event", "all_event", "outline_event", "since_event", "about_event"},
};

const cv_sqlite_table *cv_sqlite_table_of(cv_rec_kind kind, const void *row)
{
    cv_str word = kind == CV_REC_ENTITY ? ((const cv_rec_entity *)row)->kind : (cv_str){"", 1};
    for (size_t i = 0; i < CV_SQLITE_TABLES && word.n == 1; i++)
        if (cv_sqlite_tables[i].kind == kind && cv_sqlite_tables[i].letter == word.p[0])
            return &cv_sqlite_tables[i];
    return NULL;
}

static int bind_field(sqlite3_stmt *st, int parameter, const cv_field *field, const void *row)
{
    const char *at = (const char *)row + field->offset;
    if (field->type == CV_FIELD_INT) {
        int64_t number;
        memcpy(&number, at, sizeof number);
        return number == CV_ABSENT ? sqlite3_bind_null(st, parameter) : sqlite3_bind_int64(st, parameter, number);
    }
    cv_str text;
    memcpy(&text, at, sizeof text);
    return sqlite3_bind_text64(st, parameter, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
}

bool cv_sqlite_bind_row(sqlite3_stmt *st, const cv_sqlite_table *table, cv_str dialogue_id, int64_t rev,
                        const void *row)
{
    const cv_rec_type *type = &cv_rec_types[table->kind];
    size_t first = table->letter ? 1 : 0;
    int parameter = 1;
    int rc = sqlite3_bind_text64(st, parameter++, dialogue_id.p, dialogue_id.n, SQLITE_STATIC, SQLITE_UTF8);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(st, parameter++, rev);
    for (size_t i = first; i < type->field_count && rc == SQLITE_OK; i++)
        rc = bind_field(st, parameter++, &type->fields[i], row);
    return rc == SQLITE_OK;
}

static void read_field(sqlite3_value *value, const cv_field *field, void *row)
{
    char *at = (char *)row + field->offset;
    if (field->type == CV_FIELD_INT) {
        bool absent = sqlite3_value_type(value) == SQLITE_NULL;
        int64_t number = sqlite3_value_int64(value);
        number = absent ? CV_ABSENT : number == CV_ABSENT ? CV_ABSENT + 1 : number; /* absent is only what is NULL */
        memcpy(at, &number, sizeof number);
    } else {
        cv_str text = cv_sqlite_value_str(value);
        memcpy(at, &text, sizeof text);
    }
}

void cv_sqlite_clear_row(cv_rec_kind kind, cv_sqlite_row *ret_row)
{
    const cv_rec_type *type = &cv_rec_types[kind];
    *ret_row = (cv_sqlite_row){0};
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].type == CV_FIELD_INT)
            memcpy((char *)ret_row + type->fields[i].offset, &(int64_t){CV_ABSENT}, sizeof(int64_t));
}

void cv_sqlite_read_row(sqlite3_stmt *st, cv_rec_kind kind, bool outline, cv_sqlite_row *ret_row)
{
    const cv_rec_type *type = &cv_rec_types[kind];
    const cv_field *fields = outline ? type->outline : type->fields;
    size_t count = outline ? type->outline_count : type->field_count;
    ret_row->dialogue.rev = sqlite3_column_int64(st, 0); /* the first member of every row */
    for (size_t i = 0; i < count; i++)
        read_field(sqlite3_column_value(st, (int)i + 1), &fields[i], ret_row);
}
