import type { AutoscaleAnswer } from "../api/index.ts";
import { acceptTargets, checkTargets, loadWorld, toTargets, type WorldPorts } from "../cycle/index.ts";
import { type Cluster, nearest, type Target } from "../engine/index.ts";
import {
  demandVersion,
  parseTargets,
  problemsInPlace,
  type SetAside,
  type TargetsMessage,
} from "../messages/index.ts";
import { nearestVmSize, whatIfTargets } from "../views/index.ts";
import { setAsideAnswer } from "./post-demand.ts";

const mostProblems = 50;

/** Names whoever asks through the HTTP API; requests of one set count in the order in which they come. */
const source = "http";

type RequestPorts = Parameters<typeof acceptTargets>[0] & WorldPorts;

export type TargetsAsked =
  | { readonly outcome: "accepted"; readonly answer: AutoscaleAnswer }
  | { readonly outcome: "refused"; readonly problems: readonly string[] };

/** An autoscale request that is answered at once, with what was understood of it, or with every problem. */
export async function requestTargets(
  ports: RequestPorts,
  request: {
    readonly cluster: string;
    readonly requestSet: string;
    readonly expirationInterval: number;
    /** Not checked yet. */
    readonly arrays: unknown;
    /** Only reports how the request is read, and what the plan would do. */
    readonly dryRun: boolean;
  },
): Promise<TargetsAsked> {
  const { dryRun, ...wish } = request;
  const { cluster } = wish;
  const atSeconds = ports.clock.nowSeconds();
  const sentAt = new Date(atSeconds * 1000).toISOString();
  const envelope = { version: demandVersion, kind: "targets", source, sequence: 0, sentAt };
  const parsed = parseTargets({ ...envelope, ...wish });
  if (!parsed.ok) return { outcome: "refused", problems: parsed.problems };
  const checked = await checkTargets(ports, parsed.message, parsed.setAside);
  if (!checked.ok) return { outcome: "refused", problems: checked.problems };
  const { message, setAside } = checked;
  // The caller is there to read the answer, so a request of which nothing can be followed is refused.
  if (message.arrays.length === 0 && setAside.length > 0)
    return { outcome: "refused", problems: setAside.flatMap(problemsInPlace).slice(0, mostProblems) };
  const problems = dryRun ? [] : await accept(ports, message, setAside);
  if (problems.length > 0) return { outcome: "refused", problems };
  // Requests through the API count in order of arrival, so none can be outdated.
  const expiresAtSeconds = atSeconds + message.expirationInterval;
  const { requestSet, arrays } = message;
  const set = { ...message, sentAtSeconds: atSeconds, receivedAtSeconds: atSeconds, ignoredMessages: 0 };
  const wanted = { ...set, expiresAtSeconds, arrays };
  const snapshot = await ports.snapshots.load(cluster);
  const known = snapshot?.value.cluster ?? { nodeArrays: [], nodes: [] };
  const targets = toTargets([wanted], { cluster: known, nowSeconds: atSeconds });
  const warnings =
    snapshot === undefined ? [] : targets.flatMap((target) => unknownTo(snapshot.value.cluster, target));
  const world = dryRun ? await loadWorld(ports, cluster) : undefined;
  const forecast = world && { forecast: whatIfTargets(world, wanted, atSeconds) };
  const understood = {
    requestSet,
    expiresAtSeconds,
    targets: targets.map(toAnswer),
    warnings,
    setAside: setAsideAnswer(setAside),
  };
  return { outcome: "accepted", answer: { cluster, atSeconds, ...understood, ...forecast } };
}

async function accept(
  ports: RequestPorts,
  message: TargetsMessage,
  setAside: readonly SetAside[],
): Promise<readonly string[]> {
  const accepted = await acceptTargets(ports, message, { order: "arrival", setAside });
  return accepted.outcome === "rejected" ? accepted.problems : [];
}

function toAnswer(target: Target): AutoscaleAnswer["targets"][number] {
  const { name, nodeArray, dynamicArray, wish, vmSizes } = target;
  const { kind: unit, count: asked } = wish;
  const groupSize = wish.kind === "groups" ? wish.size : null;
  return { name, nodeArray, dynamicArray, unit, asked, groupSize, vmSizes };
}

/** The array may be new or misspelt: only the next plan can decide. */
function unknownTo({ nodeArrays }: Cluster, { name, nodeArray, dynamicArray, vmSizes }: Target): string[] {
  const array = nodeArrays.find((each) => each.name === nodeArray);
  if (array === undefined) {
    const names = nodeArrays.map((each) => each.name);
    return [
      `${name}: the cluster has no node array "${nodeArray}", expected one of ${names.join(", ")}${meant(nearest(nodeArray, names))}`,
    ];
  }
  const isTaken = nodeArrays.some((each) => each.name === dynamicArray);
  const sizes = array.buckets.map(({ vmSize }) => vmSize);
  return [
    ...(isTaken ? [`${name}: is the name of a node array, expected one of its own`] : []),
    ...vmSizes
      .filter((size) => !sizes.includes(size))
      .map(
        (size) =>
          `${name}: node array "${nodeArray}" has no VM size "${size}", expected one of ${sizes.join(", ")}${meant(nearestVmSize(size, sizes))}`,
      ),
  ];
}

function meant(guess: string | null): string {
  return guess === null ? "" : `; did you mean "${guess}"?`;
}
