-- statements.sql - every statement of the SQLite engine, by name.
--
--     -- name: position      the text up to the next name is the statement "position"
--     -- name: put_$kind     made once for every line of words below, with the words in the place of their names
--
-- put_*: parameters are the dialogue, the rev and then the fields of records.h in their order (an entity's kind is its
-- table). all_* and since_*: the columns are the rev and the fields in the same order, the rows in the order of the
-- key; outline_*: the same with the fields of the outline, where these are not all. Tests hold them against the field
-- tables. since_* exists where a dialogue has many rows: it finds the new ones by an index. about_* exists for the same
-- tables and finds the rows about some ids: :about is a JSON list of them.
-- :lean leaves long texts out; they stand last in their rows, so that their pages are not even read.

-- words: $table           $kind  $content
-- words: perspectives     P      content
-- words: recommendations  R      content
-- words: tensions         T      description
-- words: evidence         E      content
-- words: claims           C      content

-- ---- writing rows: what has a present state is replaced, everything else only added -------------------------------

-- name: put_dialogue
INSERT INTO dialogues (dialogue_id, rev, title, question, status, created_at, converged_at, total_rounds,
    total_alignment, output_dir, calibrated, domain_id, ethos_id, calibration, background, expert_pool, panel_size,
    rotation, seed, convergence_target, strict_convergence)
VALUES (:dialogue_id, :rev, :title, :question, :status, :created_at, :converged_at, :total_rounds, :total_alignment,
    :output_dir, :calibrated, :domain_id, :ethos_id, :calibration, :background, :expert_pool, :panel_size, :rotation,
    :seed, :convergence_target, :strict_convergence)
ON CONFLICT (dialogue_id) DO UPDATE
SET rev = excluded.rev, title = excluded.title, question = excluded.question, status = excluded.status,
    created_at = excluded.created_at, converged_at = excluded.converged_at,
    total_rounds = excluded.total_rounds, total_alignment = excluded.total_alignment,
    output_dir = excluded.output_dir, calibrated = excluded.calibrated, domain_id = excluded.domain_id,
    ethos_id = excluded.ethos_id, calibration = excluded.calibration, background = excluded.background,
    expert_pool = excluded.expert_pool, panel_size = excluded.panel_size, rotation = excluded.rotation,
    seed = excluded.seed, convergence_target = excluded.convergence_target,
    strict_convergence = excluded.strict_convergence;

-- name: put_expert
INSERT INTO experts (dialogue_id, rev, expert_slug, position, role, description, focus, tier, source, relevance,
    creation_reason, color, total_score, first_round, created_at)
VALUES (:dialogue_id, :rev, :expert_slug, :position, :role, :description, :focus, :tier, :source, :relevance,
    :creation_reason, :color, :total_score, :first_round, :created_at)
ON CONFLICT (dialogue_id, expert_slug) DO UPDATE
SET rev = excluded.rev, position = excluded.position, role = excluded.role, description = excluded.description,
    focus = excluded.focus, tier = excluded.tier, source = excluded.source, relevance = excluded.relevance,
    creation_reason = excluded.creation_reason, color = excluded.color, total_score = excluded.total_score,
    first_round = excluded.first_round, created_at = excluded.created_at;

-- name: put_seat
INSERT INTO panels (dialogue_id, rev, round, expert_slug, position, source, focus)
VALUES (:dialogue_id, :rev, :round, :expert_slug, :position, :source, :focus);

-- name: put_round
INSERT INTO rounds (dialogue_id, rev, round, title, score, score_components, summary, status, created_at,
    completed_at)
VALUES (:dialogue_id, :rev, :round, :title, :score, :score_components, :summary, :status, :created_at, :completed_at)
ON CONFLICT (dialogue_id, round) DO UPDATE
SET rev = excluded.rev, title = excluded.title, score = excluded.score,
    score_components = excluded.score_components, summary = excluded.summary, status = excluded.status,
    created_at = excluded.created_at, completed_at = excluded.completed_at;

