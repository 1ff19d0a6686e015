// exports.tsx - a dialogue to take away: as JSON, Markdown, a report that opens anywhere, or printed.
import { act } from "../../api";
import { save } from "../../parts/picture";

const ways: [string, string, (id: string) => Promise<Blob>][] = [
  [
    "Report",
    "html",
    async (id) => {
      const { html } = await act<{ html: string }>("dialogue/export", { dialogue_id: id, output_path: "-", format: "html" });
      return new Blob([html], { type: "text/html" });
    },
  ],
  [
    "Markdown",
    "md",
    async (id) => {
      const { markdown } = await act<{ markdown: string }>("dialogue/transcript", { dialogue_id: id });
      return new Blob([markdown], { type: "text/markdown" });
    },
  ],
  [
    "JSON",
    "json",
    async (id) => {
      const whole = await act<unknown>("dialogue/export", { dialogue_id: id, output_path: "-" });
      return new Blob([JSON.stringify(whole, null, 2)], { type: "application/json" });
    },
  ],
];

export function Exports({ id }: { id: string }): preact.JSX.Element {
  return (
    <p class="exports" role="group" aria-label="Export">
      {ways.map(([word, ending, make]) => (
        <button type="button" class="quiet" onClick={() => void make(id).then((content) => save(`${id}.${ending}`, content))}>
          {word}
        </button>
      ))}
      <button type="button" class="quiet" onClick={() => print()}>
        Print
      </button>
    </p>
  );
}
