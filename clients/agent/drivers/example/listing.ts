import { z } from "zod";

/**
 * The lines of a listing as columns. The last line tells how many there are (`# 3 jobs`): a listing without it was cut short,
 * and is undefined, as is everything else that is no listing.
 */
export function linesOf(text: string | undefined, what: string): readonly (readonly string[])[] | undefined {
  const lines = (text ?? "").trimEnd().split("\n");
  const count = /^# (\d{1,9}) (\w+)$/.exec(lines.at(-1) ?? "");
  const rows = lines.slice(0, -1);
  if (count?.[2] !== what || Number(count[1]) !== rows.length) return undefined;
  return rows.map((row) => row.split("\t"));
}

/** Columns by name, so that one that does not check out is told by its name. */
function columns<T extends z.ZodRawShape>(names: readonly string[], shape: T) {
  const object = z.object(shape);
  const named = z.preprocess(
    (row) => (Array.isArray(row) ? Object.fromEntries(names.map((name, index) => [name, row[index]])) : row),
    object,
  );
  return Object.assign(named, { shape: object.shape });
}

const number = z
  .string()
  .regex(/^\d{1,9}$/, "expected a number")
  .transform(Number);
const hostname = z.string().regex(/^[a-z0-9][a-z0-9.-]{0,254}$/i, "expected the name of a host");

/** A name, or `-` where there is none. */
const nameOrNone = z.string().transform((text) => (text === "-" ? undefined : text));

/**
 * `17 <tab> 4 <tab> 8 <tab> ip-0A000005,ip-0A000006 <tab> ada <tab> geo <tab> short`: id, cpus and GiB on each host, the hosts, or `-` while it
 * waits, whose it is, and of which queue.
 */
export const jobLine = columns(["id", "cpus", "memoryGiB", "hosts", "user", "account", "queue"], {
  id: z.string().regex(/^\d{1,18}$/, "expected a number"),
  cpus: number,
  memoryGiB: number,
  hosts: z
    .string()
    .transform((text) => (text === "-" ? [] : text.split(",")))
    .pipe(z.array(hostname)),
  user: nameOrNone,
  account: nameOrNone,
  queue: nameOrNone,
});

/** `ip-0A000005 <tab> open <tab> 4`: host, state, cpus. */
export const nodeLine = columns(["hostname", "state", "cpus"], {
  hostname,
  state: z.enum(["open", "closed", "away"]),
  cpus: number,
});

export type JobLine = z.infer<typeof jobLine>;
export type NodeLine = z.infer<typeof nodeLine>;
