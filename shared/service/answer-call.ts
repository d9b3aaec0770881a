import { z } from "zod";
import { type Route, type RouteId, routeOf } from "../api/index.ts";
import { describeProblems } from "../messages/index.ts";
import type { Ports } from "../ports/index.ts";
import { type Answered, badRequest, type Refused, unknownCluster } from "./answered.ts";
import type { AnswerOf, AnswersFrom, CallDetails, RouteCall } from "./route-call.ts";
import { onlyTheService } from "./storage-answers.ts";

export interface RawCall extends CallDetails {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The body as JSON. Read only for a route that takes one, and only when the rest of the call is right. */
  body(): Promise<RawBody> | RawBody;
  /** How its caller names the call: `POST /api/clusters/hpc/actions`. */
  readonly name: string;
}

export type RawBody = { readonly ok: true; readonly json: unknown } | Refused;

/** Answered also for a cluster that is not configured: one to be added, or whose callers may not learn which there are. */
const anyCluster: readonly RouteId[] = ["put-config", "autostop", "leaving"];

/** Answers a call from a table of answers: the cluster has to exist, query and body to match the route. Throws what the answer throws. */
export async function answerCall<Id extends RouteId, P extends Pick<Ports, "configs">>(
  table: Partial<AnswersFrom<P>>,
  id: Id,
  { ports, call }: { readonly ports: P; readonly call: RawCall },
): Promise<Answered<AnswerOf<Id>>> {
  const answer = table[id];
  if (answer === undefined) return onlyTheService;
  const route = routeOf(id);
  const { cluster = "" } = call.params;
  if (route.path.includes("{cluster}") && !anyCluster.includes(id)) {
    const clusters = await ports.configs.clusters();
    // Every caller that gets here may list them, see `anyCluster`.
    if (!clusters.includes(cluster)) return unknownCluster(cluster, clusters.toSorted());
  }
  const query = checked(
    (route.query ?? noQuery).strict(),
    call.query,
    `The query is not what ${call.name} takes`,
  );
  if (!query.ok) return query;
  const body = await bodyOf(route, call);
  if (!body.ok) return body;
  const { callerName, seen, idempotencyKey } = call;
  // What the schemas of this route gave, which is how `RouteCall` is made.
  const routeCall = {
    id,
    cluster,
    params: call.params,
    query: query.value,
    body: body.value,
    callerName,
    seen,
    idempotencyKey,
  } as unknown as RouteCall<Id>;
  return answer(ports, routeCall);
}

const noQuery = z.object({});

type Checked = { readonly ok: true; readonly value: unknown } | Refused;

async function bodyOf({ body: schema, bodyIsChecked }: Route, call: RawCall): Promise<Checked> {
  if (schema === undefined) return { ok: true, value: undefined };
  const body = await call.body();
  if (!body.ok) return body;
  if (bodyIsChecked === "by-answer") return { ok: true, value: body.json };
  return checked(schema, body.json, `The body is not what ${call.name} takes`);
}

function checked(schema: z.ZodType, value: unknown, title: string): Checked {
  try {
    const parsed = schema.safeParse(value, { reportInput: true });
    return parsed.success
      ? { ok: true, value: parsed.data }
      : badRequest(title, describeProblems(parsed.error));
  } catch (error) {
    // A body that is nested some thousand levels deep: the schema runs out of stack.
    if (!(error instanceof RangeError)) throw error;
    return badRequest(title, ["body: nested too deeply to be read"]);
  }
}