-- name: put_score
INSERT INTO scores (dialogue_id, rev, round, expert_slug, score, score_components)
VALUES (:dialogue_id, :rev, :round, :expert_slug, :score, :score_components)
ON CONFLICT (dialogue_id, round, expert_slug) DO UPDATE
SET rev = excluded.rev, score = excluded.score, score_components = excluded.score_components;

-- name: put_response
INSERT INTO responses (dialogue_id, rev, round, expert_slug, content, sha256, created_at)
VALUES (:dialogue_id, :rev, :round, :expert_slug, :content, :sha256, :created_at)
ON CONFLICT (dialogue_id, round, expert_slug) DO UPDATE
SET rev = excluded.rev, content = excluded.content, sha256 = excluded.sha256, created_at = excluded.created_at;

-- name: put_$kind
INSERT INTO $table (dialogue_id, rev, round, seq, label, $content, contributors, status, parameters,
    adopted_in_verdict, created_at)
VALUES (:dialogue_id, :rev, :round, :seq, :label, :content, :contributors, :status, :parameters, :adopted_in_verdict,
    :created_at)
ON CONFLICT (dialogue_id, round, seq) DO UPDATE
SET rev = excluded.rev, label = excluded.label, $content = excluded.$content,
    contributors = excluded.contributors, status = excluded.status, parameters = excluded.parameters,
    adopted_in_verdict = excluded.adopted_in_verdict, created_at = excluded.created_at;

-- name: put_origin
INSERT INTO origins (dialogue_id, rev, local_id, display_id, expert_slug, round, response_sha256, range_start,
    range_end)
VALUES (:dialogue_id, :rev, :local_id, :display_id, :expert_slug, :round, :response_sha256, :range_start, :range_end);

-- name: put_reference
INSERT INTO refs (dialogue_id, rev, source_id, ref_type, target_id, source_type, target_type, round, position,
    created_at)
VALUES (:dialogue_id, :rev, :source_id, :ref_type, :target_id, :source_type, :target_type, :round, :position,
    :created_at);

-- name: put_move
INSERT INTO moves (dialogue_id, rev, round, expert_slug, seq, position, move_type, targets, context, created_at)
VALUES (:dialogue_id, :rev, :round, :expert_slug, :seq, :position, :move_type, :targets, :context, :created_at);

-- name: put_verdict
INSERT INTO verdicts (dialogue_id, rev, verdict_id, position, verdict_type, round, author_expert, recommendation,
    description, conditions, vote, confidence, tensions_resolved, tensions_accepted, recommendations_adopted,
    key_evidence, key_claims, supporting_experts, ethos_compliance, warning, created_at)
VALUES (:dialogue_id, :rev, :verdict_id, :position, :verdict_type, :round, :author_expert, :recommendation,
    :description, :conditions, :vote, :confidence, :tensions_resolved, :tensions_accepted, :recommendations_adopted,
    :key_evidence, :key_claims, :supporting_experts, :ethos_compliance, :warning, :created_at);

-- name: put_event
INSERT INTO events (dialogue_id, rev, event_seq, subject_type, subject_id, event_type, event_round, actors, reason,
    result_id, reference, data, covers, created_at, hash)
VALUES (:dialogue_id, :rev, :event_seq, :subject_type, :subject_id, :event_type, :event_round, :actors, :reason,
    :result_id, :reference, :data, :covers, :created_at, :hash);

-- ---- reading rows -------------------------------------------------------------------------------------------------

-- name: all_dialogue
SELECT rev, title, question, status, created_at, converged_at, total_rounds, total_alignment, output_dir, calibrated,
    domain_id, ethos_id, calibration, background, expert_pool, panel_size, rotation, seed, convergence_target,
    strict_convergence
FROM dialogues WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY dialogue_id;

-- name: all_expert
SELECT rev, expert_slug, position, role, description, focus, tier, source, relevance, creation_reason, color,
    total_score, first_round, created_at
FROM experts WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY expert_slug;

-- name: all_seat
SELECT rev, round, expert_slug, position, source, focus
FROM panels WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY round, expert_slug;

-- name: all_round
SELECT rev, round, title, score, score_components, summary, status, created_at, completed_at
FROM rounds WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY round;

