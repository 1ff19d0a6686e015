// sign_in.tsx - a person says who acts: by a token, which becomes a cookie that no script can read, or, on a server that
// asks for none, by name.
import { useState } from "preact/hooks";
import { act, ApiError, person, rememberPerson, signIn } from "../api";
import { usePeople } from "../parts/act";
import { go, link } from "../router";

export function SignIn(): preact.JSX.Element {
  const people = usePeople();
  const [fault, setFault] = useState("");
  return (
    <section aria-label="Sign in" class="narrow">
      <h1 class="sentence">{person() ? `You act as ${person()}.` : "Nobody is signed in: what you do here is recorded without a name."}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          const [name, token] = [String(data.get("name") ?? ""), String(data.get("token") ?? "").trim()];
          const before = person();
          rememberPerson(name);
          (token ? signIn(token) : Promise.resolve())
            .then(() => act("agent/list")) // refused when nobody is called so; every agent may ask
            .then(
              () => {
                go(link());
                location.reload();
              },
              (e: unknown) => {
                rememberPerson(before);
                setFault(e instanceof ApiError ? [e.fault.message, e.fault.suggestion].filter(Boolean).join("; ") : String(e));
              },
            );
        }}
      >
        <div class="entry">
          <label for="name">Name</label>
          <input id="name" name="name" list="people" defaultValue={person()} />
          <datalist id="people">
            {people.map((name) => (
              <option value={name} />
            ))}
          </datalist>
          <small>a person of this project; conclave agent add NAME --kind human registers one</small>
        </div>
        <div class="entry">
          <label for="token">Token</label>
          <input id="token" name="token" type="password" autocomplete="off" />
          <small>conclave token add NAME makes one. It becomes a cookie that scripts cannot read; acts are then verified.</small>
        </div>
        {fault && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <button type="submit">Sign in</button>{" "}
        <button
          type="button"
          class="quiet"
          onClick={() =>
            void fetch("/api/session", { method: "DELETE" }).then(() => {
              rememberPerson("");
              location.reload();
            })
          }
        >
          Sign out
        </button>
      </form>
    </section>
  );
}
