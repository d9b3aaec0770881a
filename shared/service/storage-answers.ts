import { type RouteId, refusals } from "../api/index.ts";
import { supportParts } from "../names/support-parts.ts";
import { changeConfig, decidePause, postDemand, replayReject } from "../operate/index.ts";
import {
  drawUpCost,
  drawUpJobCost,
  drawUpSamples,
  drawUpWeek,
  listConfigVersions,
  showConfig,
  showSupport,
} from "../views/index.ts";
import {
  type Answered,
  accepted,
  answered,
  badRequest,
  problem,
  refused,
  unknownCluster,
} from "./answered.ts";
import type { StoragePorts } from "./ports.ts";
import type { AnswerOf, AnswersFrom, CallDetails, RouteCall } from "./route-call.ts";

/** Routes that need the rights of the storage account, and nothing of the service beside them. */
export const storageAnswers = {
  config: async (ports, { cluster }) => {
    const config = await showConfig(ports, cluster, ports.knownSecrets);
    if (config === undefined) return unknownCluster(cluster);
    return { ok: true, answer: config, etag: config.etag };
  },
  cost: async (ports, { cluster, query }) => {
    const outcome = await drawUpCost(ports, cluster, query);
    if (outcome === undefined) return unknownCluster(cluster);
    return outcome.ok ? answered(outcome.answer) : badRequest("These costs cannot be told", outcome.problems);
  },
  "job-cost": async (ports, { cluster, params, query }) => {
    const answer = await drawUpJobCost(ports, cluster, { name: params.job, source: query.source });
    return answer === undefined ? unknownCluster(cluster) : answered(answer);
  },
  "config-versions": async (ports, { cluster, query }) =>
    answered(await listConfigVersions(ports, cluster, query, ports.knownSecrets)),
  "put-config": putConfig,
  "post-demand": async (ports, call) => {
    const { cluster, query, body } = call;
    const { dry_run: dryRun, by } = query;
    noteClaim(ports, call, by);
    const posted = await postDemand(ports, { cluster, message: body, dryRun });
    return posted.outcome === "answered"
      ? accepted(posted.answer, { isDryRun: dryRun })
      : refused(refusals.demandUnusable(posted.problems));
  },
  "replay-reject": async (ports, call) => {
    const { cluster, params, body } = call;
    noteClaim(ports, call, body.by);
    const replayed = await replayReject(ports, { cluster, rejectionId: params.rejectionId }, body);
    switch (replayed.outcome) {
      case "answered":
        return answered(replayed.answer);
      case "refused":
        return refused(refusals.notReplayed(replayed.problems));
      case "not-found":
        return refused(refusals.unknownReject(params.rejectionId));
    }
  },
  samples: async (ports, { cluster, query }) => {
    const outcome = await drawUpSamples(ports, cluster, query);
    if (outcome === undefined) return unknownCluster(cluster);
    return outcome.ok
      ? answered(outcome.answer)
      : badRequest("These samples cannot be shown", outcome.problems);
  },
  support: async (ports, { cluster, params, query }) => {
    const part = supportParts.find((each) => each === params.part);
    const { knownSecrets, about } = ports;
    return part === undefined
      ? refused(refusals.unknownSupportPart(params.part))
      : answered(await showSupport(ports, { cluster, part }, { ...query, knownSecrets, about }));
  },
  week: async (ports, { cluster, query }) => {
    const week = await drawUpWeek(ports, cluster, query);
    return week === undefined ? unknownCluster(cluster) : answered(week);
  },
} satisfies Partial<AnswersFrom<StoragePorts>>;

/** What needs no executor: pausing a cluster, and the end of that. */
export async function pauseOrResume(
  ports: StoragePorts & Parameters<typeof decidePause>[0],
  { cluster, body, callerName }: RouteCall<"actions">,
): Promise<Answered<AnswerOf<"actions">>> {
  if (body.kind !== "pause" && body.kind !== "resume") return onlyTheService;
  const decided = await decidePause(ports, cluster, { ...body, by: callerName ?? body.by });
  return decided.outcome === "answered" ? answered(decided.answer) : unknownCluster(cluster);
}

/** Where there is no service, only records. */
export const onlyTheService = problem("refused", 409, {
  title: "Only the service itself can do this",
  detail: "Leave out --storage or --offline",
});

async function putConfig(
  ports: StoragePorts,
  { cluster, body, seen, callerName }: RouteCall<"put-config">,
): Promise<Answered<AnswerOf<"put-config">>> {
  // A dry run replaces nothing, so its caller needs to have seen nothing.
  const wanted = seen ?? (body.dryRun ? "any" : undefined);
  if (wanted === undefined)
    return problem("bad-request", 428, {
      title: "The request does not say what it replaces",
      problems: [
        'If-Match: missing, expected the ETag of GET config; or "If-None-Match: *" for a new cluster',
      ],
    });
  const { configChanges: allowed, knownSecrets } = ports;
  const asked = { ...body, by: callerName ?? body.by };
  const changed = await changeConfig(ports, { cluster, body: asked, seen: wanted, allowed, knownSecrets });
  switch (changed.outcome) {
    case "answered":
      return answered(changed.answer);
    case "unusable":
      return refused(refusals.configUnusable(changed.problems));
    case "forbidden":
      return problem("forbidden", 403, {
        title: "This may not be changed here",
        detail:
          "Store it with storage rights (ccscale config push --storage), or set AUTOSCALE_CONFIG_CHANGES of the app",
        problems: [...changed.problems],
      });
    case "changed-meanwhile":
      return refused(refusals.configChangedMeanwhile(cluster.slice(0, longestShownCluster)));
  }
}

const longestShownCluster = 100;

/** Logs who the caller claims to be, where the record has no place for it. A caller who is known is in the log already. */
export function noteClaim(
  { log }: Pick<StoragePorts, "log">,
  { id, cluster, callerName }: CallDetails & { readonly id: RouteId; readonly cluster: string },
  by: string | undefined,
): void {
  if (callerName === undefined && by !== undefined) log.info("operator-call", { call: id, cluster, by });
}
