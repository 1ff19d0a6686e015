-- 003_project.sql - the tables of the project itself (src/kit/agents.h): who can act in it.
--
-- All of them belong to the scope ('project', 'agents'). Names are in lower case; a secret is never stored, only its
-- SHA-256.

CREATE TABLE agents (
    scope          INT  NOT NULL REFERENCES scopes (number),
    name           TEXT NOT NULL,
    rev            INT  NOT NULL CHECK (rev >= 1),
    id             TEXT NOT NULL,
    kind           TEXT NOT NULL,
    summary        TEXT,
    capabilities   TEXT,                         -- JSON
    rooms          TEXT,                         -- JSON
    reach          TEXT NOT NULL,
    reach_details  TEXT,                         -- JSON
    limits         TEXT,                         -- JSON
    files          INT,
    status         TEXT NOT NULL,
    created_at     TEXT NOT NULL,
    removed_at     TEXT,
    description    TEXT,
    PRIMARY KEY (scope, name)
) STRICT;

CREATE TABLE aliases (
    scope       INT  NOT NULL REFERENCES scopes (number),
    name        TEXT NOT NULL,
    rev         INT  NOT NULL CHECK (rev >= 1),
    alias       TEXT NOT NULL,
    agent       TEXT,
    created_at  TEXT NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_agent ON aliases (scope, agent, name) WHERE agent IS NOT NULL;

CREATE TABLE tokens (
    scope       INT  NOT NULL REFERENCES scopes (number),
    id          TEXT NOT NULL,
    rev         INT  NOT NULL CHECK (rev >= 1),
    agent       TEXT NOT NULL,
    digest      TEXT NOT NULL,
    rooms       TEXT,                            -- JSON
    read_only   INT,
    created_at  TEXT NOT NULL,
    revoked_at  TEXT,
    PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_agent ON tokens (scope, agent, id);
CREATE INDEX tokens_digest ON tokens (scope, digest, id);

-- ---- what never changes, and never goes ------------------------------------------------------------------------------

CREATE TRIGGER agents_same_key BEFORE UPDATE OF scope, name ON agents
BEGIN SELECT RAISE(ABORT, 'keys of agents never change'); END;
CREATE TRIGGER aliases_same_key BEFORE UPDATE OF scope, name ON aliases
BEGIN SELECT RAISE(ABORT, 'keys of aliases never change'); END;
CREATE TRIGGER tokens_same_key BEFORE UPDATE OF scope, id ON tokens
BEGIN SELECT RAISE(ABORT, 'keys of tokens never change'); END;

CREATE TRIGGER agents_no_delete BEFORE DELETE ON agents
BEGIN SELECT RAISE(ABORT, 'agents are never deleted'); END;
CREATE TRIGGER aliases_no_delete BEFORE DELETE ON aliases
BEGIN SELECT RAISE(ABORT, 'aliases are never deleted'); END;
CREATE TRIGGER tokens_no_delete BEFORE DELETE ON tokens
BEGIN SELECT RAISE(ABORT, 'tokens are never deleted'); END;
