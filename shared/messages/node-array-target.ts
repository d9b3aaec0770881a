import { z } from "zod";
import { counted } from "../text/text.ts";
import { type Checked, checkItems } from "./set-aside.ts";
import { listOf } from "./sizes.ts";

const mostArrays = 100;
const mostNodes = 100_000;
const mostCores = 10_000_000;
const mostGpus = 1_000_000;
const mostGroups = 1_000;
const mostSparePercent = 1_000;
const mostSpareSlots = 1_000_000;
const mostUsdPerHour = 1_000_000;
const mostSlotResources = 20;
const mostMachineTypes = 50;
/** Attributes travel with every action that makes such nodes, and an action has to fit a message. */
const mostAttributeBytes = 8 * 1024;

function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

/** Letters and digits of any script, and what node arrays are named with. */
const arrayName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\p{L}\p{N} ._-]+$/u, "expected letters, digits, spaces and . _ - only");
const machineType = z.string().min(1).max(128);

/** As many as demand is likely to need until a boot is over. */
function orAuto(count: z.ZodNumber) {
  return z.union([count, z.literal("auto")], {
    error: 'expected a whole number that is not negative, or "auto"',
  });
}

/** The keys that mean something; every other one is an attribute of the nodes. */
export const nodeArrayShape = z.looseObject({
  Name: arrayName,
  TargetCount: z.int().min(0).max(mostNodes).optional(),
  TargetCoreCount: z.int().min(0).max(mostCores).optional(),
  /** GPUs of the VM sizes; CycleCloud has no such key. */
  TargetGpuCount: z.int().min(0).max(mostGpus).optional(),
  TargetGroupCount: z.int().min(0).max(mostGroups).optional(),
  GroupCoreCount: z.int().min(1).max(mostCores).optional(),
  GroupInstanceCount: z.int().min(1).max(mostNodes).optional(),
  /** Nodes without jobs, beside those that jobs use. */
  SpareCount: orAuto(z.int().min(0).max(mostNodes)).optional(),
  /** Slots of one shape that are free, also beside jobs. */
  SpareSlots: orAuto(z.int().min(0).max(mostSpareSlots)).optional(),
  SlotResources: z
    .record(
      z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, "expected the name of a resource, such as ncpus"),
      z.number().positive(),
    )
    .refine(
      (resources) => within(Object.keys(resources).length, 1, mostSlotResources),
      `expected 1 to ${mostSlotResources} resources, such as {"ncpus": 4, "memgb": 16}`,
    )
    .optional(),
  /** The same, for each 100 nodes or slots that jobs use. */
  SparePercent: z.number().min(0).max(mostSparePercent).optional(),
  /** US dollars that the nodes which only these spare ones keep may cost an hour. */
  SpareCostPerHour: z.number().min(0).max(mostUsdPerHour).optional(),
  MachineType: z
    .union([machineType, z.array(machineType).min(1).max(mostMachineTypes)], {
      error: "expected a VM size, or a list of them in order of preference",
    })
    .optional(),
  /** Cores that one node counts for; the vcpus of its VM size when left out. */
  CoreCount: z.int().min(1).max(mostCores).optional(),
  Configuration: z.record(z.string(), z.unknown()).optional(),
  Extends: arrayName.optional(),
  Dynamic: z.boolean().optional(),
  ClusterName: z.string().max(256).optional(),
});

/**
 * One node array definition of an autoscale request, with the attributes and spellings of CycleCloud's documentation.
 * Keys that are not listed above are attributes of the nodes that are made for it.
 */
export type NodeArrayTarget = z.output<typeof nodeArrayShape>;

/** Keys of a request that are no attributes of a node: number, kind and name of the nodes. */
const wishes = Object.keys(nodeArrayShape.shape).filter(
  (key) => !["CoreCount", "Configuration"].includes(key),
);

/** Attributes that the service or CycleCloud sets, and why a request cannot. CycleCloud ignores case, so any spelling counts. */
const decided: Readonly<Record<string, string>> = inSmallLetters({
  ...Object.fromEntries(
    ["NodeId", "Template", "Status", "State", "TargetState", "RequestId", "InstanceId", "Instance"].map(
      (name) => [name, "expected no attribute that CycleCloud itself gives a node"],
    ),
  ),
  ...Object.fromEntries(
    ["MaxCount", "MaxCoreCount", "InitialCount", "InitialCoreCount"].map((name) => [
      name,
      "expected no limit: those of a node array are in the cluster's template",
    ]),
  ),
  KeepAlive: "expected no attribute that keeps nodes for ever: an operator keeps them",
  "Azure.MachineType": "unknown, expected MachineType",
  PlacementGroupId: "expected TargetGroupCount in its place: groups get placement groups of their own",
});

