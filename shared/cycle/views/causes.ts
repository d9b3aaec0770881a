import type { CauseView } from "../../api/index.ts";
import {
  type BucketSurvey,
  bucketLabel,
  CAP_NAMES,
  explainReason,
  formatSize,
  type LimitFigure,
  type LimitName,
  type Reason,
  type Scalar,
} from "../../engine/index.ts";
import { isUpNode, type OutlookJob, unitOf, waits } from "./job-states.ts";
import type { Outlook } from "./outlook.ts";

type Kind = CauseView["kind"];

/** Why a job has to wait, the gravest first: what stops the whole cluster, what is short, what is on its way. */
export function causesOf(outlook: Outlook, each: OutlookJob, boots: Boots): readonly CauseView[] {
  const { granted } = each.outcome;
  const isShort = waits(each.outcome);
  const needsNodes = each.outcome.placements.some(({ node }) => isPlannedNode(outlook, node));
  return [
    ...(isShort || needsNodes ? heldBy(outlook) : []),
    ...(isShort && granted > 0 ? [partlyPlaced(each)] : []),
    ...(isShort ? shortages(outlook, each) : []),
    ...(isShort && granted === 0 ? [] : onTheirWay(outlook, each, boots)),
  ];
}

/** Expected times of nodes that are not up, by name; and what boots of an array take. */
export interface Boots {
  readonly expectedReadySeconds: (node: string) => number | null;
}

function isPlannedNode({ nodesByName }: Outlook, node: string): boolean {
  const origin = nodesByName.get(node)?.origin;
  return origin === "new" || origin === "starting";
}

function heldBy({ held, control, snapshot, config, atSeconds }: Outlook): readonly CauseView[] {
  if (held === undefined) return [];
  const { paused } = control;
  const age = atSeconds - snapshot.takenAtSeconds;
  const most = config.cycle.maxSnapshotAgeSeconds;
  if (age > most)
    return [
      cause("snapshot-stale", {
        text: `Nothing is planned: the snapshot of the cluster is ${rounded(age)} s old, expected at most ${most} s.`,
        next: "See whether CycleCloud can be reached and whether the snapshot timer runs.",
        asked: most,
        left: rounded(age),
      }),
    ];
  if (paused !== null)
    return [
      cause("cluster-paused", {
        text: `Nothing is sent: the cluster was paused ${rounded(atSeconds - paused.atSeconds)} s ago by ${paused.by}: ${paused.reason}.`,
        next: "Resume the cluster.",
      }),
    ];
  return [
    cause("cluster-held", {
      text: `Nothing is sent: ${held}.`,
      next: config.cycle.readOnly
        ? "Set read_only to false in the configuration."
        : "Correct the user name or the password, or resume the cluster to try once more.",
    }),
  ];
}

function partlyPlaced({ job, outcome }: OutlookJob): CauseView {
  const { asked, granted } = outcome;
  const unit = unitOf(job);
  return cause("partly-placed", {
    text: `${granted} of ${asked} ${unit} have a place; ${asked - granted} wait for the reasons below.`,
    next: `The scheduler can start what has a place; the rest gets its own as soon as there is room.`,
    asked,
    left: granted,
  });
}

/** Codes of refusals that say "not now" where every other says "not there". */
const notNow: ReadonlySet<string> = new Set([
  "NoCapacity",
  "OutOfCapacity",
  "InvalidBucket",
  "PlacementGroupTooSmall",
  "CapacityFailureBackoff",
]);

function shortages(outlook: Outlook, each: OutlookJob): readonly CauseView[] {
  const { reasons } = each.outcome;
  const passing = reasons.filter(({ code }) => notNow.has(code));
  if (passing.length === 0) return [refusedEverywhere(reasons, each)];
  const causes = new Map<string, CauseView>();
  for (const reason of passing) {
    const found = shortage(outlook, each, reason);
    const key = `${found.kind} ${found.limit} ${found.text}`;
    if (!causes.has(key)) causes.set(key, found);
  }
  // What ends by itself, or by an operator's hand, before what never fits.
  return [...causes.values()].sort((a, b) => passingOrder.indexOf(a.kind) - passingOrder.indexOf(b.kind));
}

