import { z } from "zod";
import { describeIssues } from "../../../shared/text/describe-issues.ts";

/** The formats of a command's output. `table-headerless` is scalelib's, for scripts that cut columns. */
export const formats = ["table", "json", "jsonl", "csv", "table-headerless"] as const;

export type Format = (typeof formats)[number];

export interface OutputSettings {
  /** By command; `default` is for the commands that list nodes. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly format?: Format | undefined;
}

export type ParsedOutputSettings =
  | { readonly ok: true; readonly settings: OutputSettings }
  | { readonly ok: false; readonly problems: readonly string[] };

export const noOutputSettings: OutputSettings = { columns: {} };

const list = z.array(z.string(), "expected a list of columns");

const columns = z.union(
  [list, z.record(z.string(), list)],
  "expected a list of columns, or lists by command",
);

const format = z
  .string()
  .transform((text) => text.toLowerCase().replaceAll("_", "-"))
  .pipe(z.enum(formats, `expected one of ${formats.join(", ")}`));

/** scalelib's keys, in both spellings. Other keys of the file are not read here. */
const schema = z.looseObject(
  {
    output_columns: columns.optional(),
    "output-columns": columns.optional(),
    output_format: format.optional(),
  },
  "expected an object of settings",
);

/** Reads them out of an `autoscale.json`. Names every problem. */
export function parseOutputSettings(json: unknown): ParsedOutputSettings {
  const parsed = schema.safeParse(json, { reportInput: true });
  if (!parsed.success) return { ok: false, problems: describeIssues(parsed.error) };
  const { output_columns, "output-columns": kebab, output_format } = parsed.data;
  return {
    ok: true,
    settings: {
      columns: { ...byCommand(output_columns), ...byCommand(kebab) },
      ...(output_format !== undefined && { format: output_format }),
    },
  };
}

function byCommand(
  configured: z.output<typeof columns> | undefined,
): Readonly<Record<string, readonly string[]>> {
  if (configured === undefined) return {};
  return Array.isArray(configured)
    ? { default: configured }
    : (configured as Record<string, readonly string[]>);
}
