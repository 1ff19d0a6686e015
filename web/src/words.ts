// words.ts - how things look: kind by shape, status by colour and word, experts by initials and a hue of their own.

export type Kind = "perspective" | "recommendation" | "tension" | "evidence" | "claim";

export const glyphs: Record<Kind, string> = {
  perspective: "●",
  recommendation: "⬢",
  tension: "▲",
  evidence: "■",
  claim: "◆",
};

const tones: Record<string, string> = {
  open: "amber",
  proposed: "amber",
  asserted: "amber",
  cited: "amber",
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

export function toneOf(status: string): string {
  return tones[status] ?? "grey";
}

/** The same name has the same colour everywhere. */
export function hueOf(name: string): number {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  return hash;
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function list(words: string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1] ?? ""}`;
}

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

export function clock(time: string): string {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