-- name: all_score
SELECT rev, round, expert_slug, score, score_components
FROM scores WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY round, expert_slug;

-- name: all_response
SELECT rev, round, expert_slug, iif(:lean, NULL, content) AS content, sha256, created_at
FROM responses WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY round, expert_slug;

-- name: all_$kind
SELECT rev, '$kind' AS kind, round, seq, label, iif(:lean, NULL, $content) AS content, contributors, status,
    parameters, adopted_in_verdict, created_at
FROM $table WHERE dialogue_id = :dialogue_id ORDER BY round, seq;

-- name: since_$kind
SELECT rev, '$kind' AS kind, round, seq, label, iif(:lean, NULL, $content) AS content, contributors, status,
    parameters, adopted_in_verdict, created_at
FROM $table INDEXED BY $table_rev WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY round, seq;

-- name: about_$kind
SELECT rev, '$kind' AS kind, round, seq, label, iif(:lean, NULL, $content) AS content, contributors, status,
    parameters, adopted_in_verdict, created_at
FROM $table WHERE dialogue_id = :dialogue_id AND +rev > :since
    AND (round, seq) IN (SELECT CAST(substr(value, 2, 2) AS INT), CAST(substr(value, 4) AS INT) FROM json_each(:about)
                         WHERE value GLOB '$kind[0-9][0-9][0-9][0-9]')
ORDER BY round, seq;

-- name: all_origin
SELECT rev, local_id, display_id, expert_slug, round, response_sha256, range_start, range_end
FROM origins WHERE dialogue_id = :dialogue_id ORDER BY local_id;

-- name: since_origin
SELECT rev, local_id, display_id, expert_slug, round, response_sha256, range_start, range_end
FROM origins INDEXED BY origins_rev WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY local_id;

-- name: about_origin
SELECT rev, local_id, display_id, expert_slug, round, response_sha256, range_start, range_end
FROM origins WHERE dialogue_id = :dialogue_id AND +rev > :since
    AND local_id IN (SELECT value FROM json_each(:about)
                     UNION SELECT local_id FROM origins INDEXED BY origins_display
                     WHERE dialogue_id = :dialogue_id AND display_id IN (SELECT value FROM json_each(:about)))
ORDER BY local_id;

-- name: all_reference
SELECT rev, source_id, ref_type, target_id, source_type, target_type, round, position, created_at
FROM refs WHERE dialogue_id = :dialogue_id ORDER BY source_id, ref_type, target_id;

-- name: since_reference
SELECT rev, source_id, ref_type, target_id, source_type, target_type, round, position, created_at
FROM refs INDEXED BY refs_rev WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY source_id, ref_type, target_id;

-- name: about_reference
SELECT rev, source_id, ref_type, target_id, source_type, target_type, round, position, created_at
FROM refs WHERE dialogue_id = :dialogue_id AND +rev > :since AND source_id IN (SELECT value FROM json_each(:about))
UNION
SELECT rev, source_id, ref_type, target_id, source_type, target_type, round, position, created_at
FROM refs INDEXED BY refs_target
WHERE dialogue_id = :dialogue_id AND +rev > :since AND target_id IN (SELECT value FROM json_each(:about))
ORDER BY source_id, ref_type, target_id;

-- name: all_move
SELECT rev, round, expert_slug, seq, position, move_type, targets, context, created_at
FROM moves WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY round, expert_slug, seq;

-- name: all_verdict
SELECT rev, verdict_id, position, verdict_type, round, author_expert, recommendation, description, conditions, vote,
    confidence, tensions_resolved, tensions_accepted, recommendations_adopted, key_evidence, key_claims,
    supporting_experts, ethos_compliance, warning, created_at
FROM verdicts WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY verdict_id;

-- name: all_event
SELECT rev, event_seq, subject_type, subject_id, event_type, event_round, actors, reason, result_id, reference, data,
    covers, created_at, hash
FROM events WHERE dialogue_id = :dialogue_id ORDER BY event_seq;

-- name: since_event
SELECT rev, event_seq, subject_type, subject_id, event_type, event_round, actors, reason, result_id, reference, data,
    covers, created_at, hash
