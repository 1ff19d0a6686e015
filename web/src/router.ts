// router.ts - where we are: the part of the address behind "#". #/ROOM/SCOPE/view?name=value
import { createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";

export interface Place {
  path: string[];
  parameters: URLSearchParams;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a % that stands for nothing
  }
}

function here(): Place {
  const [path = "", search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decode), parameters: new URLSearchParams(search) };
}

export function link(...path: string[]): string {
  return `#/${path.map(encodeURIComponent).join("/")}`;
}

/** The same place with other parameters; an empty value takes one away. */
export function linkWith(place: Place, changes: Record<string, string>): string {
  const parameters = new URLSearchParams(place.parameters);
  for (const [name, value] of Object.entries(changes)) {
    if (value) parameters.set(name, value);
    else parameters.delete(name);
  }
  const text = parameters.toString();
  return `${link(...place.path)}${text ? `?${text}` : ""}`;
}

export function go(address: string): void {
  location.hash = address;
}

export const Here = createContext<Place>({ path: [], parameters: new URLSearchParams() });

/** Where we are, for parts deep inside of a view. */
export const useHere = (): Place => useContext(Here);

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  // At once, not after the first drawing: what changes until then would not be heard of.
  useLayoutEffect(() => {
    const change = (): void => setPlace(here());
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return place;
}
