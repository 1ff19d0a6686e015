// main.tsx - the frame around every view: where we are, search, live state, keys. A report has one view and no frame.
import { render } from "preact";
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import "./style.css";
import { report } from "./api";
import { connect, onState } from "./live";
import type { View } from "./room";
import { Here, go, link, usePlace, type Place } from "./router";
import { rooms } from "./rooms";
import { Who } from "./parts/act";
import { Keys, useKeys, type Ways } from "./parts/keys";
import { AgentsView } from "./views/agents";
import { FeedView } from "./views/feed";
import { Home } from "./views/home";
import { SearchView } from "./views/search";
import { SignIn } from "./views/sign_in";

interface Page {
  name: string;
  title: string;
  View: View;
}

/** What the menu has: the rooms, their pages, and who acts in them. */
const pages: Page[] = [
  ...rooms.flatMap((room): Page[] => [room, ...Object.entries(room.pages ?? {}).map(([name, page]) => ({ name, ...page }))]),
  { name: "agents", title: "Agents", View: AgentsView },
];

/** Rooms that this page knows nothing of: the server has them, so there is a feed to show. */
function useOthers(): Page[] {
  const [names, setNames] = useState<string[]>([]);
  useEffect(() => {
    const known = new Set(pages.map((p) => p.name));
    fetch("/api").then(
      async (response) => setNames(((await response.json()) as { rooms?: string[] }).rooms?.filter((name) => !known.has(name)) ?? []),
      () => undefined,
    );
  }, []);
  return names.map((name) => ({ name: `feed/${name}`, title: name, View: FeedView }));
}

function Live(): preact.JSX.Element {
  const [connected, setConnected] = useState(false);
  useEffect(() => onState(setConnected), []);
  return (
    <span class={connected ? "live on" : "live"} role="status" title={connected ? "changes appear by themselves" : "the server does not answer; it is tried again"}>
      {connected ? "● live" : "○ reconnecting"}
    </span>
  );
}

function Theme(): preact.JSX.Element {
  const [theme, setTheme] = useState(localStorage.getItem("theme") ?? "");
  useEffect(() => {
    if (theme) document.documentElement.dataset["theme"] = theme;
    else delete document.documentElement.dataset["theme"];
    localStorage.setItem("theme", theme);
  }, [theme]);
  const dark = theme === "dark" || (!theme && matchMedia("(prefers-color-scheme: dark)").matches);
  return (
    <button type="button" class="quiet" onClick={() => setTheme(dark ? "light" : "dark")} aria-label={dark ? "Light colours" : "Dark colours"}>
      {dark ? "☀" : "☾"}
    </button>
  );
}

function Top({ place, all, onHelp }: { place: Place; all: Page[]; onHelp: () => void }): preact.JSX.Element {
  return (
    <header class="top">
      <a class="brand" href={link()}>
        Conclave
      </a>
      <nav class="menu" aria-label="Rooms">
        {all.map((page) => (
          <a href={`#/${page.name}`} aria-current={page.name === place.path.slice(0, page.name.split("/").length).join("/") ? "page" : undefined}>
            {page.title}
          </a>
        ))}
      </nav>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const words = new FormData(event.currentTarget).get("words");
          if (typeof words === "string" && words.trim()) go(`${link("search")}?q=${encodeURIComponent(words.trim())}`);
        }}
      >
        <input id="search" name="words" type="search" placeholder="Search everything   /" aria-label="Search everything" />
      </form>
      <span class="right">
        <Live />
        <Who />
        <Theme />
        <button type="button" class="quiet" onClick={onHelp} aria-label="Keys">
          ?
        </button>
      </span>
    </header>
  );
}

function Shown({ place }: { place: Place }): preact.JSX.Element {
  const name = place.path[0] ?? "";
  const page = pages.find((p) => p.name === name);
  if (page) return <page.View place={place} key={name} />;
  if (name === "feed") return <FeedView place={place} />;
  if (name === "search") return <SearchView place={place} />;
  if (name === "sign-in") return <SignIn />;
  if (!name) return <Home place={place} />;
  return (
    <>
      <h1 class="sentence">There is nothing at this address.</h1>
      <p>
        <a href={link()}>Home</a>
      </p>
    </>
  );
}

/** The first letter of each page that no other has taken. */
function waysOf(all: Page[]): Ways {
  const ways: Ways = {};
  for (const page of all) {
    const key = [...page.title.toLowerCase()].find((letter) => letter !== "h" && !(letter in ways));
    if (key) ways[key] = { title: page.title, href: `#/${page.name}` };
  }
  return ways;
}

function App(): preact.JSX.Element {
  const place = usePlace();
  const [help, setHelp] = useState(false);
  const others = useOthers();
  const all = [...pages, ...others];
  const ways = useMemo(() => waysOf(all), [others.length]);
  useKeys(ways, useCallback(() => setHelp((shown) => !shown), []));
  const at = place.path.join("/");
  useEffect(() => scrollTo(0, 0), [at]);
  return (
    <Here.Provider value={place}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the content
      </a>
      <Top place={place} all={all} onHelp={() => setHelp(true)} />
      <main id="main" tabIndex={-1}>
        <Shown place={place} />
      </main>
      {help && <Keys ways={ways} onClose={() => setHelp(false)} />}
    </Here.Provider>
  );
}

function ReportPage({ id }: { id: string }): preact.JSX.Element {
  const place = usePlace();
  return <>{rooms.map((room) => room.Report && <room.Report place={place} id={id} key={room.name} />)}</>;
}

// What is printed is on white paper, whatever the page is on.
let before = "";
addEventListener("beforeprint", () => {
  before = document.documentElement.dataset["theme"] ?? "";
  document.documentElement.dataset["theme"] = "light";
});
addEventListener("afterprint", () => {
  if (before) document.documentElement.dataset["theme"] = before;
  else delete document.documentElement.dataset["theme"];
});

const root = document.getElementById("app");
if (!report) connect();
if (root) render(report ? <ReportPage id={report.scope} /> : <App />, root);
