import { Command } from "commander";
import type { BucketView } from "../../../shared/api/index.ts";
import { kindName, size } from "../../../shared/engine/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { counted, joined } from "../../../shared/text/text.ts";
import { shownValue } from "../../columns/column.ts";
import { evaluate, type Fields } from "../../columns/evaluate.ts";
import { columnsOf, parseColumns } from "../../columns/parse-columns.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { type AllFlags, allOption, groupsAlike } from "../output/alike.ts";
import type { Narrowing } from "../output/fit-table.ts";
import { note } from "../output/note.ts";
import { outputOptions } from "../output/output-options.ts";
import { isSelecting, type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends LookFlags, SelectionFlags, AllFlags {
  readonly boots?: true;
}

export const bootColumns = columnsOf(
  "nodearray,vm_size,boots,failed,failed_share,boot_p50:-,boot_p95:-,start_p50:-",
);

export const bucketColumns = columnsOf(
  "nodearray,vm_size,group@placement_group:-,active@active_count,available@available_count",
  "binding:-,/region,/family:-,/node-array,/cluster,in-group@/placement-group:-",
  "no_capacity@last_capacity_failure:-,boot_p50:-,boot_p95:-,boots_failed:-,why:-",
);

export function bucketsCommand(terminal: Terminal): Command {
  const command = new Command("buckets")
    .description(
      "Lists the sources of new nodes (array, VM size, placement group), with every limit (left/max) and the one that binds, and how boots of the last 7 days went.",
    )
    .option("--boots", "only how boots of the last 7 days went: what fails most first, then the slowest")
    .action((flags: Flags) => look(terminal, flags, (looking) => showBuckets(looking, flags)));
  return outputOptions(selectionOptions(lookOptions(command)).addOption(allOption("the buckets")));
}

/** What a narrow screen gives up first: BINDING says which of the limits is near, and WHY what else is wrong. */
const bucketNarrowing: Narrowing = {
  keeps: ["AVAILABLE", "BINDING"],
  goFirst: [
    "BOOT_P95",
    "BOOT_P50",
    "BOOTS_FAILED",
    "REGION",
    "CLUSTER",
    "NO_CAPACITY",
    "FAMILY",
    "IN-GROUP",
    "NODE-ARRAY",
  ],
  ofSizes: ["VM_SIZE", "GROUP"],
};

async function showBuckets(
  { terminal, service, settings, format, list }: Looking,
  flags: Flags,
): Promise<void> {
  const { buckets, atSeconds } = await service.ask("buckets", { query: toQuery(flags) });
  if (flags.boots) {
    const rows = bootRows(buckets);
    return list({
      name: "buckets-boots",
      columns: bootColumns,
      records: rows.map(bootFields),
      data: rows,
      none: "No node has booted in the last 7 days.",
    });
  }
  const records = buckets.map((bucket) => bucketFields(bucket, atSeconds));
  const isOwn = flags.outputColumns === undefined && settings.columns.buckets === undefined;
  const isTogether = isOwn && !flags.all && format() === "table";
  const rows = isTogether ? bucketsAlike(records) : records;
  list({
    name: "buckets",
    columns: bucketColumns,
    records: rows,
    data: buckets,
    narrowing: bucketNarrowing,
    none: isSelecting(flags)
      ? "No such buckets."
      : "No buckets: the cluster has no node array with a VM size.",
  });
  for (const line of countedLines(buckets)) note(terminal, line);
  if (rows.length < records.length)
    terminal.stderr.write(`${records.length} buckets in ${rows.length} rows; --all shows each\n`);
}

const mostCounted = 5;

/** Where a scheduler counts nodes otherwise than their VMs: the planner goes by that. */
function countedLines(buckets: readonly BucketView[]): readonly string[] {
  const lines = new Set(
    buckets.flatMap(({ nodeArray, vmSize, counted }) =>
      counted.length === 0
        ? []
        : [`New nodes of ${nodeArray}/${vmSize}: ${counted.map(({ text }) => text).join(", ")}`],
    ),
  );
  const more = lines.size - mostCounted;
  return [...[...lines].slice(0, mostCounted), ...(more > 0 ? [`${more} more with -o counted`] : [])];
}

const naming = 3;

/** Buckets that differ only in their names as one record each, so that placement groups and sizes without number fit a screen. */
function bucketsAlike(records: readonly Fields[]): readonly Fields[] {
  const parsed = parseColumns(bucketColumns.slice(naming));
  const shown = parsed.ok ? parsed.columns : [];
  const shownKey = (record: Fields) =>
    JSON.stringify(shown.map(({ expression }) => shownValue(evaluate(expression, record, "text"))));
  return groupsAlike(records, shownKey).map((group) => {
    const [first] = group;
    if (group.length === 1) return first;
    const named = (field: string) => [...new Set(group.flatMap((record) => record[field] ?? []))] as string[];
    const groups = named("placementGroup");
    return {
      ...first,
      nodeArray: joined(named("nodeArray"), "or"),
      vmSize: oneOf(named("vmSize"), "sizes"),
      placementGroup: groups.length === 0 ? null : oneOf(groups, "groups"),
    };
  });
}

/** The only one by its name, several by their number. */
function oneOf(names: readonly string[], noun: string): string {
  return names.length === 1 ? names.join() : counted(names.length, noun);
}

type BootRow = BucketView["boots"] & Pick<BucketView, "nodeArray" | "vmSize">;

/** A row for each array and size: placement groups of one share their boots. */
function bootRows(buckets: readonly BucketView[]): readonly BootRow[] {
  const bySize = Map.groupBy(buckets, kindName);
  const shareOf = ({ failed, count }: BootRow) => failed / count;
  return [...bySize.values()]
    .flatMap(([first]) => (first === undefined || first.boots.count === 0 ? [] : [first]))
    .map(({ nodeArray, vmSize, boots }) => ({ nodeArray, vmSize, ...boots }))
    .toSorted((a, b) => shareOf(b) - shareOf(a) || (b.p95Seconds ?? 0) - (a.p95Seconds ?? 0));
}

function bootFields({ nodeArray, vmSize, count, failed, ...times }: BootRow): Fields {
  return {
    nodearray: nodeArray,
    vm_size: vmSize,
    boots: count,
    failed,
    failed_share: `${((100 * failed) / count).toFixed(1)}%`,
    boot_p50: bootTime(times.p50Seconds),
    boot_p95: bootTime(times.p95Seconds),
    start_p50: bootTime(times.startP50Seconds),
  };
}

/**
 * `*family` is what is left of a limit, and `/family` left of max, each in the limit's own unit. A node array and a cluster
 * may limit both nodes and cores: `cluster` is the one that leaves fewer nodes, `cluster-nodes` and `cluster-cores` are each.
 */
export function bucketFields(bucket: BucketView, nowSeconds: number): Fields {
  const { limits, resources, vm, secondsSinceCapacityFailure, backOff, boots } = bucket;
  const loosestFirst = limits.toSorted((a, b) => b.nodesLeft - a.nodesLeft);
  const byLimit = (pick: (limit: BucketView["limits"][number]) => number | null) => ({
    ...Object.fromEntries(limits.map((limit) => [`${limit.limit}-${limit.unit}`, pick(limit)])),
    ...Object.fromEntries(loosestFirst.map((limit) => [limit.limit, pick(limit)])),
  });
  return {
    ...bucket,
    ...vm,
    vm_family: vm.family,
    // Spot has no quota of its family: without this, the column of that limit would show the family's name.
    ...(!limits.some(({ limit }) => limit === "family") && { family: null }),
    memory: { ...size(vm.memoryBytes / 1024 ** 3, "g") },
    resources: { ...resources, ...byLimit(({ max }) => max) },
    available: byLimit(({ left }) => left),
    last_capacity_failure:
      secondsSinceCapacityFailure === null ? null : `${duration(secondsSinceCapacityFailure)} ago`,
    boot_p50: bootTime(boots.p50Seconds),
    boot_p95: bootTime(boots.p95Seconds),
    start_p50: bootTime(boots.startP50Seconds),
    boots_failed: boots.count === 0 ? null : `${boots.failed}/${boots.count}`,
    counted: bucket.counted.length === 0 ? null : bucket.counted.map(({ text }) => text).join(", "),
    why: whyNone(bucket, nowSeconds),
    back_off: backOff === null ? null : duration(backOff.untilSeconds - nowSeconds),
  };
}

function bootTime(seconds: number | null): string | null {
  return seconds === null ? null : duration(seconds);
}

/** Why the bucket gives no nodes, apart from its limits. */
function whyNone({ enabled, valid, invalidReason, backOff }: BucketView, nowSeconds: number): string | null {
  if (!enabled) return "switched off for autoscaling";
  if (!valid) return `CycleCloud: ${invalidReason ?? "not usable"}`;
  return backOff === null
    ? null
    : `nothing asked for ${duration(backOff.untilSeconds - nowSeconds)}: ${backOff.why}`;
}
