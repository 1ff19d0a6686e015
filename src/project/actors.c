/* actors.c - what can be asked about who can act: the rows of `agent` and `token`; see room.h. */
#include "project/registry.h"
#include "project/room.h"

enum {
    READS = CV_OP_STORE | CV_OP_IDEMPOTENT | CV_OP_CACHEABLE,
    WRITES = CV_OP_STORE | CV_OP_WRITES,
    REGISTERS = WRITES | CV_OP_IDEMPOTENT | CV_OP_AGENTS,
};

static const cv_operation agent_rows[] = {
    {.room = "agent",
     .verb = "add",
     .tool = "conclave_agent_add",
     .summary = "add an agent or a person",
     .details =
         "An id has letters, digits, '.', '_' and '-', begins with a letter or digit, and has at most 64\n"
         "characters. Ids and aliases are unique without regard to case. From the first agent on, --as takes\n"
         "registered names only. The same agent again changes nothing; another one with the same id needs\n"
         "--replace, and so does the id of an agent that was removed.\n"
         "\n"
         "'run' calls agents: a command (--command, --preset) runs without a shell and gets the prompt on standard\n"
         "input, or in a file that replaces {prompt_file}; an endpoint (--endpoint, --protocol, --model) is called "
         "over\n"
         "HTTP. Keys stay in the environment: --key-env and --env name variables. See docs/reach.md.\n",
     .examples = "  conclave agent add muffin --capabilities planning,review\n"
                 "  conclave agent add ada --kind human\n"
                 "  conclave agent add opus --command 'claude -p --model opus'\n"
                 "  conclave agent add local --endpoint http://127.0.0.1:11434 --protocol ollama --model llama3.2\n"
                 "  conclave agent add gpt --endpoint https://api.openai.com/v1 --protocol openai --model gpt-5 "
                 "--key-env OPENAI_API_KEY\n",
     .schema = "agent_add",
     .flags = REGISTERS,
     .run = cv_agent_op_add,
     .answer = cv_agent_written_shape},
    {.room = "agent",
     .verb = "list",
     .tool = "conclave_agent_list",
     .summary = "list the agents of the project",
     .details = "In the order of their names. --removed shows removed ones, too.\n",
     .examples = "  conclave agent list\n"
                 "  conclave agent list --capability planning\n",
     .schema = "agent_list",
     .flags = READS | CV_OP_FOR_ALL,
     .run = cv_agent_op_list,
     .answer = cv_agent_list_shape},
    {.room = "agent",
     .verb = "show",
     .tool = "conclave_agent_show",
     .summary = "show an agent: what it can do, where it may act, how it is reached",
     .details = "By its id or an alias; a removed one, too.\n",
     .examples = "  conclave agent show muffin\n",
     .schema = "agent_show",
     .flags = READS | CV_OP_FOR_ALL,
     .run = cv_agent_op_show,
     .answer = cv_agent_shape},
    {.room = "agent",
     .verb = "alias",
     .tool = "conclave_agent_alias",
     .summary = "give an agent further names, or remove them",
     .details = "An alias can be used wherever an agent is named; answers and events have the id.\n",
     .examples = "  conclave agent alias muffin Agent-1 planner\n"
                 "  conclave agent alias muffin planner --remove\n",
     .schema = "agent_alias",
     .flags = WRITES | CV_OP_IDEMPOTENT,
     .run = cv_agent_op_alias,
     .answer = cv_agent_written_shape},
    {.room = "agent",
     .verb = "limit",
     .tool = "conclave_agent_limit",
     .summary = "limit an agent: to rooms, in numbers; or lift limits",
     .details =
         "An agent that is limited to rooms can use the operations of these rooms and list the agents, and nothing\n"
         "else. Limits that you do not name stay.\n",
     .examples = "  conclave agent limit muffin --all-rooms\n",
     .schema = "agent_limit",
     .flags = WRITES | CV_OP_IDEMPOTENT,
     .run = cv_agent_op_limit,
     .answer = cv_agent_written_shape},
    {.room = "agent",
     .verb = "remove",
     .tool = "conclave_agent_remove",
     .summary = "remove an agent: it can no longer act, its history stays",
     .details =
         "Its row and its names stay, so nobody is mistaken for it. Its tokens are revoked. 'agent add --replace'\n"
         "takes the id over. If something waits for the agent, only --force removes it: the messages stay, and the\n"
         "agent that takes the id over gets them.\n",
     .examples = "  conclave agent remove gpt --reason \"replaced by opus\"\n",
     .schema = "agent_remove",
     .flags = WRITES | CV_OP_IDEMPOTENT,
     .run = cv_agent_op_remove,
     .answer = cv_agent_written_shape},
    {.room = "agent",
     .verb = "import",
     .tool = "conclave_agent_import",
     .summary = "add many agents from a file: TOML, JSON, or one object per line",
     .details =
         "The file has a list of agents with the fields of 'agent add', an object with such a list in agents (as\n"
         "'agent list --json' prints it), or one agent per line. All are registered, or none. The answer names\n"
         "every fault with its place. Agents that are already registered like this are unchanged. A file\n"
         "whose name ends in .toml has a table [agents.NAME] for each agent; its [seats] are for 'run'.\n",
     .examples = "  conclave agent import agents.json --dry-run\n"
                 "  conclave agent import agents.json\n",
     .schema = "agent_import",
     .flags = REGISTERS,
     .run = cv_agent_op_import,
     .answer = cv_agent_import_shape},
    {.room = "agent",
     .verb = "commands",
     .tool = "conclave_agent_commands",
     .summary = "list the commands that an agent understands, or change them",
     .details = "Commands can be any words: this list helps those who write to the agent. --set adds commands,\n"
                "or replaces them.\n",
     .examples = "  conclave agent commands muffin --set '[{\"command\": \"run_test\", \"summary\": \"runs tests\"}]'\n"
                 "  conclave agent commands muffin\n",
     .schema = "agent_commands",
     .flags = WRITES | CV_OP_IDEMPOTENT,
     .run = cv_agent_op_commands,
     .answer = cv_agent_commands_shape},
    {0},
};