FROM events INDEXED BY events_rev WHERE dialogue_id = :dialogue_id AND rev > :since ORDER BY event_seq;

-- name: about_event
SELECT rev, event_seq, subject_type, subject_id, event_type, event_round, actors, reason, result_id, reference, data,
    covers, created_at, hash
FROM events INDEXED BY events_subject WHERE dialogue_id = :dialogue_id AND +rev > :since
    AND subject_id IN (SELECT value FROM json_each(:about))
ORDER BY event_seq;

-- ---- reading outlines ---------------------------------------------------------------------------------------------

-- name: outline_dialogue
SELECT rev, title, status, created_at, total_rounds, total_alignment, convergence_target
FROM dialogues WHERE dialogue_id = :dialogue_id;

-- name: outline_expert
SELECT rev, expert_slug, position, role FROM experts WHERE dialogue_id = :dialogue_id ORDER BY expert_slug;

-- name: outline_seat
SELECT rev, round, expert_slug, position FROM panels WHERE dialogue_id = :dialogue_id ORDER BY round, expert_slug;

-- name: outline_round
SELECT rev, round, title, score, score_components FROM rounds WHERE dialogue_id = :dialogue_id ORDER BY round;

-- name: outline_response
SELECT rev, round, expert_slug FROM responses WHERE dialogue_id = :dialogue_id ORDER BY round, expert_slug;

-- name: outline_$kind
SELECT rev, '$kind' AS kind, round, seq, label, contributors, status
FROM $table WHERE dialogue_id = :dialogue_id ORDER BY round, seq;

-- name: outline_move
SELECT rev, round, expert_slug, seq, move_type
FROM moves WHERE dialogue_id = :dialogue_id ORDER BY round, expert_slug, seq;

-- name: outline_verdict
SELECT rev, verdict_id, position, verdict_type, round, recommendation, vote, confidence
FROM verdicts WHERE dialogue_id = :dialogue_id ORDER BY verdict_id;

-- name: outline_event
SELECT rev, subject_id, event_type, event_round FROM events WHERE dialogue_id = :dialogue_id ORDER BY event_seq;

-- ---- a dialogue's position and its operations ---------------------------------------------------------------------

-- name: position
-- A dialogue that was made here has the write that made it; one that was put here from an export has the write that put
-- it here, which is named after its digest.
SELECT last_rev, head, event_count,
    NOT EXISTS (SELECT 1 FROM ops WHERE ops.dialogue_id = :dialogue_id AND ops.rev = 1
                AND ops.op_id <> 'restore-' || ops.digest)
FROM dialogues WHERE dialogue_id = :dialogue_id;

-- name: position_set
UPDATE dialogues SET last_rev = :rev, head = :head, event_count = :event_count WHERE dialogue_id = :dialogue_id;

-- name: op
SELECT op_id, rev, digest, result FROM ops WHERE dialogue_id = :dialogue_id AND op_id = :op_id;

-- name: op_at
SELECT op_id, rev, digest, result FROM ops WHERE dialogue_id = :dialogue_id AND rev = :rev;

-- name: op_first
SELECT dialogue_id FROM ops INDEXED BY ops_first WHERE op_id = :op_id AND rev = 1 AND digest <> :digest LIMIT 1;

-- name: op_put
INSERT INTO ops (dialogue_id, op_id, rev, digest, created_at, result)
VALUES (:dialogue_id, :op_id, :rev, :digest, :now, :result);

-- ops*: number, dialogue, op_id, rev, digest, created_at, result and the head that the write left.

-- name: ops
SELECT o.number, o.dialogue_id, o.op_id, o.rev, o.digest, o.created_at, o.result,
    (SELECT e.hash FROM events e INDEXED BY events_rev WHERE e.dialogue_id = o.dialogue_id AND e.rev = o.rev
     ORDER BY e.event_seq DESC LIMIT 1)
FROM ops o ORDER BY o.number;

-- name: ops_of
SELECT o.number, o.dialogue_id, o.op_id, o.rev, o.digest, o.created_at, o.result,
    (SELECT e.hash FROM events e INDEXED BY events_rev WHERE e.dialogue_id = o.dialogue_id AND e.rev = o.rev
     ORDER BY e.event_seq DESC LIMIT 1)
