-- 007_agent_commands.sql - what agents understand (src/kit/agents.h); in the scope ('project', 'agents').

CREATE TABLE agent_commands (
    scope       INT  NOT NULL REFERENCES scopes (number),
    agent       TEXT NOT NULL,
    command     TEXT NOT NULL,
    rev         INT  NOT NULL CHECK (rev >= 1),
    summary     TEXT,
    params      TEXT,                            -- JSON
    removed     INT,
    changed_at  TEXT NOT NULL,
    PRIMARY KEY (scope, agent, command)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER agent_commands_same_key BEFORE UPDATE OF scope, agent, command ON agent_commands
BEGIN SELECT RAISE(ABORT, 'keys of agent_commands never change'); END;
CREATE TRIGGER agent_commands_no_delete BEFORE DELETE ON agent_commands
BEGIN SELECT RAISE(ABORT, 'agent_commands are never deleted'); END;
