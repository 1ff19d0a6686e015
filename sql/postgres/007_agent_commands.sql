-- 007_agent_commands.sql - what agents understand (src/kit/agents.h); in the scope ('project', 'agents').

CREATE TABLE $schema.agent_commands (
    scope       uuid NOT NULL,
    agent       text COLLATE "C" NOT NULL,
    command     text COLLATE "C" NOT NULL,
    rev         bigint NOT NULL CHECK (rev >= 1),
    summary     text COLLATE "C",
    params      text COLLATE "C",                        -- JSON
    removed     bigint,
    changed_at  text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope, agent, command)
) /*partitioned*/;

CREATE TRIGGER agent_commands_same_key BEFORE UPDATE OF scope, agent, command ON $schema.agent_commands FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('keys of agent_commands never change');
CREATE TRIGGER agent_commands_no_delete BEFORE DELETE ON $schema.agent_commands FOR EACH ROW
EXECUTE FUNCTION $schema.refuse_change('agent_commands are never deleted');
