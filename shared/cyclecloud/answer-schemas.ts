import { z } from "zod";
import { UpstreamError } from "../errors/errors.ts";
import { parseJson } from "../json/json.ts";
import { maybeText, text, whatIsWrong } from "./wire-value.ts";

/** NodeCreationResult: one entry per set, in the order of the request. */
export const creationResultSchema = z.object({
  operationId: text,
  sets: z.array(z.object({ added: z.int().nonnegative(), message: maybeText })),
});

/** NodeManagementResult: one entry per node that the request selected. */
export const managementResultSchema = z.object({
  operationId: text,
  nodes: z.array(z.object({ id: text, name: text, status: z.string(), error: maybeText })),
});

const used = { hours: z.number(), cost: z.number().nullish() };
const isoMoment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text) / 1000);

/** ClusterUsage: `hours` are core-hours. */
export const usageSchema = z.object({
  usage: z.array(
    z.object({
      start: isoMoment,
      end: isoMoment,
      breakdown: z.array(z.object({ category: text, node: text, ...used })),
      total: z.object(used),
    }),
  ),
});

const refusalSchema = z.union([z.object({ message: text }), z.object({ error: text })]);

/** The answer as its schema reads it. Throws UpstreamError: half an answer must never look like an empty one. */
export function readAnswer<S extends z.ZodType>(schema: S, body: string, doing: string): z.output<S> {
  const result = schema.safeParse(readJson(body, doing));
  if (result.success) return result.data;
  throw unreadable(doing, whatIsWrong(result.error));
}

/** The server's own words in a refusal: text, or JSON with a message. */
export function refusalMessage(body: string): string {
  const words = body.trim();
  try {
    const refusal = refusalSchema.parse(parseJson(words));
    return "message" in refusal ? refusal.message : refusal.error;
  } catch {
    return words === "" ? "refused without a reason" : words.slice(0, 1000);
  }
}

/** Retryable: the next answer may be complete, and the effect of an action is found by its request id. */
export function unreadable(doing: string, why: string): UpstreamError {
  return new UpstreamError(`Cannot ${doing}: unexpected answer, ${why}`, { retryable: true });
}

function readJson(body: string, doing: string): unknown {
  try {
    return parseJson(body);
  } catch {
    throw unreadable(doing, `${body.length} characters that are no JSON`);
  }
}
