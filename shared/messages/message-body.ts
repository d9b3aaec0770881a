import { z } from "zod";
import { convertible, parseJson } from "../json/json.ts";
import { describeProblems, shown } from "./problems.ts";
import { excessOf } from "./sizes.ts";

/** The claim check: the jobs and nodes are in a blob of the `demand-uploads` container, not in the message. */
const claim = z.object({ blob: z.string().min(1).max(1024) }).loose();

/** Bodies that were read: 100,000 jobs need not be searched again for values that `convertible` replaces. */
const alreadyRead = new WeakSet<object>();

/** The body of a message as JSON, which is then read once: a text that is none is undefined. */
export function readBody(input: unknown): unknown {
  if (typeof input === "object" && input !== null && alreadyRead.has(input)) return input;
  const value = readJson(input);
  if (typeof value === "object" && value !== null) alreadyRead.add(value);
  return value;
}

/** Made of a body that was read: it need not be searched again. */
export function asRead<T extends object>(made: T): T {
  alreadyRead.add(made);
  return made;
}

function readJson(input: unknown): unknown {
  // The host has parsed what it takes for JSON.
  if (typeof input !== "string") return convertible(input);
  try {
    return parseJson(input);
  } catch {
    return undefined;
  }
}

export function asObject(input: unknown): Record<string, unknown> | undefined {
  const value = readBody(input);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

/** The name of the blob that holds the rest of this message, if it is a claim check. */
export function claimedBlob(input: unknown): string | undefined {
  const parsed = claim.safeParse(asObject(input));
  return parsed.success ? parsed.data.blob : undefined;
}

/**
 * The message with the blob's jobs and nodes in place of the claim. They alone are taken from the blob, which cannot change
 * whom the message is for; jobs or nodes beside the claim are ignored. The result is checked like any message.
 */
export function withClaimed(input: unknown, content: string): unknown {
  const outer = asObject(input);
  const inner = asObject(content);
  if (outer === undefined || inner === undefined) return content;
  const { blob: _, jobs: _jobs, nodes: _nodes, ...rest } = outer;
  const { jobs, nodes, nodeShapes = rest.nodeShapes, remove = rest.remove } = inner;
  const claimed = { jobs, nodes, nodeShapes, remove };
  const whole = {
    ...rest,
    ...Object.fromEntries(Object.entries(claimed).filter(([, value]) => value !== undefined)),
  };
  // Both parts of it were.
  return asRead(whole);
}

/** Whom a message that does not validate claims to be for, as far as it can be read, for the record of its rejection. */
export function claimedOrigin(input: unknown): { cluster: string | undefined; source: string | undefined } {
  const json = asObject(input) ?? {};
  const text = (value: unknown) => (typeof value === "string" && value.length <= 256 ? value : undefined);
  return { cluster: text(json.cluster), source: text(json.source) };
}

/** The sequence that a refused demand message claims to have; undefined: it cannot be read, or is of another kind. */
export function claimedSequence(input: unknown): number | undefined {
  const { kind, sequence } = asObject(input) ?? {};
  return kind !== "targets" && Number.isSafeInteger(sequence) ? (sequence as number) : undefined;
}

/** Whether a refused message claims to ask for nodes of node arrays. */
export function claimsTargets(input: unknown): boolean {
  return asObject(input)?.kind === "targets";
}

type Envelope<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads all of a message but the items of its lists, which are checked one by one. */
export function readEnvelope<T>(schema: z.ZodType<T>, input: unknown): Envelope<T> {
  const json = asObject(input);
  if (json === undefined) {
    return { ok: false, problems: [`message: ${shown(input)}, expected a JSON object`] };
  }
  const {
    jobs: _jobs,
    nodes: _nodes,
    nodeShapes: _nodeShapes,
    remove: _remove,
    arrays: _arrays,
    ...rest
  } = json;
  const excess = excessOf(rest);
  if (excess !== undefined) return { ok: false, problems: [`message: ${excess}`] };
  const parsed = schema.safeParse(json, { reportInput: true });
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, problems: describeProblems(parsed.error) };
}
