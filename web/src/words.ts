// words.ts - how things look and read: status by colour and word, people by initials and a hue of their own.

const tones: Record<string, string> = {
  open: "amber",
  proposed: "amber",
  asserted: "grey",
  cited: "grey",
  converging: "blue",
  addressed: "blue",
  amended: "blue",
  refined: "blue",
  supported: "blue",
  resolved: "green",
  adopted: "green",
  confirmed: "green",
  converged: "green",
  done: "green",
  reopened: "red",
  opposed: "red",
  challenged: "red",
  rejected: "red",
  refuted: "red",
  failed: "red",
  dead: "red",
  new: "amber",
  accepted: "grey",
  claimed: "blue",
  running: "blue",
  busy: "blue",
  completed: "green",
  online: "green",
};

/** The colour of a status. */
export const toneOf = (status: string): string => tones[status] ?? "grey";

/** The same name has the same colour everywhere. */
export function hueOf(name: string): number {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  return (hash * 137) % 360; // names that differ in one letter are far apart
}

/** Two letters: of a name of several parts the first ones of the first and the last part. */
export function initials(name: string): string {
  const parts = name.split(/[\s._-]+/).filter(Boolean);
  const [first = "", last = ""] = [parts[0], parts[parts.length - 1]];
  return parts.length > 1 ? [...first].slice(0, 1).concat([...last].slice(0, 1)).join("") : [...name].slice(0, 2).join("");
}

/** Text of others within a sentence: if it is written from right to left, what follows keeps its order. */
export const isolate = (text: string): string => (/[\u0590-\u08ff\ufb1d-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text);

/** A word of a table for people: CONSULT_BLOCKER is "consult blocker". */
export const plainly = (word: string): string => (/^[A-Z0-9]+(_[A-Z0-9]+)*$/.test(word) ? word.replaceAll("_", " ").toLowerCase() : word);

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const small = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** "two tensions": numbers in a sentence are words as long as they are small. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${small[n] ?? String(n)} ${n === 1 ? one : many}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export function list(words: string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1] ?? ""}`;
}

/** "a, b, c and 9 more": at most three of many are named. */
export function first(words: string[]): string {
  return words.length > 4 ? `${words.slice(0, 3).join(", ")} and ${words.length - 3} more` : list(words);
}

/** A vote does not break at the end of a line. */
export const vote = (text: string): string => text.replaceAll("-", "\u2013");

const units: [number, string][] = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
];

export function agoSeconds(seconds: number): string {
  for (const [size, unit] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  return "now";
}

export function ago(time: string, now = Date.now()): string {
  return agoSeconds(Math.max(0, (now - Date.parse(time)) / 1000));
}

/** The time of day; of another day the date as well. */
export function clock(time: string, now = new Date()): string {
  const at = new Date(time);
  const hour = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  return at.toDateString() === now.toDateString() ? hour : `${at.toLocaleDateString([], { day: "numeric", month: "short" })} ${hour}`;
}

export function day(time: string): string {
  return new Date(time).toLocaleDateString([], { day: "numeric", month: "long", year: "numeric" });
}

export function cut(text: string, length: number): string {
  const letters = [...text];
  return letters.length > length ? `${letters.slice(0, length - 1).join("").trimEnd()}…` : text;
}
