// keys.tsx - the keyboard: what can be done with it, and doing it.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { go, link } from "../router";

/** After g: where to. Letters of rooms are given by the frame. */
export type Ways = Record<string, { title: string; href: string }>;

const keys: [string, string][] = [
  ["/", "search everything"],
  ["j, k", "next and previous row"],
  ["Enter", "open the row"],
  ["[, ]", "previous and next view"],
  ["?", "this overview"],
  ["Esc", "close, leave a field, or go back"],
  ["g h", "home"],
];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Moves the focus along the rows of the view. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function turn(by: number): void {
  const tabs = [...document.querySelectorAll<HTMLAnchorElement>("[data-tab]")];
  const at = tabs.findIndex((tab) => tab.getAttribute("aria-current"));
  const next = tabs[at + by];
  if (next) go(next.hash);
}

export function useKeys(ways: Ways, toggleHelp: () => void): void {
  const before = useRef("");
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (event.key === "Escape") {
        if (isTyping(event.target)) (event.target as HTMLElement).blur();
        else if (location.hash.length > 2 && !document.querySelector(".side, .keys")) history.back();
        return;
      }
      if (isTyping(event.target)) return;
      const last = before.current;
      before.current = event.key;
      const way = last === "g" ? ways[event.key] : undefined;
      if (way) go(way.href);
      else if (last === "g" && event.key === "h") go(link());
      else if (event.key === "/") document.getElementById("search")?.focus();
      else if (event.key === "?") toggleHelp();
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
      else if (event.key === "[") turn(-1);
      else if (event.key === "]") turn(1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [ways, toggleHelp]);
}

export function Keys({ ways, onClose }: { ways: Ways; onClose: () => void }): preact.JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current?.focus();
    const close = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      onClose();
    };
    addEventListener("keydown", close, true);
    return () => removeEventListener("keydown", close, true);
  }, [onClose]);
  const all = [...keys, ...Object.entries(ways).map(([key, way]): [string, string] => [`g ${key}`, way.title.toLowerCase()])];
  return (
    <div class="keys" role="dialog" aria-label="Keys" tabIndex={-1} ref={box}>
      <h2>Keys</h2>
      <dl>
        {all.map(([key, meaning]) => (
          <div>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  );
}
