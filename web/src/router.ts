// router.ts - where we are: the part of the address behind "#". #/dialogue/ID/graph?kind=tension
import { useEffect, useState } from "preact/hooks";

export interface Place {
  path: string[];
  parameters: URLSearchParams;
}

function here(): Place {
  const [path = "", search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), parameters: new URLSearchParams(search) };
}

export function link(...path: string[]): string {
  return `#/${path.map(encodeURIComponent).join("/")}`;
}

export function go(address: string): void {
  location.hash = address;
}

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const change = (): void => setPlace(here());
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return place;
}
