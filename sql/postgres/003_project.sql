-- 003_project.sql - the tables of the project itself (src/kit/agents.h): who can act in it.
--
-- All of them belong to the scope ('project', 'agents'). Names are in lower case; a secret is never stored, only its
-- SHA-256.

CREATE TABLE $schema.agents (
    scope          uuid NOT NULL,
    name           text COLLATE "C" NOT NULL,
    rev            bigint NOT NULL CHECK (rev >= 1),
    id             text COLLATE "C" NOT NULL,
    kind           text COLLATE "C" NOT NULL,
    summary        text COLLATE "C",
    capabilities   text COLLATE "C",                     -- JSON
    rooms          text COLLATE "C",                     -- JSON
    reach          text COLLATE "C" NOT NULL,
    reach_details  text COLLATE "C",                     -- JSON
    limits         text COLLATE "C",                     -- JSON
    files          bigint,
    status         text COLLATE "C" NOT NULL,
    created_at     text COLLATE "C" NOT NULL,
    removed_at     text COLLATE "C",
    description    text COLLATE "C",
    PRIMARY KEY (scope, name)
) /*partitioned*/;

CREATE TABLE $schema.aliases (
    scope       uuid NOT NULL,
    name        text COLLATE "C" NOT NULL,
    rev         bigint NOT NULL CHECK (rev >= 1),
    alias       text COLLATE "C" NOT NULL,
    agent       text COLLATE "C",
    created_at  text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, name)
) /*partitioned*/;
CREATE INDEX aliases_agent ON $schema.aliases (scope, agent, name) WHERE agent IS NOT NULL;

CREATE TABLE $schema.tokens (
    scope       uuid NOT NULL,
    id          text COLLATE "C" NOT NULL,
    rev         bigint NOT NULL CHECK (rev >= 1),
    agent       text COLLATE "C" NOT NULL,
    digest      text COLLATE "C" NOT NULL,
    rooms       text COLLATE "C",                        -- JSON
    read_only   bigint,
    created_at  text COLLATE "C" NOT NULL,
    revoked_at  text COLLATE "C",
    PRIMARY KEY (scope, id)
) /*partitioned*/;
CREATE INDEX tokens_agent ON $schema.tokens (scope, agent, id);
CREATE INDEX tokens_digest ON $schema.tokens (scope, digest, id);

-- ---- what never changes, and never goes ------------------------------------------------------------------------------

CREATE TRIGGER agents_same_key BEFORE UPDATE OF scope, name ON $schema.agents FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of agents never change');
CREATE TRIGGER aliases_same_key BEFORE UPDATE OF scope, name ON $schema.aliases FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of aliases never change');
CREATE TRIGGER tokens_same_key BEFORE UPDATE OF scope, id ON $schema.tokens FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of tokens never change');

CREATE TRIGGER agents_no_delete BEFORE DELETE ON $schema.agents FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('agents are never deleted');
CREATE TRIGGER aliases_no_delete BEFORE DELETE ON $schema.aliases FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('aliases are never deleted');
CREATE TRIGGER tokens_no_delete BEFORE DELETE ON $schema.tokens FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('tokens are never deleted');

-- ---- long texts leave no samples in the server's statistics, where nobody could redact them ----------------------------

ALTER TABLE $schema.agents ALTER COLUMN description SET STATISTICS 0;