const passingOrder: readonly Kind[] = [
  "quota",
  "cap",
  "capacity-back-off",
  "boots-failing",
  "placement-group-too-small",
  "nodes-full",
  "bucket-unusable",
];

function shortage(outlook: Outlook, { job, outcome }: OutlookJob, reason: Reason): CauseView {
  const where = bucketLabel(reason.bucket);
  const wanted = `${outcome.asked - outcome.granted} ${unitOf(job)}`;
  switch (reason.code) {
    case "PlacementGroupTooSmall":
      return cause("placement-group-too-small", {
        text: `The job wants ${number(reason.asked)} nodes in one placement group; one of ${where} holds at most ${number(reason.left)}.`,
        next: `Ask for at most ${number(reason.left)} nodes, drop the colocation, or raise Azure.MaxScalesetSize of the node array.`,
        asked: reason.asked,
        left: reason.left,
      });
    case "CapacityFailureBackoff":
      return cause("capacity-back-off", {
        text: `${where}: Azure had no such VM ${number(reason.left)} s ago, and the job wants that to be ${number(reason.asked)} s ago.`,
        next: "It ends by itself; other sizes are tried meanwhile if the job allows them.",
        asked: reason.asked,
        left: reason.left,
        untilSeconds: outlook.atSeconds + Math.max(0, amount(reason.asked) - amount(reason.left)),
      });
    case "InvalidBucket":
      return cause("bucket-unusable", {
        text: `${where}: CycleCloud does not make such nodes${invalidWord(outlook, reason)}, and the existing ones are full.`,
        next: "Activate the VM size in CycleCloud, or let the job take another one.",
        ...figures(reason),
      });
    case "OutOfCapacity":
      return cause("nodes-full", {
        text: `${where}: all nodes are full, and no new ones can be made there.`,
        next: "It fits when running jobs end.",
        ...figures(reason),
      });
    default:
      return noCapacity(outlook, reason, wanted);
  }
}

function noCapacity(outlook: Outlook, reason: Reason, wanted: string): CauseView {
  const { bucket, limit } = reason;
  const backOff = outlook.made.backedOff.find(
    ({ nodeArray, vmSize }) => nodeArray === bucket?.nodeArray && vmSize === bucket.vmSize,
  );
  if (limit === "bucket" && backOff !== undefined) {
    const failing = outlook.made.bootsFailing.some(({ nodeArray }) => nodeArray === backOff.nodeArray);
    const seconds = rounded(backOff.untilSeconds - outlook.atSeconds);
    return cause(failing ? "boots-failing" : "capacity-back-off", {
      text: `No new nodes are asked of ${backOff.nodeArray}/${backOff.vmSize} during the next ${seconds} s, because ${backOff.why}.`,
      next: failing
        ? "Look at the messages of its failed nodes in CycleCloud: image, scripts, network."
        : "It ends by itself; other sizes are tried meanwhile if the job allows them.",
      ...figures(reason),
      untilSeconds: backOff.untilSeconds,
    });
  }
  const survey = surveyOf(outlook, reason);
  const figure = survey?.limits
    .filter((each) => each.limit === limit)
    .reduce<LimitFigure | undefined>(
      (least, each) => (least === undefined || each.nodesLeft < least.nodesLeft ? each : least),
      undefined,
    );
  const { what, next } = wordsOf(limit, figure, survey);
  const state =
    figure === undefined
      ? ""
      : ` (${number(figure.used)} of ${number(figure.max)} ${figure.unit} used, ${figure.perNode} per node)`;
  return cause(CAP_NAMES.some((cap) => cap === limit) ? "cap" : "quota", {
    text: `${wanted} wait: ${what} leaves ${number(reason.left)} new nodes after the jobs before it${state}.`,
    next,
    limit,
    asked: reason.asked,
    left: reason.left,
  });
}

function surveyOf(outlook: Outlook, { bucket }: Reason): BucketSurvey | undefined {
  return outlook
    .buckets()
    .find(
      (each) =>
        each.nodeArray === bucket?.nodeArray &&
        each.vmSize === bucket.vmSize &&
        each.placementGroup === bucket.placementGroup,
    );
}

