// act.tsx - acting as a person: who acts, and forms with the same checks as everywhere. All faults stand at their fields;
// the command line for the same act can be copied.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { act, ApiError, person, type Fault, type Input } from "../api";
import { useAsk } from "../ask";
import { link } from "../router";

interface Agent {
  agent_id: string;
  kind: string;
}

/** The people of the project. */
export function usePeople(): string[] {
  const asked = useAsk<{ agents: Agent[] }>({ operation: "agent/list", room: "project" });
  return (asked.data?.agents ?? []).filter((a) => a.kind === "human").map((a) => a.agent_id);
}

export function Who(): preact.JSX.Element {
  return (
    <a class="who" href={link("sign-in")}>
      {person() || "Sign in"}
    </a>
  );
}

function quote(value: string): string {
  return /^[\w@.,:/=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** The same act on the command line. */
export function commandLine(operation: string, input: Input): string {
  const options = Object.entries(input)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `--${name.replaceAll("_", "-")} ${quote(typeof value === "string" ? value : JSON.stringify(value))}`);
  return ["conclave", ...operation.split("/"), ...options].join(" ");
}

export interface Field {
  name: string;
  label: string;
  kind?: "text" | "long" | "number" | "choice";
  choices?: string[];
  value?: string;
  hint?: string;
}

function Entry({ field, fault }: { field: Field; fault: Fault | undefined }): preact.JSX.Element {
  const common = { name: field.name, id: `field-${field.name}`, "aria-invalid": Boolean(fault), "aria-describedby": `hint-${field.name}` };
  return (
    <div class="entry">
      <label for={`field-${field.name}`}>{field.label}</label>
      {field.kind === "long" ? (
        <textarea {...common} rows={4} defaultValue={field.value ?? ""} />
      ) : field.kind === "choice" ? (
        <select {...common}>
          {field.choices?.map((choice) => (
            <option value={choice} selected={choice === field.value}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input {...common} type={field.kind === "number" ? "number" : "text"} defaultValue={field.value ?? ""} />
      )}
      <small id={`hint-${field.name}`} class={fault ? "red" : ""}>
        {fault ? `${fault.message}${fault.suggestion ? `; ${fault.suggestion}` : ""}` : (field.hint ?? "")}
      </small>
    </div>
  );
}

interface Act {
  title: string;
  operation: string;
  fields: Field[];
  verb: string;
  /** What the operation gets, from what was typed. */
  input: (typed: Record<string, string>) => Input;
  onDone?: (answer: unknown) => void;
  children?: ComponentChildren;
}

/** One act: folded until somebody wants it. */
export function Act({ title, operation, fields, verb, input, onDone, children }: Act): preact.JSX.Element {
  const [faults, setFaults] = useState<Fault[]>([]);
  const [said, setSaid] = useState("");
  const [line, setLine] = useState("");
  const at = (name: string): Fault | undefined => faults.find((f) => f.field === name || f.field?.startsWith(`${name}[`));
  const general = faults.filter((f) => !f.field || !fields.some((field) => at(field.name) === f));
  const read = (form: HTMLFormElement): Input => {
    const typed: Record<string, string> = {};
    new FormData(form).forEach((value, name) => (typed[name] = typeof value === "string" ? value : ""));
    return input(typed);
  };
  return (
    <details class="act">
      <summary>{title}</summary>
      {children}
      {!person() && (
        <p class="facts">
          Nobody is signed in: the record will not say who did it. <a href={link("sign-in")}>Sign in</a>
        </p>
      )}
      <form
        onInput={(event) => {
          try {
            setLine(commandLine(operation, read(event.currentTarget)));
          } catch {
            setLine("");
          }
        }}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          setSaid("");
          act<unknown>(operation, read(form)).then(
            (answer) => {
              setFaults([]);
              setSaid("Done.");
              form.reset();
              onDone?.(answer);
            },
            (error: unknown) => setFaults(error instanceof ApiError ? (error.fault.errors ?? [error.fault]) : [{ error_code: "", message: String(error) }]),
          );
        }}
      >
        {fields.map((field) => (
          <Entry field={field} fault={at(field.name)} key={field.name} />
        ))}
        {general.map((f) => (
          <p class="fault" role="alert">
            {f.field ? `${f.field}: ` : ""}
            {f.message}
            {f.suggestion ? `; ${f.suggestion}` : ""}
          </p>
        ))}
        <p>
          <button type="submit">{verb}</button> <span role="status">{said}</span>
        </p>
        {line && (
          <p class="line">
            <code>{line}</code>{" "}
            <button type="button" class="quiet" onClick={() => void navigator.clipboard?.writeText(line)}>
              Copy
            </button>
          </p>
        )}
      </form>
    </details>
  );
}
