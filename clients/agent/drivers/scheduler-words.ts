/** What becomes of the words of a scheduler: how much of them a demand message takes, and what they mean. */

const longestText = 500;
const mostNotes = 20;

/** More tasks of one array than this are not told at once where each is a job of its own. */
export const mostGangs = 100;

/** Why a job waits, or a node takes no jobs. */
export function reasonText(words: string): string {
  return words.slice(0, longestText);
}

/** The notes of a job, each once. */
export function withNotes(notes: readonly string[]): { readonly notes?: readonly string[] } {
  const told = [...new Set(notes)].slice(0, mostNotes).map((note) => note.slice(0, longestText));
  return told.length === 0 ? {} : { notes: told };
}

/** What a state of a node means for its host. */
export type StateMeaning =
  /** It may take work. */
  | "up"
  /** There is no host, or none that answers. */
  | "no-host"
  /** Somebody takes it out of service: no new work, and it goes when it is idle. */
  | "out"
  /** It takes no work at the moment, or only that of a reservation. */
  | "held";

/** By each word what it means, of a table that has the words of each meaning. */
export function meanings<Meaning extends string>(
  table: Readonly<Record<Meaning, readonly string[]>>,
): ReadonlyMap<string, Meaning> {
  const lists = Object.entries(table) as [Meaning, readonly string[]][];
  return new Map(lists.flatMap(([meaning, words]) => words.map((word) => [word, meaning])));
}