FROM ops o INDEXED BY ops_rev WHERE o.dialogue_id = :dialogue_id ORDER BY o.rev;

-- name: commit_at
SELECT o.number, (SELECT e.hash FROM events e INDEXED BY events_rev
                  WHERE e.dialogue_id = o.dialogue_id AND e.rev = o.rev ORDER BY e.event_seq DESC LIMIT 1)
FROM ops o WHERE o.number = :number;

-- name: commit_last
SELECT o.number, (SELECT e.hash FROM events e INDEXED BY events_rev
                  WHERE e.dialogue_id = o.dialogue_id AND e.rev = o.rev ORDER BY e.event_seq DESC LIMIT 1)
FROM ops o ORDER BY o.number DESC LIMIT 1;

-- ---- across dialogues ---------------------------------------------------------------------------------------------

-- name: list
SELECT rev, title, status, created_at, total_rounds, total_alignment, convergence_target, dialogue_id, last_rev
FROM dialogues WHERE dialogue_id > :after AND created_at >= :since ORDER BY dialogue_id LIMIT :limit;

-- name: list_status
SELECT rev, title, status, created_at, total_rounds, total_alignment, convergence_target, dialogue_id, last_rev
FROM dialogues WHERE status = :status AND dialogue_id > :after AND created_at >= :since ORDER BY dialogue_id LIMIT :limit;

-- name: list_newest
SELECT rev, title, status, created_at, total_rounds, total_alignment, convergence_target, dialogue_id, last_rev
FROM dialogues WHERE dialogue_id IN (
    SELECT dialogue_id FROM dialogues WHERE (:status = '' OR status = :status) AND created_at >= :since
    ORDER BY created_at DESC, dialogue_id LIMIT :limit)
ORDER BY created_at DESC, dialogue_id;

-- tally_*: word, detail, count, begun, rounds, score. A sum that is too large is cut, not refused.

-- name: tally_dialogue
SELECT status, NULL, count(*), sum(total_rounds > 0), CAST(total(total_rounds) AS INTEGER),
    CAST(total(total_alignment) AS INTEGER)
FROM dialogues WHERE (:status = '' OR status = :status) AND created_at >= :since
GROUP BY status ORDER BY status;

-- name: tally_$kind
SELECT e.status, NULL, count(*), 0, 0, 0
FROM dialogues AS d JOIN $table AS e ON e.dialogue_id = d.dialogue_id
WHERE (:status = '' OR d.status = :status) AND d.created_at >= :since
GROUP BY e.status ORDER BY e.status;

-- name: tally_verdict
SELECT v.verdict_type, v.confidence, count(*), 0, 0, 0
FROM dialogues AS d JOIN verdicts AS v ON v.dialogue_id = d.dialogue_id
WHERE (:status = '' OR d.status = :status) AND d.created_at >= :since
GROUP BY v.verdict_type, v.confidence ORDER BY v.verdict_type, v.confidence;

-- name: tally_score
SELECT s.expert_slug, NULL, count(DISTINCT s.dialogue_id), 0, 0, CAST(total(s.score) AS INTEGER) AS score
FROM dialogues AS d JOIN scores AS s ON s.dialogue_id = d.dialogue_id
WHERE (:status = '' OR d.status = :status) AND d.created_at >= :since
GROUP BY s.expert_slug ORDER BY score DESC, s.expert_slug LIMIT :limit;

-- ---- search: what the index has not seen yet ----------------------------------------------------------------------

-- name: search_last_op
SELECT coalesce(max(number), 0) FROM ops;

-- name: search_behind
SELECT o.dialogue_id
FROM (SELECT DISTINCT dialogue_id FROM ops WHERE number > (SELECT op FROM search_progress)) o
JOIN dialogues d ON d.dialogue_id = o.dialogue_id
LEFT JOIN search_state s ON s.dialogue_id = o.dialogue_id
WHERE d.last_rev > coalesce(s.rev, 0);

-- name: search_enter
INSERT INTO search_state (dialogue_id, rev) VALUES (:dialogue_id, 0) ON CONFLICT (dialogue_id) DO NOTHING;

