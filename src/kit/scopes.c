/* scopes.c - the scopes of all rooms; see scopes.h. */
#include "kit/scopes.h"

/* The room that keeps its scopes under this name; NULL: the program has none. */
static const cv_room *room_of(cv_str room)
{
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->records && cv_str_eq(cv_rooms[i]->records->room, room))
            return cv_rooms[i];
    return NULL;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

bool cv_scopes_each(const cv_call *call, cv_str room, cv_scopes_visit visit, void *ctx, cv_err *err)
{
    cv_scope_list all;
    bool ok = cv_record_scopes(call->record, call->arena, room, &all, err);
    for (size_t i = 0; i < all.count && ok; i++)
        ok = cv_call_tell(call, i, all.count, all.items[i].scope.name, err) && visit(ctx, all.items[i].scope, err);
    return ok;
}

static bool add_rev(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    int64_t *sum = ctx;
    (void)scope, (void)err;
    *sum += at->rev;
    return true;
}

int64_t cv_scopes_rev(cv_record *record, cv_arena *a, cv_str room)
{
    int64_t sum = 0;
    cv_err err = {.arena = a};
    return record->calls->scopes(record, room, CV_STR(""), 0, add_rev, &sum, &err) ? sum : -1;
}

int64_t cv_scope_rev(cv_record *record, cv_arena *a, cv_scope_id scope)
{
    cv_scope_position at = {0};
    cv_err err = {.arena = a};
    bool ok = record->calls->begin(record, a, scope, &at, &err);
    record->calls->end(record);
    return ok ? at.rev : -1;
}

bool cv_scopes_verify(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at, cv_err *err)
{
    const cv_room *room = room_of(scope.room);
    cv_arena kept = {0}, scratch = {0};
    cv_room_verify own = room && room->verify ? room->verify(&kept, &scratch) : (cv_room_verify){0};
    bool ok = cv_scope_verify(record, a, scope, &own, ret_at, err);
    cv_arena_release(&scratch);
    cv_arena_release(&kept);
    return ok;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

cv_str cv_scopes_noun(cv_str room, size_t count)
{
    const cv_room *found = room_of(room);
    bool named = found && found->scope.one && found->scope.many;
    if (count == 1)
        return named ? cv_str_of(found->scope.one) : CV_STR("scope");
    return named ? cv_str_of(found->scope.many) : CV_STR("scopes");
}

void cv_scopes_count(cv_scopes_tally *tally, cv_arena *a, cv_str room)
{
    size_t i = 0;
    while (i < tally->count && !cv_str_eq(tally->items[i].room, room))
        i++;
    if (i == tally->count) {
        CV_PUSH(a, tally)->count = 0;
        tally->items[i].room = cv_arena_copy(a, room);
    }
    tally->items[i].count++;
    tally->total++;
}

cv_str cv_scopes_counted(cv_arena *a, const cv_scopes_tally *tally)
{
    cv_buf text = {0};
    for (size_t i = 0; i < tally->count; i++)
        cv_buf_printf(&text, "%s%zu %.*s", i ? ", " : "", tally->items[i].count,
                      CV_FMT(cv_scopes_noun(tally->items[i].room, tally->items[i].count)));
    if (tally->count == 0)
        cv_buf_printf(&text, "0 %.*s", CV_FMT(cv_scopes_nouns(a)));
    return cv_buf_take(&text, a);
}

cv_str cv_scopes_nouns(cv_arena *a)
{
    cv_buf text = {0};
    for (size_t i = 0; cv_rooms[i]; i++)
        if (*cv_rooms[i]->name && cv_rooms[i]->scope.many && cv_rooms[i]->records && cv_rooms[i]->records->count > 0)
            cv_buf_printf(&text, "%s%s", text.n ? ", " : "", cv_rooms[i]->scope.many);
    return cv_buf_take(&text, a);
}
