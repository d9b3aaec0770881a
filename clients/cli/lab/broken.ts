import { duration } from "../../../shared/text/durations.ts";
import type { PanelCluster, PanelState } from "./panel-state.ts";

const limitNames = { maxCount: "MaxCount", maxCoreCount: "MaxCoreCount" } as const;

/** What is not as it was when the environment started, one sentence each; none: nothing is broken. */
export function brokenNow(server: PanelState, cluster: PanelCluster): readonly string[] {
  return [...ofServer(server), ...ofWeather(cluster), ...ofLimits(cluster), ...ofScheduler(cluster)];
}

function ofServer({ outage, faults, latencyMilliseconds }: PanelState): readonly string[] {
  return [
    ...(outage === null
      ? []
      : [`CycleCloud ${outageWords(outage)}, for another ${duration(outage.leftSeconds)}.`]),
    ...(faults === 0 ? [] : [`The next ${faults} requests that fit an injected fault fail.`]),
    ...(latencyMilliseconds === 0 ? [] : [`Every answer takes up to ${latencyMilliseconds} ms.`]),
  ];
}

export function outageWords(given: Pick<NonNullable<PanelState["outage"]>, "kind" | "delaySeconds">): string {
  const { kind, delaySeconds } = given;
  if (kind === "unavailable") return "answers every call with 503";
  return kind === "login" ? "refuses every login" : `takes ${duration(delaySeconds)} for every answer`;
}

/** Buckets of an array with the same weather stand together. */
function ofWeather({ weather }: PanelCluster): readonly string[] {
  const bySentence = new Map<string, string[]>();
  for (const { nodeArray, machineType, ...bucket } of weather)
    for (const what of sentencesOf(bucket)) {
      const key = `${nodeArray}\n${what}`;
      bySentence.set(key, [...(bySentence.get(key) ?? []), machineType]);
    }
  return [...bySentence].map(([key, sizes]) => {
    const [nodeArray, what] = key.split("\n");
    return `${nodeArray} (${sizes.join(", ")}): ${what}`;
  });
}

function sentencesOf(
  bucket: Omit<PanelCluster["weather"][number], "nodeArray" | "machineType">,
): readonly string[] {
  const { drought, stuck, failingBoots, bootFactor } = bucket;
  return [
    ...(drought === undefined ? [] : [droughtWords(drought)]),
    ...(stuck === undefined ? [] : [`new nodes stay in ${stuck}.`]),
    ...(failingBoots === undefined ? [] : [failingWords(failingBoots)]),
    ...(bootFactor === undefined ? [] : [`boots take ${bootFactor} times as long.`]),
  ];
}

export function droughtWords(drought: "refuse" | "fail"): string {
  return drought === "refuse"
    ? "no capacity, a request for nodes adds none."
    : "no capacity, nodes fail while they wait for a VM.";
}

export function failingWords(given: NonNullable<PanelCluster["weather"][number]["failingBoots"]>): string {
  const { next, share, message } = given;
  const which =
    next === undefined
      ? (share ?? 0) >= 1
        ? "every boot fails"
        : `${Math.round((share ?? 0) * 100)} % of boots fail`
      : `the next ${next === 1 ? "boot" : `${next} boots`} of each size ${next === 1 ? "fails" : "fail"}`;
  return `${which}: "${message}".`;
}

function ofLimits({ limits, quotas, sizes, evictions }: PanelCluster): readonly string[] {
  return [
    ...limits.map(
      ({ nodeArray, limit, was, is }) =>
        `${limitNames[limit]} of ${nodeArray === null ? "the cluster" : nodeArray} is ${is}, was ${was}.`,
    ),
    ...quotas.map(({ region, quota, was, is }) => `${quotaWords(quota)} in ${region} is ${is}, was ${was}.`),
    ...sizes.flatMap(({ nodeArray, added, removed }) => [
      ...(added.length === 0 ? [] : [`${nodeArray} has ${added.join(", ")} as well.`]),
      ...(removed.length === 0 ? [] : [`${nodeArray} lacks ${removed.join(", ")}.`]),
    ]),
    ...evictions.map(
      ({ nodeArray, was, is }) =>
        `Nodes of ${nodeArray} that boot now are evicted ${is} times an hour, was ${was}.`,
    ),
  ];
}

export function quotaWords(quota: string): string {
  if (quota === "cores") return "The quota of all regular cores";
  return quota === "spotCores" ? "The quota of spot cores" : `The quota of ${quota}`;
}

function ofScheduler({ scheduler: { isSilent, report } }: PanelCluster): readonly string[] {
  if (!isSilent) return [];
  return [
    `The agent of ${report === null ? "the scheduler" : `"${report.source}"`} has stopped: it posts nothing.`,
  ];
}