-- name: search_position
SELECT s.number, s.rev, d.last_rev, (SELECT coalesce(max(id), 0) FROM search_rows)
FROM search_state s JOIN dialogues d ON d.dialogue_id = s.dialogue_id WHERE s.dialogue_id = :dialogue_id;

-- What the index has of texts that have changed is taken back before they are read again.

-- name: search_take_back
INSERT INTO search_index (search_index, rowid, ids, title, body)
SELECT 'delete', o.id, r.ids, spaced(o.title), spaced(o.body)
FROM search_old o JOIN search_rows r ON r.id = o.id WHERE o.number = :number ORDER BY o.id;

-- name: search_read_again
INSERT INTO search_index (rowid, ids, title, body)
SELECT id, ids, spaced(title), spaced(body) FROM search_texts
WHERE id IN (SELECT id FROM search_old WHERE number = :number) ORDER BY id;

-- name: search_forget_old
DELETE FROM search_old WHERE number = :number;

-- New rows; those that are there already have a new status, perhaps, but no new text that search_old would not know of.

-- name: search_add_$kind
INSERT INTO search_rows (number, kind, round, seq, name, ids)
SELECT :number, '$kind', t.round, t.seq, '', printf('$kind%02d%02d', t.round, t.seq) || coalesce(o.ids, '')
FROM $table t INDEXED BY $table_rev
LEFT JOIN (SELECT display_id, group_concat(' ' || replace(local_id, '-', ''), '') AS ids
           FROM origins INDEXED BY origins_rev
           WHERE dialogue_id = :dialogue_id AND rev > :since AND display_id GLOB '$kind*' GROUP BY display_id) o
ON o.display_id = printf('$kind%02d%02d', t.round, t.seq)
WHERE t.dialogue_id = :dialogue_id AND t.rev > :since
ON CONFLICT (number, kind, round, seq, name) DO NOTHING;

-- name: search_add_D
INSERT INTO search_rows (number, kind, round, seq, name, ids) VALUES (:number, 'D', 0, 0, '', '')
ON CONFLICT (number, kind, round, seq, name) DO NOTHING;

-- name: search_add_O
INSERT INTO search_rows (number, kind, round, seq, name, ids)
SELECT :number, 'O', round, 0, '', '' FROM rounds WHERE dialogue_id = :dialogue_id AND rev > :since
ON CONFLICT (number, kind, round, seq, name) DO NOTHING;

-- name: search_add_S
INSERT INTO search_rows (number, kind, round, seq, name, ids)
SELECT :number, 'S', round, 0, expert_slug, '' FROM responses WHERE dialogue_id = :dialogue_id AND rev > :since
ON CONFLICT (number, kind, round, seq, name) DO NOTHING;

-- name: search_add_V
INSERT INTO search_rows (number, kind, round, seq, name, ids)
SELECT :number, 'V', round, 0, verdict_id, '' FROM verdicts WHERE dialogue_id = :dialogue_id AND rev > :since
ON CONFLICT (number, kind, round, seq, name) DO NOTHING;

-- name: search_read_new
INSERT INTO search_index (rowid, ids, title, body)
SELECT id, ids, spaced(title), spaced(body) FROM search_texts WHERE id > :last ORDER BY id;

-- name: search_reached
UPDATE search_state SET rev = :rev WHERE number = :number;

-- name: search_seen
UPDATE search_progress SET op = :op WHERE op < :op;

-- ---- search: from nothing again -----------------------------------------------------------------------------------

-- name: search_clear_index
INSERT INTO search_index (search_index) VALUES ('delete-all');

-- name: search_clear_rows
DELETE FROM search_rows;

-- name: search_clear_old
DELETE FROM search_old;

-- name: search_clear_state
DELETE FROM search_state;

-- name: search_clear_progress
INSERT INTO search_progress (only_row, op) VALUES (1, 0) ON CONFLICT (only_row) DO UPDATE SET op = 0;

-- ---- search: asking -----------------------------------------------------------------------------------------------

-- An id of an entity weighs more than any number of words, a title as much as four words of a body. Equals stand in the
-- order of their keys, so that the same record always gives the same order.

