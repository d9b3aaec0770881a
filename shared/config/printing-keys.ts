import { isDictionary } from "../json.ts";

/** scalelib's keys, both spellings: the command line reads them. */
const printingKeys = ["output_columns", "output-columns", "output_format"];

/** They go along with answers, in a header. */
const mostCharacters = 4_096;

/** What a configuration says about printing, or why that cannot be told; neither when it says nothing. */
export function readPrinting(json: unknown): {
  readonly printing?: Readonly<Record<string, unknown>>;
  readonly warning?: string;
} {
  if (!isDictionary(json)) return {};
  const given = printingKeys
    .filter((key) => Object.hasOwn(json, key))
    .map((key) => [key, json[key]] as const);
  if (given.length === 0) return {};
  const printing = Object.fromEntries(given);
  const { length } = JSON.stringify(printing);
  return length <= mostCharacters
    ? { printing }
    : {
        warning: `output_columns: ${length} characters, expected at most ${mostCharacters}: ccscale takes them from a file (--config) only`,
      };
}
