// keys.tsx - the keyboard: what can be done with it, and doing it.
import { useEffect, useRef } from "preact/hooks";
import { go, link } from "../router";

const keys: [string, string][] = [
  ["/", "search everything"],
  ["g h", "home"],
  ["j, k", "next and previous row"],
  ["Enter", "open the row"],
  ["?", "this overview"],
  ["Esc", "close, or go back"],
];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Moves the focus along the rows of the view. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.focus();
}

export function useKeys(toggleHelp: () => void): void {
  const before = useRef("");
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") {
        if (isTyping(event.target)) (event.target as HTMLElement).blur();
        return;
      }
      if (isTyping(event.target)) return;
      const pair = `${before.current} ${event.key}`;
      before.current = event.key;
      if (event.key === "/") document.getElementById("search")?.focus();
      else if (event.key === "?") toggleHelp();
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
      else if (pair === "g h") go(link());
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [toggleHelp]);
}

export function Keys({ onClose }: { onClose: () => void }): preact.JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.focus();
    const close = (event: KeyboardEvent): void => {
      if (event.key === "Escape") onClose();
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [onClose]);
  return (
    <div class="keys" role="dialog" aria-label="Keys" tabIndex={-1} ref={box}>
      <h2>Keys</h2>
      <dl>
        {keys.map(([key, meaning]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </div>
  );
}