-- name: search
SELECT t.id, t.dialogue_id, t.kind, t.round, t.seq, t.name, bm25(search_index, 10000.0, 4.0, 1.0) AS score
FROM search_index JOIN search_texts t ON t.id = search_index.rowid
WHERE search_index MATCH :expression
    AND (:dialogue_id IS NULL OR t.dialogue_id = :dialogue_id)
    AND (:kinds IS NULL OR instr(:kinds, t.kind))
    AND (:without IS NULL OR t.dialogue_id NOT IN (SELECT value FROM json_each(:without)))
    AND (:statuses IS NULL OR t.status IN (SELECT value FROM json_each(:statuses)))
    AND (:expert IS NULL OR instr(t.people, :expert))
ORDER BY score, t.dialogue_id, t.kind, t.round, t.seq, t.name LIMIT :limit OFFSET :offset;

-- name: search_hit
SELECT t.title, t.body, t.status, t.people, d.title
FROM search_texts t JOIN dialogues d ON d.dialogue_id = t.dialogue_id WHERE t.id = :id;

-- name: fts5_api
SELECT fts5(?1);

-- ---- search: does the index have what it has seen? ---------------------------------------------------------------
-- search_check_*: what is wrong, in one row; no row when nothing is.

-- name: search_check_progress
SELECT 'search_progress says what was never written' WHERE (SELECT count(*) FROM search_progress) <> 1
    OR (SELECT op FROM search_progress) NOT BETWEEN 0 AND (SELECT coalesce(max(number), 0) FROM ops);

-- name: search_check_state
SELECT 'search_state knows more of ' || s.dialogue_id || ' than there is'
FROM search_state s LEFT JOIN dialogues d ON d.dialogue_id = s.dialogue_id
WHERE d.dialogue_id IS NULL OR s.rev NOT BETWEEN 1 AND d.last_rev LIMIT 1;

-- name: search_check_seen
SELECT 'search_state has not seen rev ' || o.rev || ' of ' || o.dialogue_id
FROM ops o LEFT JOIN search_state s ON s.dialogue_id = o.dialogue_id
WHERE o.number <= (SELECT op FROM search_progress) AND o.rev > coalesce(s.rev, 0) LIMIT 1;

-- name: search_check_missing
SELECT 'search_rows lacks ' || s.dialogue_id || ' ' || w.kind || ' ' || w.round || ' ' || w.seq || ' ' || w.name
FROM search_wanted w JOIN search_state s ON s.number = w.number
LEFT JOIN search_rows r
    ON (r.number, r.kind, r.round, r.seq, r.name) = (w.number, w.kind, w.round, w.seq, w.name)
WHERE w.due AND r.id IS NULL LIMIT 1;

-- name: search_check_extra
SELECT 'search_rows has what the record has not: ' || kind || ' ' || round || ' ' || seq || ' ' || name
FROM (SELECT number, kind, round, seq, name FROM search_rows
      EXCEPT SELECT number, kind, round, seq, name FROM search_wanted) LIMIT 1;

-- name: search_check_ids
SELECT 'search_rows has other ids of ' || s.dialogue_id || ' ' || r.kind || ' ' || r.round || ' ' || r.seq
FROM search_rows r JOIN search_state s ON s.number = r.number
WHERE CASE WHEN instr('PRTEC', r.kind)
    THEN substr(r.ids, 1, 5) <> printf('%s%02d%02d', r.kind, r.round, r.seq)
        OR length(r.ids) <> 5 + (SELECT coalesce(sum(1 + length(replace(o.local_id, '-', ''))), 0)
            FROM origins o INDEXED BY origins_display
            WHERE o.dialogue_id = s.dialogue_id AND o.display_id = printf('%s%02d%02d', r.kind, r.round, r.seq))
        OR EXISTS (SELECT 1 FROM origins o INDEXED BY origins_display
            WHERE o.dialogue_id = s.dialogue_id AND o.display_id = printf('%s%02d%02d', r.kind, r.round, r.seq)
                AND instr(r.ids || ' ', ' ' || replace(o.local_id, '-', '') || ' ') = 0)
    ELSE r.ids <> '' END LIMIT 1;

