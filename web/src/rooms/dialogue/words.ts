// words.ts - how the contributions of a dialogue look: kind by shape, status by colour and word.
import { toneOf as anyTone } from "../../words";

export type Kind = "perspective" | "recommendation" | "tension" | "evidence" | "claim";

export const glyphs: Record<Kind, string> = {
  perspective: "●",
  recommendation: "⬢",
  tension: "▲",
  evidence: "■",
  claim: "◆",
};

/** The shape of a kind; a tension that is not closed is hollow, so that colour is not the only sign. */
export const glyphOf = (kind: Kind, status: string): string => (kind === "tension" && ["open", "reopened", "addressed"].includes(status) ? "△" : glyphs[kind]);

export const kinds = Object.keys(glyphs) as Kind[];

/** The colour of a status. A perspective is never closed: that it is open is nothing to wait for. */
export const toneOf = (status: string, kind?: Kind): string => (kind === "perspective" && status === "open" ? "ink" : anyTone(status));
