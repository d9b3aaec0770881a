import type { DemandMessage, QueueMessage, TargetsMessage } from "../../messages/index.ts";
import type { ConfigStore, DemandQueue, Ports, RejectedMessage, Rejection } from "../../ports/index.ts";
import { azureLimits } from "../../ports/index.ts";
import { requestPlan } from "../request-plan.ts";
import { isOld as isOldRequest } from "./accept-targets.ts";
import { isOld } from "./merge-demand.ts";
import { checkDemand } from "./receive-demand.ts";

/** Above 48 KiB a message does not fit as base64 and is sent as it is. */
const longestPostBytes = azureLimits.storageQueue.messageBytes;

export type ReplayPorts = Pick<
  Ports,
  "clock" | "demand" | "planRequests" | "rejections" | "targets" | "uploads"
> & {
  readonly configs: Pick<ConfigStore, "clusters">;
  readonly demandQueue: Pick<DemandQueue, "post">;
};

/** What a replay would do, for the operator to confirm; or every reason why it is refused. */
export type Replay =
  | { readonly kind: "post-demand"; readonly text: string; readonly message: QueueMessage }
  | { readonly kind: "request-plan"; readonly cluster: string }
  | { readonly kind: "refused"; readonly problems: readonly string[] };

/** Decides what a replay would do; changes nothing. `fixed`: the message to post instead of the one that was kept. */
export async function prepareReplay(
  ports: ReplayPorts,
  rejected: RejectedMessage,
  fixed?: string,
): Promise<Replay> {
  const { rejection, body } = rejected;
  if (fixed !== undefined && rejection.queue !== "job-demand")
    return refused(`message: of queue "${rejection.queue}", expected a demand message to fix`);
  switch (rejection.queue) {
    case "job-demand":
      return prepareDemand(ports, fixed ?? body);
    case "plan-requests":
      return preparePlan(ports, rejection);
    case "scale-actions":
      return refused(
        "message: an action, which is never sent again: the next plan makes what is still right",
      );
    default:
      return refused(`message: of queue "${rejection.queue}", expected job-demand or plan-requests`);
  }
}

/** Executes the replay, and records it with the rejection. */
export async function replay(
  ports: ReplayPorts,
  rejection: Rejection,
  prepared: Exclude<Replay, { kind: "refused" }>,
): Promise<void> {
  if (prepared.kind === "post-demand") await ports.demandQueue.post(prepared.text);
  else await requestPlan(ports, { cluster: prepared.cluster, reason: "replayed by an operator" });
  await ports.rejections.markReplayed(rejection.cluster, rejection.rejectionId, ports.clock.nowSeconds());
}

async function prepareDemand(ports: ReplayPorts, text: string | undefined): Promise<Replay> {
  if (text === undefined)
    return refused("message: too large to be kept, expected a file to post in its place");
  const checked = await checkDemand(ports, text);
  if (!checked.ok) return { kind: "refused", problems: checked.problems };
  const { message } = checked;
  const bytes = Buffer.byteLength(text);
  const problems = [
    ...(bytes > longestPostBytes ? [`message: ${bytes} bytes, expected at most ${longestPostBytes}`] : []),
    ...(await unknownCluster(ports, message.cluster)),
    ...(await outOfTurn(ports, message)),
  ];
  return problems.length > 0 ? { kind: "refused", problems } : { kind: "post-demand", text, message };
}

async function preparePlan(ports: ReplayPorts, { cluster }: Rejection): Promise<Replay> {
  if (cluster === undefined) return refused("cluster: none that is configured, expected one to plan");
  const problems = await unknownCluster(ports, cluster);
  return problems.length > 0 ? { kind: "refused", problems } : { kind: "request-plan", cluster };
}

async function unknownCluster(ports: ReplayPorts, cluster: string): Promise<readonly string[]> {
  const clusters = await ports.configs.clusters();
  return clusters.includes(cluster) ? [] : [`cluster: "${cluster}", expected one of ${clusters.join(", ")}`];
}

/**
 * Posted now, an older message would be ignored, and a delta that does not follow the last message would never apply.
 */
async function outOfTurn(ports: ReplayPorts, message: QueueMessage): Promise<readonly string[]> {
  return message.kind === "targets" ? outOfTurnTargets(ports, message) : outOfTurnDemand(ports, message);
}

async function outOfTurnTargets(ports: ReplayPorts, message: TargetsMessage): Promise<readonly string[]> {
  const { cluster, requestSet, sentAt } = message;
  const current = (await ports.targets.load(cluster, requestSet))?.value;
  const sentAtSeconds = Date.parse(sentAt) / 1000;
  return current !== undefined &&
    isOldRequest(current, { ...message, sentAtSeconds }, ports.clock.nowSeconds())
    ? [`sentAt: ${sentAt}, expected a later one: request set "${requestSet}" has been asked for since`]
    : [];
}

async function outOfTurnDemand(ports: ReplayPorts, message: DemandMessage): Promise<readonly string[]> {
  const current = (await ports.demand.load(message.cluster, message.source))?.value;
  const { source, sequence } = message;
  if (current !== undefined && isOld(current, message, ports.clock.nowSeconds()))
    return [
      `sequence: ${sequence}, expected above ${current.sequence}, which source "${source}" has posted since`,
    ];
  if (message.kind === "snapshot" || sequence - 1 === current?.sequence) return [];
  const wanted = current === undefined ? "a snapshot first" : `${current.sequence + 1}`;
  return [`sequence: ${sequence} of a delta, expected ${wanted}`];
}

function refused(problem: string): Replay {
  return { kind: "refused", problems: [problem] };
}