-- name: search_check_old
SELECT 'search_old has a text of no row' FROM search_old o
LEFT JOIN search_rows r ON r.id = o.id AND r.number = o.number WHERE r.id IS NULL LIMIT 1;

-- name: search_check_sizes
SELECT 'search_index counts other rows than there are'
WHERE (SELECT count(*) FROM search_index_docsize) <> (SELECT count(*) FROM search_rows);

-- What the index has of each row, as it was read last; how long its texts are for the index.

-- name: search_seen_texts
SELECT t.id, t.ids, coalesce(o.title, t.title), coalesce(o.body, t.body), d.sz
FROM search_texts t LEFT JOIN search_old o ON o.id = t.id LEFT JOIN search_index_docsize d ON d.id = t.id;

-- name: search_all_words
SELECT term, doc, col, "offset" FROM search_terms;

-- name: search_averages
SELECT block FROM search_index_data WHERE id = 1;

-- ---- streams ------------------------------------------------------------------------------------------------------

-- name: stream_last
SELECT last_seq FROM streams WHERE stream = :stream;

-- name: stream_advance
INSERT INTO streams (stream, last_seq) VALUES (:stream, :last_seq)
ON CONFLICT (stream) DO UPDATE SET last_seq = excluded.last_seq;

-- name: stream_put
INSERT INTO stream_messages (stream, seq, op_id, created_at, message)
VALUES (:stream, :seq, :op_id, :now, :message);

-- name: stream_op
SELECT seq, message FROM stream_messages INDEXED BY stream_messages_op
WHERE stream = :stream AND op_id = :op_id ORDER BY seq;

-- name: stream_read
SELECT seq, message, created_at FROM stream_messages WHERE stream = :stream AND seq > :after ORDER BY seq LIMIT :limit;

-- name: cursor_get
SELECT seq FROM cursors WHERE stream = :stream AND reader = :reader;

-- name: cursor_advance
INSERT INTO cursors (stream, reader, seq, updated_at) VALUES (:stream, :reader, :seq, :now)
ON CONFLICT (stream, reader) DO UPDATE SET seq = excluded.seq, updated_at = excluded.updated_at
WHERE excluded.seq > cursors.seq;

-- ---- transactions and the file ------------------------------------------------------------------------------------

-- name: begin_read
BEGIN;

-- name: begin_write
BEGIN IMMEDIATE;

-- name: commit
COMMIT;

-- name: rollback
ROLLBACK;

-- name: journal_mode
PRAGMA journal_mode;

-- name: wal
PRAGMA journal_mode = WAL;

-- name: synchronous
PRAGMA synchronous = FULL;

-- name: recursive_triggers
PRAGMA recursive_triggers = ON;

-- name: application
PRAGMA application_id;

-- name: application_set
PRAGMA application_id = 1129270851;

-- name: tables
SELECT count(*) FROM sqlite_schema;

-- name: migrations
SELECT version, name, checksum, program FROM schema_migrations ORDER BY version;

-- name: migration_put
INSERT INTO schema_migrations (version, name, checksum, program) VALUES (:version, :name, :checksum, :program);

-- What a program's migrations make, to compare two databases: the objects, the settings of the search index.

-- name: schema_objects
SELECT type || ' ' || name, coalesce(sql, '') || ' on ' || tbl_name FROM sqlite_schema ORDER BY type, name;

-- name: schema_settings
SELECT 'search_index_config ' || k, CAST(v AS TEXT) FROM search_index_config ORDER BY k;

-- name: schema_versions
SELECT 'schema_migrations ' || version, name || ' ' || checksum FROM schema_migrations ORDER BY version;

-- Tables that no operation writes yet.

-- name: unused_rows
SELECT 'streams' FROM streams UNION ALL SELECT 'stream_messages' FROM stream_messages
UNION ALL SELECT 'cursors' FROM cursors LIMIT 1;

-- name: integrity
PRAGMA integrity_check (1);

-- name: foreign_keys
PRAGMA foreign_key_check;

-- name: backup
VACUUM INTO :path;