function wordsOf(
  limit: LimitName | null,
  figure: LimitFigure | undefined,
  bucket: BucketSurvey | undefined,
): { readonly what: string; readonly next: string } {
  const scope = figure?.scope ?? "";
  const wait = "or wait until nodes there are deleted";
  switch (limit) {
    case "region":
      return scope.endsWith(" spot")
        ? {
            what: `the spot core quota of ${scope}`,
            next: `Ask Azure for more spot cores, allow another node array, ${wait}.`,
          }
        : {
            what: `the core quota of region ${scope}`,
            next: `Ask Azure for more cores in the region, ${wait}.`,
          };
    case "family":
      return {
        what: `the core quota of VM family ${scope}`,
        next: `Ask Azure for more cores of the family, allow another one, ${wait}.`,
      };
    case "cluster":
      return {
        what: `the core limit of cluster ${scope}`,
        next: `Raise MaxCoreCount of the cluster, ${wait}.`,
      };
    case "node-array":
      return {
        what: `the ${figure?.unit === "nodes" ? "node" : "core"} limit of node array ${scope}`,
        next: `Raise ${figure?.unit === "nodes" ? "MaxCount" : "MaxCoreCount"} of the node array, ${wait}.`,
      };
    case "max-nodes-per-plan":
      return {
        what: "the cap on new nodes of one plan",
        next: "The next plan goes on, a minute or less away; or raise max_nodes_per_plan.",
      };
    case "max-cores":
      return { what: "the cap on cores", next: `Raise max_cores in the configuration, ${wait}.` };
    case "monthly-budget":
      return {
        what: "the monthly budget",
        next: "Raise the budget in the configuration, or wait for the next month.",
      };
    case "unknown-price":
      return {
        what: `a budget together with the unknown price of ${scope}`,
        next: "Give the price of the VM size in the configuration: what cannot be priced is not bought.",
      };
    case "placement-group":
      return {
        what: `placement group ${scope}`,
        next: "It fits when nodes of the group are deleted, or in another group.",
      };
    default:
      return {
        what: `what CycleCloud still offers of ${bucket === undefined ? scope : `${bucket.nodeArray}/${bucket.vmSize}`}`,
        next: `Raise the limit that CycleCloud shows for the VM size, ${wait}.`,
      };
  }
}

function invalidWord(outlook: Outlook, { bucket }: Reason): string {
  const array = outlook.input.cluster.nodeArrays.find(({ name }) => name === bucket?.nodeArray);
  const why = array?.buckets.find(({ vmSize }) => vmSize === bucket?.vmSize)?.invalidReason;
  return why === undefined || why === null ? "" : ` (${why})`;
}

/** No bucket could ever take the job as things are: what came closest. */
function refusedEverywhere(reasons: readonly Reason[], { outcome }: OutlookJob): CauseView {
  const pool = reasons.find(
    ({ code, constraint }) => code === "SharedLimitReached" || constraint?.kind === "shared-consumable",
  );
  if (pool !== undefined) return poolCause(pool);
  const small = reasons
    .filter(({ code }) => code === "InsufficientResource")
    .reduce<Reason | undefined>(
      (best, each) => (best === undefined || amount(each.left) > amount(best.left) ? each : best),
      undefined,
    );
  if (small !== undefined) {
    const { constraint } = small;
    const resource = constraint?.kind === "minimum-resource" ? constraint.resource : "it";
    return cause("too-big", {
      text: `Each place asks for ${number(small.asked)} ${resource}; the largest node that may take it, of ${bucketLabel(small.bucket)}, has ${number(small.left)}.`,
      next: `Ask for ${number(small.left)} ${resource} or less, or add a larger VM size to a node array.`,
      asked: small.asked,
      left: small.left,
    });
  }
  const [first] = reasons;
  if (first === undefined || first.code === "NothingRequested")
    return cause("nothing-requested", {
      text: `Job "${outcome.name}" asks for no slots and no nodes.`,
      next: "Let its scheduler say how many it wants.",
    });
  // A colocated job is refused by every bucket outside a group; what the groups say tells more.
  const telling = reasons.find(({ code }) => code !== "NotInAPlacementGroup") ?? first;
  return cause("never-satisfiable", {
    text: `No node can satisfy it as things are. ${explainReason(telling)}`,
    next:
      telling.code === "NotInAPlacementGroup"
        ? "Predefine placement groups in the configuration, or let them be generated."
        : "Change the job's constraints, or give nodes what they ask for with default_resources or another node array.",
    ...figures(telling),
  });
}