function inSmallLetters(messages: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(messages).map(([name, message]) => [name.toLowerCase(), message]));
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly input?: unknown;
}

/** Reports the mistakes of the keys and those between keys at once. */
const definition = z.unknown().transform((value, context): NodeArrayTarget => {
  const parsed = nodeArrayShape.safeParse(value, { reportInput: true });
  for (const issue of parsed.error?.issues ?? [])
    context.issues.push({ ...issue, input: issue.input, path: [...issue.path] } as z.core.$ZodRawIssue);
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    for (const { path, message, input } of problemsBetween(value as Record<string, unknown>))
      context.issues.push({ code: "custom", message, input, path: [...path] });
  return parsed.success ? parsed.data : z.NEVER;
});

function problemsBetween(value: Readonly<Record<string, unknown>>): readonly Problem[] {
  return [
    ...attributeProblems(value),
    ...groupProblems(value),
    ...gpuProblems(value),
    ...spareProblems(value),
    ...dynamicProblems(value),
  ];
}

function attributeProblems(value: Readonly<Record<string, unknown>>): readonly Problem[] {
  const problems = Object.keys(value).flatMap((key): Problem[] => {
    const message = whyNoAttribute(key);
    return message === undefined ? [] : [{ path: [key], message, input: value[key] }];
  });
  const bytes = sizeOf(attributesOf(value));
  return bytes <= mostAttributeBytes
    ? problems
    : [
        ...problems,
        { path: [], message: `${bytes} bytes of attributes, expected at most ${mostAttributeBytes}` },
      ];
}

function whyNoAttribute(key: string): string | undefined {
  if (Object.hasOwn(nodeArrayShape.shape, key)) return undefined;
  const small = key.toLowerCase();
  const [whole = ""] = small.split(".");
  for (const name of [small, whole]) if (Object.hasOwn(decided, name)) return decided[name];
  // A misspelt wish must not pass as an attribute: the array would silently get no nodes.
  if (/^(target|group|spare)/i.test(key))
    return "unknown, expected TargetCount, TargetCoreCount, TargetGpuCount, SpareCount, SparePercent, SpareSlots, SpareCostPerHour, or TargetGroupCount with GroupCoreCount or GroupInstanceCount";
  const spelling = Object.keys(nodeArrayShape.shape).find((name) => plain(name) === plain(key));
  if (spelling !== undefined) return `unknown, expected ${spelling}`;
  return /^[A-Z][A-Za-z0-9_.]{0,127}$/.test(key)
    ? undefined
    : "expected the name of a node's attribute, such as ImageId";
}

function plain(key: string): string {
  return key.replaceAll(/[-_]/g, "").toLowerCase();
}

function groupProblems(value: Readonly<Record<string, unknown>>): readonly Problem[] {
  const { TargetGroupCount, GroupCoreCount, GroupInstanceCount, TargetCount, TargetCoreCount } = value;
  const sizes = [GroupCoreCount, GroupInstanceCount].filter((size) => size !== undefined).length;
  const problem = (key: string, message: string): Problem => ({ path: [key], message, input: value[key] });
  if (TargetGroupCount === undefined)
    return sizes === 0
      ? []
      : [problem("TargetGroupCount", "missing, expected how many groups there should be")];
  return [
    ...(sizes === 1
      ? []
      : [
          problem(
            "TargetGroupCount",
            "expected exactly one of GroupCoreCount and GroupInstanceCount with it",
          ),
        ]),
    ...(TargetCount === undefined && TargetCoreCount === undefined
      ? []
      : [problem("TargetGroupCount", "expected either groups or a TargetCount or TargetCoreCount")]),
  ];
}

function gpuProblems(value: Readonly<Record<string, unknown>>): readonly Problem[] {
  const { TargetGpuCount: input } = value;
  const other = ["TargetCount", "TargetCoreCount", "TargetGroupCount"].find(
    (key) => value[key] !== undefined,
  );
  if (input === undefined || other === undefined) return [];
  return [{ path: ["TargetGpuCount"], message: `expected either GPUs or a ${other}`, input }];
}

function spareProblems(value: Readonly<Record<string, unknown>>): readonly Problem[] {
  const has = (name: string) => value[name] !== undefined;
  const problem = (key: string, message: string): Problem => ({ path: [key], message, input: value[key] });
  const key = ["SpareCount", "SparePercent", "SpareSlots"].find(has);
  if (key === undefined)
    return ["SlotResources", "SpareCostPerHour"]
      .filter(has)
      .map((name) => problem(name, "expected SpareCount, SparePercent or SpareSlots with it"));
  const other = ["TargetCount", "TargetCoreCount", "TargetGpuCount", "TargetGroupCount"].find(has);
  return [
    ...(other === undefined
      ? []
      : [problem(key, `expected either spare nodes or a ${other}, in a definition each`)]),
    ...(has("SpareCount") && (has("SpareSlots") || has("SlotResources"))
      ? [problem("SpareCount", "expected either whole spare nodes or spare slots, in a definition each")]
      : []),
    ...(value.SpareSlots === "auto" && has("SlotResources") && !asksForCores(value.SlotResources)
      ? [problem("SpareSlots", "expected ncpus in SlotResources with it: jobs are counted by their cores")]
      : []),
    ...(has("SpareSlots") && !has("SlotResources")
      ? [problem("SlotResources", 'missing, expected what a slot takes, such as {"ncpus": 4, "memgb": 16}')]
      : []),
  ];
}

