import { toFailure } from "../../../clients/cli/service/problem-words.ts";
import type { Service } from "../../../clients/cli/service/service.ts";
import { routeOf } from "../../../shared/api/index.ts";
import type { Ports } from "../../../shared/ports/index.ts";
import { answerCall, answers, type ServicePorts } from "../../../shared/service/index.ts";
import { lookAhead } from "../../../shared/views/index.ts";
import type { Fleet, Run } from "../fleet.ts";
import type { Timeline } from "../timeline.ts";

/** A client gives up then. */
const longestCallSeconds = 60;

/** The service's HTTP API for an agent: a run of the function app for each call, which may die with it. */
export function serviceFor(
  cluster: string,
  {
    fleet,
    timeline,
    portsFor,
  }: {
    readonly fleet: Fleet;
    readonly timeline: Timeline;
    readonly portsFor: (run: Run) => Ports;
  },
): Service {
  return {
    cluster,
    printing: () => undefined,
    ask: (id, call = {}) =>
      new Promise((resolve, reject) => {
        const { method, path } = routeOf(id);
        const query = Object.entries(call.query ?? {}).filter(([, value]) => value !== undefined);
        const work = async (run: Run) => {
          const ports = portsFor(run);
          const known = { ...ports, lookAhead: (name: string) => lookAhead(ports, name), knownSecrets: [] };
          const answered = await answerCall(answers, id, {
            // The routes of the agent need nothing else of it.
            ports: known as unknown as ServicePorts,
            call: {
              name: `${method} ${path}`,
              params: { ...call.params, cluster },
              query: Object.fromEntries(query.map(([name, value]) => [name, String(value)])),
              body: () => ({ ok: true, json: call.body }),
              seen: undefined,
              idempotencyKey: call.key,
            },
          });
          if (answered.ok) resolve(answered.answer);
          else reject(toFailure(answered.problem.status, answered.problem));
        };
        fleet.start(`http ${id}`, work, ({ error }) => {
          if (error !== undefined) reject(error);
        });
        timeline.after(longestCallSeconds, () => reject(new Error("the service does not answer")));
      }),
  };
}
