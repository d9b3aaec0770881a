/** How a command prints. `table-headerless` is the reference's, for scripts that cut columns. */
export const formats = ["table", "json", "jsonl", "csv", "table-headerless"] as const;

export type Format = (typeof formats)[number];