function asksForCores(resources: unknown): boolean {
  return typeof resources === "object" && resources !== null && "ncpus" in resources;
}

function dynamicProblems(value: Readonly<Record<string, unknown>>): readonly Problem[] {
  const { Name, Extends, Dynamic, MachineType } = value;
  const isDynamic = Dynamic === true;
  if (isDynamic && Extends === undefined && MachineType === undefined)
    return [
      {
        path: ["Extends"],
        message:
          "missing, expected the node array that a dynamic one is made from, or else its MachineType and all that its nodes need",
      },
    ];
  if (isDynamic && Extends === Name)
    return [{ path: ["Extends"], message: "expected another name than the array's own", input: Extends }];
  if (!isDynamic && Extends !== undefined)
    return [{ path: ["Dynamic"], message: "expected true with Extends", input: Dynamic }];
  return [];
}

function sizeOf(attributes: Readonly<Record<string, unknown>>): number {
  return new TextEncoder().encode(JSON.stringify(attributes)).length;
}

/** Attributes of the nodes made for a definition, in addition to those of their array. */
export function attributesOf(definition: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => !wishes.includes(key)));
}

/** The name of a definition's target: `execute`, `execute:64` for groups of 64 cores, `execute:spare` for spare nodes. */
export function accountOf(target: NodeArrayTarget): string {
  const { Name, GroupCoreCount, GroupInstanceCount } = target;
  if (asksForSpares(target)) return `${Name}:spare`;
  if (GroupCoreCount !== undefined) return `${Name}:${GroupCoreCount}`;
  return GroupInstanceCount === undefined ? Name : `${Name}:${GroupInstanceCount}-nodes`;
}

/** How much it asks for: `4 nodes`, `64 spare slots or 5 % spare`. */
export function amountInWords(target: NodeArrayTarget): string {
  const { TargetCount, TargetCoreCount, TargetGpuCount, TargetGroupCount } = target;
  const { SpareCount, SpareSlots, SparePercent } = target;
  const spare = (count: number | "auto" | undefined, what: string) => {
    if (count === undefined) return [];
    return [count === "auto" ? `as many ${what} as are needed` : counted(count, what)];
  };
  if (asksForSpares(target))
    return [
      ...spare(SpareCount, "spare nodes"),
      ...spare(SpareSlots, "spare slots"),
      ...(SparePercent === undefined ? [] : [`${SparePercent} % spare`]),
    ].join(" or ");
  if (TargetGroupCount !== undefined) return counted(TargetGroupCount, "groups");
  if (TargetGpuCount !== undefined) return counted(TargetGpuCount, "GPUs");
  // With both, cores count.
  return TargetCoreCount === undefined
    ? counted(TargetCount ?? 0, "nodes")
    : counted(TargetCoreCount, "cores");
}

/** Whether it asks for nodes or slots beside those that jobs use. */
export function asksForSpares({
  SpareCount,
  SparePercent,
  SpareSlots,
}: Pick<NodeArrayTarget, "SpareCount" | "SparePercent" | "SpareSlots">): boolean {
  return SpareCount !== undefined || SparePercent !== undefined || SpareSlots !== undefined;
}

/** Whether it leaves to the service how much spare room there is. */
export function isSizedByItself({
  SpareCount,
  SpareSlots,
}: Pick<NodeArrayTarget, "SpareCount" | "SpareSlots">): boolean {
  return SpareCount === "auto" || SpareSlots === "auto";
}

/** The definitions of one request. */
export const nodeArrayTargets = listOf(nodeArrayShape, mostArrays);

/** Checks the definitions of one request one by one; of two with one account the first counts. */
export function checkTargetItems(items: readonly unknown[]): Checked<NodeArrayTarget> {
  const seen = new Set<string>();
  const single = definition.superRefine((target, context) => {
    const account = accountOf(target);
    if (seen.has(account))
      context.addIssue({
        code: "custom",
        message: "a second definition of that name, expected one",
        input: account,
        path: ["Name"],
      });
    seen.add(account);
  });
  return checkItems("target", items, single);
}
