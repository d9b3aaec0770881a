import type { AutoscaleAnswer } from "../api/index.ts";
import type { Cluster, Target } from "../engine/index.ts";
import { demandVersion, parseTargets } from "../messages/job-demand.ts";
import type { Ports } from "../ports.ts";
import { acceptTargets } from "./accept-targets.ts";
import { toTargets } from "./to-targets.ts";

/** Names whoever asks through the HTTP API; requests of one set count in the order in which they come. */
const source = "http";

type RequestPorts = Parameters<typeof acceptTargets>[0] & Pick<Ports, "snapshots">;

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
  },
): Promise<TargetsAsked> {
  const { cluster } = request;
  const atSeconds = ports.clock.nowSeconds();
  const sentAt = new Date(atSeconds * 1000).toISOString();
  const envelope = { version: demandVersion, kind: "targets", source, sequence: 0, sentAt };
  const parsed = parseTargets({ ...envelope, ...request });
  if (!parsed.ok) return { outcome: "refused", problems: parsed.problems };
  const accepted = await acceptTargets(ports, parsed.message, "arrival");
  if (accepted.outcome === "rejected") return { outcome: "refused", problems: accepted.problems };
  // By arrival, no request is older than another.
  const { message } = parsed;
  const expiresAtSeconds = atSeconds + message.expirationInterval;
  const { requestSet, arrays } = message;
  const set = { ...message, sentAtSeconds: atSeconds, receivedAtSeconds: atSeconds, ignoredMessages: 0 };
  const targets = toTargets([{ ...set, expiresAtSeconds, arrays }], atSeconds);
  const snapshot = await ports.snapshots.load(cluster);
  const warnings =
    snapshot === undefined ? [] : targets.flatMap((target) => unknownTo(snapshot.value.cluster, target));
  return {
    outcome: "accepted",
    answer: { cluster, atSeconds, requestSet, expiresAtSeconds, targets: targets.map(toAnswer), warnings },
  };
}

function toAnswer({
  name,
  nodeArray,
  dynamicArray,
  wish,
  vmSizes,
}: Target): AutoscaleAnswer["targets"][number] {
  const { kind: unit, count: asked } = wish;
  const groupSize = wish.kind === "groups" ? wish.size : null;
  return { name, nodeArray, dynamicArray, unit, asked, groupSize, vmSizes };
}

/** The array may be new, or misspelt: the plan tells for certain. */
function unknownTo({ nodeArrays }: Cluster, { name, nodeArray, dynamicArray, vmSizes }: Target): string[] {
  const array = nodeArrays.find((each) => each.name === nodeArray);
  if (array === undefined) {
    const names = nodeArrays.map((each) => each.name).join(", ");
    return [`${name}: the cluster has no node array "${nodeArray}", expected one of ${names}`];
  }
  const isTaken = nodeArrays.some((each) => each.name === dynamicArray);
  const sizes = array.buckets.map(({ vmSize }) => vmSize);
  return [
    ...(isTaken ? [`${name}: is the name of a node array, expected one of its own`] : []),
    ...vmSizes
      .filter((size) => !sizes.includes(size))
      .map(
        (size) =>
          `${name}: node array "${nodeArray}" has no VM size "${size}", expected one of ${sizes.join(", ")}`,
      ),
  ];
}