function poolCause(reason: Reason): CauseView {
  const { constraint } = reason;
  const names =
    constraint?.kind === "shared-consumable"
      ? constraint.draws.map(({ pool }) => `"${pool}"`).join(", ")
      : "it";
  if (reason.code === "UndefinedResource")
    return cause("never-satisfiable", {
      text: `Nobody says how much the shared pool ${names} holds.`,
      next: "Let the job or the configuration define it.",
      ...figures(reason),
    });
  return cause("pool-empty", {
    text: `The shared pool ${names} has ${number(reason.left)} left, ${number(reason.asked)} wanted per draw.`,
    next: "It fits when running jobs give some back, or when the pool grows.",
    ...figures(reason),
  });
}

/** Nodes that the job has a place on and that are not up yet. */
function onTheirWay(
  outlook: Outlook,
  { outcome }: OutlookJob,
  { expectedReadySeconds }: Boots,
): readonly CauseView[] {
  const { nodesByName, atSeconds } = outlook;
  const names = [...new Set(outcome.placements.map(({ node }) => node))];
  const missing = names.filter((name) => !isUpNode(nodesByName.get(name)));
  const coming = missing.filter((name) => !isPlannedNode(outlook, name));
  const planned = missing.length - coming.length;
  const expected = coming.map(expectedReadySeconds);
  const last = expected.includes(null) ? null : Math.max(...expected.map((each) => each ?? 0));
  const when =
    last === null
      ? "; what boots take there is not known yet"
      : last <= atSeconds
        ? `; they should have been ready ${rounded(atSeconds - last)} s ago, by what earlier boots took`
        : `; they should be ready in ${rounded(last - atSeconds)} s, by what earlier boots took`;
  return [
    ...(coming.length === 0
      ? []
      : [
          cause("booting", {
            text: `${coming.length} of its ${names.length} nodes are booting (${someOf(coming)})${when}.`,
            next: "Wait for them; nodes past their boot time-out are deleted and bought again.",
            asked: names.length,
            left: names.length - missing.length,
            untilSeconds: last !== null && last > atSeconds ? last : null,
          }),
        ]),
    ...(planned === 0
      ? []
      : [
          cause("not-planned-yet", {
            text: `${planned} of its ${names.length} nodes are created or started by the next plan.`,
            next:
              outlook.held === undefined
                ? "Wait for the next plan, seconds away."
                : "See what holds the cluster.",
            asked: names.length,
            left: names.length - missing.length,
          }),
        ]),
  ];
}

function someOf(names: readonly string[]): string {
  const most = 5;
  return names.length <= most
    ? names.join(", ")
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

function cause(
  kind: Kind,
  said: Pick<CauseView, "text" | "next"> & Partial<Omit<CauseView, "kind" | "text" | "next">>,
): CauseView {
  return { kind, limit: null, asked: null, left: null, untilSeconds: null, ...said };
}

function figures({ asked, left }: Reason): Pick<CauseView, "asked" | "left"> {
  return { asked, left };
}

function amount(value: Scalar): number {
  if (typeof value === "number") return value;
  return typeof value === "object" && value !== null ? value.bytes : 0;
}

function number(value: Scalar): string {
  if (typeof value === "number")
    return value >= Number.MAX_SAFE_INTEGER ? "any number" : String(Number(value.toFixed(3)));
  return typeof value === "object" && value !== null ? formatSize(value) : String(value);
}

function rounded(seconds: number): number {
  return Math.max(0, Math.ceil(seconds));
}