static const cv_operation token_rows[] = {
    {.room = "token",
     .verb = "add",
     .tool = "conclave_token_add",
     .summary = "make a token: a client that sends it acts as this agent or person",
     .details = "The secret is printed once and stored nowhere: the record keeps its SHA-256. HTTP clients send it as\n"
                "'Authorization: Bearer SECRET'. --rooms and --read-only limit it further than its agent is limited.\n"
                "Agents cannot make tokens; through a server only the token of a person can.\n",
     .schema = "token_add",
     .flags = WRITES,
     .run = cv_token_op_add,
     .answer = cv_token_add_shape},
    {.room = "token",
     .verb = "list",
     .tool = "conclave_token_list",
     .summary = "list the tokens: whose they are and what they may do",
     .details = "Of all agents, or of one. --revoked shows revoked ones, too. Secrets are not kept, so\n"
                "none is shown.\n",
     .examples = "  conclave token list\n"
                 "  conclave token list muffin --revoked\n",
     .schema = "token_list",
     .flags = READS,
     .run = cv_token_op_list,
     .answer = cv_token_list_shape},
    {.room = "token",
     .verb = "revoke",
     .tool = "conclave_token_revoke",
     .summary = "revoke a token: from now on it is refused",
     .details = "A server that runs refuses it from the next request on.\n",
     .examples = "  conclave token revoke t9\n",
     .schema = "token_revoke",
     .flags = WRITES | CV_OP_IDEMPOTENT,
     .run = cv_token_op_revoke,
     .answer = cv_token_revoke_shape},
    {0},
};

static const cv_completion agent_values[] = {
    {"AGENT", NULL, "agent list", NULL, false, "agents", "agent_id", "summary"},
    {"WHO", NULL, "agent list", NULL, false, "agents", "agent_id", "summary"},
    {0},
};
static const cv_completion token_values[] = {
    {"TOKEN_ID", NULL, "token list", NULL, false, "tokens", "token_id", "agent_id"}, {0}};

static const cv_type *const project_types[] = {&cv_agent_row_type, &cv_alias_row_type, &cv_token_row_type,
                                               &cv_command_row_type};
const cv_room_types cv_project_records = {CV_STR_INIT("project"), project_types, CV_COUNT(project_types)};

const cv_room cv_room_agent = {
    .name = "agent",
    .summary = "who can act in the project: agents and people",
    .of_project = true,
    .details =
        "Rooms address agents by these names, and every event says who acted: --as NAME, CONCLAVE_AGENT, or the\n"
        "agent of a token. See docs/agents.md.\n",
    .ops = agent_rows,
    .codes = cv_registry_codes,
    .completions = agent_values,
};

const cv_room cv_room_token = {
    .name = "token",
    .summary = "secrets with which agents and people prove who they are",
    .of_project = true,
    .details = "For clients of 'conclave serve'. See docs/agents.md.\n",
    .ops = token_rows,
    .completions = token_values,
};
