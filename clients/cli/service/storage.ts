import { jobDemandQueue } from "../../../functions/support/names.ts";
import { type Problem, problemType, refusals, SUPPORT_PARTS } from "../../../shared/api/index.ts";
import { checkConfig } from "../../../shared/config/check-config.ts";
import { type ConfigWish, changeConfig } from "../../../shared/operate/change-config.ts";
import { decidePause } from "../../../shared/operate/decide-control.ts";
import { postDemand } from "../../../shared/operate/post-demand.ts";
import { replayReject } from "../../../shared/operate/replay-reject.ts";
import { StorageDemandQueue } from "../../../shared/queues/storage-queue.ts";
import { BlobConfigFiles } from "../../../shared/stores/azure/index.ts";
import { showConfig, showPlanArchive, showSupport } from "../../../shared/views/index.ts";
import {
  clock,
  onStorage,
  type Place,
  planRequestsAt,
  secretsAround,
  storageOf,
  storesOf,
} from "../connect.ts";
import { version } from "../version.ts";
import { toFailure } from "./problem-words.ts";
import type { AnswerOf, Call, RouteId, Service } from "./service.ts";
import { readCall, views } from "./views.ts";

/**
 * The service without its function app: the same use cases in this process, on the storage account itself, with the
 * rights of whoever runs it. What the executor has to do cannot be asked for here.
 */
export async function serveStorage(place: Place, cluster: string): Promise<Service> {
  const ports = await portsAt(place);
  // One that cannot be used is told by what needs it.
  const printing = ports.configs.load(cluster).then(
    (config) => config?.printing,
    () => undefined,
  );
  let told: unknown;
  return {
    cluster,
    printing: () => told,
    ask: async <Id extends RouteId>(id: Id, call: Call = {}): Promise<AnswerOf<Id>> => {
      const answer = beside[id] ?? views[id];
      if (answer === undefined) throw onlyTheService();
      const answered = (await onStorage(() => answer(ports, cluster, call))) as AnswerOf<Id>;
      told = await printing;
      return answered;
    },
  };
}

type StoragePorts = Awaited<ReturnType<typeof portsAt>>;
type Answers = Readonly<
  Partial<Record<RouteId, (ports: StoragePorts, cluster: string, call: Call) => Promise<unknown>>>
>;

async function portsAt(place: Place) {
  const storage = await storageOf(place);
  return {
    ...storesOf(storage),
    clock,
    configFiles: new BlobConfigFiles(storage.blob, checkConfig),
    demandQueue: new StorageDemandQueue({
      queue: storage.queue.getQueueClient(jobDemandQueue),
      uploads: storage.blob,
    }),
    planRequests: planRequestsAt(place),
    log: { info: silent, warn: silent, error: silent },
    knownSecrets: await secretsAround(place),
  };
}

/** Who runs a command hears of everything by its answer. */
function silent(): void {}

/** What changes something, and what the views do not show. */
const beside: Answers = {
  config: async (ports, cluster) =>
    (await showConfig(ports, cluster, ports.knownSecrets)) ?? unknownCluster(cluster),
  "put-config": async (ports, cluster, call) => {
    const body = readCall("put-config", call) as ConfigWish["body"];
    const seen = call.seen ?? "any";
    const { knownSecrets } = ports;
    const changed = await changeConfig(ports, { cluster, body, seen, allowed: "all", knownSecrets });
    switch (changed.outcome) {
      case "answered":
        return changed.answer;
      case "changed-meanwhile":
        return refused(refusals.configChangedMeanwhile(cluster));
      default:
        return refused(refusals.configUnusable(changed.problems));
    }
  },
  "post-demand": async (ports, cluster, call) => {
    await known(ports, cluster);
    const message = readCall("post-demand", call) as Readonly<Record<string, unknown>>;
    const posted = await postDemand(ports, { cluster, message, dryRun: call.query?.dry_run === true });
    return posted.outcome === "answered" ? posted.answer : refused(refusals.demandUnusable(posted.problems));
  },
  "replay-reject": async (ports, cluster, call) => {
    const body = readCall("replay-reject", call) as Parameters<typeof replayReject>[2];
    const rejectionId = call.params?.rejectionId ?? "";
    const replayed = await replayReject(ports, { cluster, rejectionId }, body);
    switch (replayed.outcome) {
      case "answered":
        return replayed.answer;
      case "refused":
        return refused(refusals.notReplayed(replayed.problems));
      case "not-found":
        return refused(refusals.unknownReject(rejectionId));
    }
  },
  actions: async (ports, cluster, call) => {
    const body = readCall("actions", call) as Parameters<typeof decidePause>[2];
    if (body.kind !== "pause" && body.kind !== "resume") throw onlyTheService();
    const decided = await decidePause(ports, cluster, body);
    return decided.outcome === "answered" ? decided.answer : unknownCluster(cluster);
  },
  "plan-archive": async (ports, cluster, call) => {
    const planId = call.params?.planId ?? "";
    const archive = await showPlanArchive(ports, cluster, planId, ports.knownSecrets);
    return archive ?? refused(refusals.unknownPlan(planId));
  },
  support: async (ports, cluster, call) => {
    await known(ports, cluster);
    const part = SUPPORT_PARTS.find((each) => each === call.params?.part);
    if (part === undefined) return refused(refusals.unknownSupportPart(call.params?.part ?? ""));
    const { limit } = readCall("support", call) as { readonly limit: number };
    const about = { storage: "read without the function app", ccscale: version };
    return showSupport(ports, { cluster, part }, { limit, knownSecrets: ports.knownSecrets, about });
  },
};

async function known({ configs }: StoragePorts, cluster: string): Promise<void> {
  if (!(await configs.clusters()).includes(cluster)) unknownCluster(cluster);
}

function unknownCluster(cluster: string): never {
  return refused(refusals.unknownCluster(cluster));
}

/** As the service's own answer would be told. */
function refused(problem: Problem): never {
  throw toFailure(problem.status, problem);
}

function onlyTheService(): Error {
  return toFailure(409, {
    type: problemType("refused"),
    status: 409,
    title: "Only the service itself can do this",
    detail: "Leave --storage out",
  });
}
