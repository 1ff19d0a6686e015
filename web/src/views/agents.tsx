// agents.tsx - who can act in the project: agents and people, what each of them is for, and what the rooms know of them.
import { useAsk } from "../ask";
import { Feed } from "../parts/feed";
import { AgentName, Crumbs, Empty, Heading, Loaded, Person } from "../parts/show";
import { rooms } from "../rooms";
import { link, type Place } from "../router";
import { capital, count, day, list } from "../words";

interface Agent {
  agent_id: string;
  kind: string;
  summary?: string;
  aliases: string[];
  capabilities?: string[];
  rooms?: string[];
  reach?: string;
  status: string;
  created_at: string;
}

/** What the rooms say of each agent in a few words. The table of rooms is constant, so are the hooks. */
function useNotes(): (name: string) => string {
  const all = rooms.flatMap((room) => room.useAgentNotes?.() ?? []);
  return (name) => all.flatMap((notes) => notes.get(name) ?? []).join(" · ");
}

function List({ agents }: { agents: Agent[] }): preact.JSX.Element {
  const notes = useNotes();
  return (
    <ul class="rows">
      {agents.map((a) => (
        <li key={a.agent_id}>
          <a class="row two" data-row href={link("agents", a.agent_id)}>
            <span class="title">
              <Person name={a.agent_id} /> <span class="status">{a.kind === "human" ? "person" : "agent"}</span> {a.status !== "active" && <span class="status red">{a.status}</span>}
            </span>
            <span class="next">{[a.summary, a.capabilities?.length ? `can: ${a.capabilities.join(", ")}` : ""].filter(Boolean).join(" · ")}</span>
            <span class="next">{notes(a.agent_id)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function One({ a }: { a: Agent }): preact.JSX.Element {
  const facts = [
    a.kind === "human" ? "a person" : "an agent",
    a.status,
    a.capabilities?.length && `can ${list(a.capabilities)}`,
    a.rooms?.length && `may act in ${list(a.rooms)}`,
    a.aliases.length && `also called ${list(a.aliases)}`,
    a.reach && `reached by ${a.reach}`,
    `since ${day(a.created_at)}`,
  ];
  return (
    <article>
      <Crumbs>
        <a href={link("agents")}>Agents</a> <span>›</span> <span>{a.agent_id}</span>
      </Crumbs>
      <h1>
        <Person name={a.agent_id} />
      </h1>
      {a.summary && (
        <p class="lead" dir="auto">
          {a.summary}
        </p>
      )}
      <p class="facts">
        {facts.filter(Boolean).map((fact) => (
          <span>{fact}</span>
        ))}
      </p>
      <div class="columns">
        <div>{rooms.map((room) => room.AboutAgent && <room.AboutAgent name={a.agent_id} key={room.name} />)}</div>
        <section aria-label="Activity">
          <Heading>Lately</Heading>
          <Feed who={a.agent_id} most={20} />
        </section>
      </div>
    </article>
  );
}

export const useAgents = (): ReturnType<typeof useAsk<{ agents: Agent[] }>> => useAsk({ operation: "agent/list", room: "project" });

export function AgentsView({ place }: { place: Place }): preact.JSX.Element {
  const asked = useAgents();
  const name = place.path[1] ?? "";
  return (
    <Loaded asked={asked}>
      {({ agents }) => {
        const one = agents.find((a) => a.agent_id.toLowerCase() === name.toLowerCase() || a.aliases.includes(name));
        if (one) return <One a={one} />;
        if (name) return <p class="fault">No agent of this project is called {name}.</p>;
        const people = agents.filter((a) => a.kind === "human").length;
        return (
          <>
            {agents.length ? (
              <h1 class="sentence">{`${capital(count(agents.length - people, "agent"))} and ${count(people, "person", "people")} can act here.`}</h1>
            ) : (
              <Empty title="Nobody is registered yet.">
                <code>conclave agent add NAME</code> registers an agent, <code>conclave agent add NAME --kind human</code> a person.
              </Empty>
            )}
            <List agents={agents} />
          </>
        );
      }}
    </Loaded>
  );
}

/** On the first page: one line for each, with what the rooms say of them. */
export function AgentNames({ agents }: { agents: { agent_id: string }[] }): preact.JSX.Element {
  const notes = useNotes();
  return (
    <ul class="plain people">
      {agents.map((a) => (
        <li key={a.agent_id}>
          <AgentName name={a.agent_id} /> <small>{notes(a.agent_id)}</small>
        </li>
      ))}
    </ul>
  );
}
