// main.tsx - the frame around every view: where we are, search, live state, keys.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import "./style.css";
import { connect, onState } from "./live";
import { go, link, usePlace, type Place } from "./router";
import { Home } from "./views/home";
import { rooms } from "./rooms";
import { SignIn } from "./views/sign_in";
import { SearchView } from "./views/search";
import { Who } from "./parts/act";
import { Keys, useKeys } from "./parts/keys";

function Live(): preact.JSX.Element {
  const [connected, setConnected] = useState(false);
  useEffect(() => onState(setConnected), []);
  return (
    <span class={connected ? "live on" : "live"} title={connected ? "changes appear by themselves" : "reconnecting"}>
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

function Top({ place, onHelp }: { place: Place; onHelp: () => void }): preact.JSX.Element {
  return (
    <header class="top">
      <a class="brand" href={link()}>
        Conclave
      </a>
      <nav class="menu" aria-label="Rooms">
        {rooms.map((room) => (
          <a href={link(room.name)} aria-current={place.path[0] === room.name ? "page" : undefined}>
            {room.title}
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
      <Live />
      <Who />
      <Theme />
      <button type="button" class="quiet" onClick={onHelp} aria-label="Keys">
        ?
      </button>
    </header>
  );
}

function View({ place }: { place: Place }): preact.JSX.Element {
  const name = place.path[0] ?? "";
  const room = rooms.find((r) => r.name === name);
  if (room) return <room.View place={place} key={name} />;
  if (name === "search") return <SearchView words={place.parameters.get("q") ?? ""} />;
  if (name === "sign-in") return <SignIn />;
  return <Home place={place} />;
}

function App(): preact.JSX.Element {
  const place = usePlace();
  const [help, setHelp] = useState(false);
  useKeys(() => setHelp((shown) => !shown));
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Top place={place} onHelp={() => setHelp(true)} />
      <main id="main" tabIndex={-1}>
        <View place={place} />
      </main>
      {help && <Keys onClose={() => setHelp(false)} />}
    </>
  );
}

connect();
const root = document.getElementById("app");
if (root) render(<App />, root);
