// feed.tsx - a room that has no view of its own: what was committed in it, and in one scope of it.
import { Feed } from "../parts/feed";
import { Crumbs } from "../parts/show";
import { link, type Place } from "../router";
import { capital } from "../words";

export function FeedView({ place }: { place: Place }): preact.JSX.Element {
  const [, room = "", scope = ""] = place.path;
  return (
    <>
      <Crumbs>
        <a href={link()}>Home</a> <span>›</span> {scope ? <a href={link("feed", room)}>{room}</a> : <span>{room}</span>}
        {scope && (
          <>
            {" "}
            <span>›</span> <span>{scope}</span>
          </>
        )}
      </Crumbs>
      <h1 class="sentence">What happened in {scope || `the room ${capital(room)}`}.</h1>
      <Feed room={room} {...(scope ? { scope } : {})} most={200} />
    </>
  );
}
