import type { Json } from "../engine/index.ts";

/** Sentences about a job that its demand came with (`to-plan-input.ts`): notes of its sender, warnings of its reader. */
export function wordsIn(words: Json | undefined): string[] {
  return Array.isArray(words) ? words.filter((word) => typeof word === "string") : [];
}
