import { memberOf, shortHostname } from "../../../../shared/engine/index.ts";
import type { NodeShape, SchedulerNode, SetAside } from "../driver.ts";
import { type Amount, amountsOf, type Host, resourcesOf, written } from "./hosts.ts";
import type { Remembered } from "./pbs-memory.ts";
import type { ResourceTypes } from "./pbs-resources.ts";
import type { PbsSettings } from "./pbs-settings.ts";
import { propertyNamed } from "./wishes.ts";

type Resources = SchedulerNode["resources"];

/** VMs of one size differ a little in the memory that they see. */
const littleShare = 0.01;

export interface Counted {
  readonly resources: ReadonlyMap<string, Resources>;
  readonly shapes: readonly NodeShape[];
  readonly setAside: readonly SetAside[];
  /** What PBS has of nodes of each kind, without what settings add. */
  readonly toRemember: readonly NodeShape[];
}

/**
 * What PBS counts of each host, and of nodes that come: as settings say, as nodes of the same array and size have it or had it. Undefined:
 * a host has a resource that qmgr does not list. All have the same names, with nothing for what one of them lacks.
 */
export function countAll(
  hosts: readonly Host[],
  {
    types,
    settings,
    remembered,
  }: { readonly types: ResourceTypes; readonly settings: PbsSettings; readonly remembered: Remembered },
): Counted | undefined {
  const isProperty = (name: string) => propertyNamed(name, settings) !== undefined;
  const read = hosts.map((host) => ({ host, amounts: resourcesOf(host, types, isProperty) }));
  const known = read.flatMap(({ host, amounts }) => (amounts === undefined ? [] : [{ host, amounts }]));
  if (known.length < read.length) return undefined;
  const kinds = Map.groupBy(
    known.flatMap(({ host, amounts }) => {
      const { nodeArray, vmSize } = kindOf(host, settings, remembered);
      return nodeArray === undefined || !host.hasAnswered ? [] : [{ nodeArray, vmSize, amounts }];
    }),
    ({ nodeArray, vmSize }) => keyOf({ nodeArray, vmSize }),
  );
  const setAside: SetAside[] = [];
  const present = [...kinds.values()].map((kind) => {
    const { nodeArray, vmSize } = kind[0] ?? { nodeArray: "", vmSize: undefined };
    const { least, differing } = leastOf(kind.map(({ amounts }) => amounts));
    if (differing.length > 0)
      setAside.push({
        record: `nodes of "${nodeArray}"${vmSize === undefined ? "" : ` of size ${vmSize}`}`,
        reason: `differ in ${differing.join(", ")}: new ones count as the least`,
      });
    return { nodeArray, vmSize, resources: asWritten(least) };
  });
  const gone = remembered.shapes.filter((shape) => !kinds.has(keyOf(shape)));
  const counted = [...present, ...gone];
  const seen = counted.map((shape) => ({
    ...shape,
    resources: { ...shape.resources, ...configured(shape.nodeArray, types, settings) },
  }));
  const only = Object.keys(settings.node_arrays)
    .filter((nodeArray) => !seen.some((shape) => shape.nodeArray === nodeArray && shape.vmSize === undefined))
    .map((nodeArray) => ({ nodeArray, vmSize: undefined, resources: configured(nodeArray, types, settings) }))
    .filter(({ resources }) => Object.keys(resources).length > 0);
  const shapes = [...seen, ...only];
  const own = known.map(({ host, amounts }) => [host.name, asWritten(amounts)] as const);
  const none = Object.fromEntries(types.counted().filter(([name]) => !isProperty(name)));
  const names = namesIn([
    none,
    ...shapes.map(({ resources }) => resources),
    ...own.map(([, resources]) => resources),
  ]);
  const filled = (resources: Resources, without: readonly string[] = []): Resources => ({
    ...Object.fromEntries([...names].filter(([name]) => !without.includes(name))),
    ...resources,
  });
  return {
    resources: new Map(own.map(([name, resources]) => [name, filled(resources)])),
    // What a shape leaves out of CPUs and memory is as the VM has it.
    shapes: shapes
      .map(({ nodeArray, vmSize, resources }) => ({
        nodeArray,
        ...(vmSize === undefined ? {} : { vmSize }),
        resources: filled(resources, ["ncpus", "memmb"]),
      }))
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    setAside,
    toRemember: counted.map(({ nodeArray, vmSize, resources }) => ({
      nodeArray,
      ...(vmSize === undefined ? {} : { vmSize }),
      resources,
    })),
  };
}

function keyOf({
  nodeArray,
  vmSize,
}: {
  readonly nodeArray: string;
  readonly vmSize?: string | undefined;
}): string {
  return JSON.stringify([nodeArray, vmSize?.toLowerCase() ?? ""]);
}

/** What joined is remembered; the rest says it in its resources. */
function kindOf(host: Host, settings: PbsSettings, { joined }: Remembered) {
  const place = memberOf(joined, shortHostname(host.name));
  const ofProperty = (property: string) =>
    Object.keys(settings.properties)
      .filter((each) => propertyNamed(each, settings) === property)
      .flatMap((each) => host.vnodes[0]?.resources_available.get(each) ?? [])[0];
  return {
    nodeArray: place?.nodeArray ?? ofProperty("node.nodearray"),
    vmSize: place?.vmSize ?? ofProperty("node.vm_size"),
  };
}

function leastOf(each: readonly ReadonlyMap<string, Amount>[]) {
  const names = [...new Set(each.flatMap((amounts) => [...amounts.keys()]))].sort();
  const least = new Map<string, Amount>();
  const differing: string[] = [];
  for (const name of names) {
    const values = each.map((amounts) => amounts.get(name));
    const [first] = values.filter((value) => value !== undefined);
    if (first === undefined) continue;
    if (typeof first.value === "number") {
      const numbers = values.map((value) => Number(value?.value ?? 0));
      const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
      least.set(name, { ...first, value: low });
      if (high - low > high * littleShare) differing.push(`${name} (${low} to ${high})`);
    } else if (values.every((value) => value?.value === first.value)) {
      least.set(name, first);
    } else {
      if (typeof first.value === "boolean") least.set(name, { value: false });
      differing.push(name);
    }
  }
  return { least, differing };
}

function configured(nodeArray: string, types: ResourceTypes, settings: PbsSettings): Resources {
  const own = memberOf(settings.node_arrays, nodeArray);
  const amounts = Object.entries(own?.resources ?? {}).flatMap(([name, value]) =>
    amountsOf(name, types.kindOf(name), String(value)),
  );
  return asWritten(new Map(amounts));
}

function asWritten(amounts: ReadonlyMap<string, Amount>): Resources {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, written(amount)]));
}

/** Every name, with what a node has that lacks it. */
function namesIn(all: readonly Resources[]): ReadonlyMap<string, 0 | false | null> {
  const names = new Map<string, 0 | false | null>();
  for (const resources of all)
    for (const [name, value] of Object.entries(resources)) {
      const isAmount = typeof value === "number" || (typeof value === "string" && value.startsWith("size::"));
      if (value !== null || !names.has(name))
        names.set(name, isAmount ? 0 : typeof value === "boolean" ? false : null);
    }
  return names;
}
