import { routeOf } from "../../../shared/api/index.ts";
import { configsInForce } from "../../../shared/config/index.ts";
import { kindOf } from "../../../shared/errors/errors.ts";
import type { Ports } from "../../../shared/ports/index.ts";
import {
  type AnswersFrom,
  answerCall,
  answersFromRecords,
  problemOf,
} from "../../../shared/service/index.ts";
import { lookAhead } from "../../../shared/views/index.ts";
import type { OpenedArchive } from "../archive/open.ts";
import { toFailure } from "./problem-words.ts";
import type { AnswerOf, Call, RouteId, Service } from "./service.ts";

/** Answers a call in this process. Throws CommandFailure with the texts that the service would answer with. */
export async function askHere<Id extends RouteId, P extends Pick<Ports, "configs">>(
  table: Partial<AnswersFrom<P>>,
  id: Id,
  asked: { readonly ports: P; readonly cluster: string; readonly call: Call },
): Promise<AnswerOf<Id>> {
  const { ports, cluster, call } = asked;
  const { method, path } = routeOf(id);
  try {
    const answered = await answerCall(table, id, {
      ports,
      call: {
        name: `${method} ${path}`,
        params: { ...call.params, cluster },
        query: textsOf(call.query),
        body: () => ({ ok: true, json: call.body }),
        seen: call.seen,
      },
    });
    if (answered.ok) return answered.answer;
    throw toFailure(answered.problem.status, answered.problem);
  } catch (error) {
    if (kindOf(error) === undefined) throw error;
    const problem = problemOf(error);
    throw toFailure(problem.status, problem);
  }
}

/** As they would come in an address. */
function textsOf(query: Call["query"] = {}): Readonly<Record<string, string>> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** The same answers as the HTTP API's, from files, as of the time when they were written. Changes are refused. */
export function serveArchive({ cluster, stores, atSeconds, config }: OpenedArchive): Service {
  const clock = { nowSeconds: () => atSeconds };
  const records = { ...stores, configs: configsInForce(stores.configs, clock), clock };
  const ports = {
    ...records,
    lookAhead: (name: string) => lookAhead(records, name),
    // An archive was written without secrets.
    knownSecrets: [],
  };
  return {
    cluster,
    isHere: true,
    printing: () => config,
    ask: (id, call = {}) => askHere(answersFromRecords, id, { ports, cluster, call }),
  };
}
