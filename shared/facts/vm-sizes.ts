import columns from "./vm-sizes.json" with { type: "json" };

type Architecture = "amd64" | "arm64";

/** Azure's published facts about one VM size. The README of this folder gives their date. */
export interface VmSize {
  /** Azure's own spelling, for example "Standard_F4s_v2". */
  readonly name: string;
  /** Azure's name of the quota family, for example "standardFSv2Family". */
  readonly family: string;
  /** Cores that a quota is charged; more than `vcpusAvailable` for constrained sizes such as E8-2s_v3. */
  readonly vcpus: number;
  /** Cores that a job can use. */
  readonly vcpusAvailable: number;
  /** Threads per physical core; undefined where Azure does not publish it. */
  readonly vcpusPerCore: number | undefined;
  /** Physical cores. Equals `vcpusAvailable` where `vcpusPerCore` is not published. */
  readonly pcpus: number;
  readonly memoryGiB: number;
  readonly gpus: number;
  /** Has an RDMA network (InfiniBand), which tightly coupled jobs need. */
  readonly rdma: boolean;
  readonly arch: Architecture;
  /** The configuration's own prices; the published ones are in `vm-prices.ts`, because they depend on the region. */
  readonly pricePerHourUsd?: number | undefined;
  readonly spotPricePerHourUsd?: number | undefined;
}

/** Replaces single facts of a known size. A size that is not known needs at least `vcpus` and `memoryGiB`. */
export type VmSizeOverride = { readonly [K in keyof Omit<VmSize, "name">]?: VmSize[K] | undefined };

export interface VmCatalogueOptions {
  /** Keyed by VM size; the letter case does not matter. */
  readonly overrides?: Readonly<Record<string, VmSizeOverride>>;
  /** Added to the built-in mapping of government regions; an entry of the same region replaces it. */
  readonly proxiedLocations?: Readonly<Record<string, string>>;
}

export interface VmCatalogue {
  /** The letter case does not matter; undefined means that nothing is known, not that the size is empty. */
  find(vmSize: string): VmSize | undefined;
  /** The configuration's own facts of a size; they win over those that CycleCloud reports. */
  ownFacts(vmSize: string): VmSizeOverride;
  /** The public location whose facts stand in for this one; a location with facts of its own stands for itself. */
  locationOf(location: string): string;
}

const rowByName: ReadonlyMap<string, number> = new Map(
  columns.name.map((name, row) => [name.toLowerCase(), row]),
);

/** Throws a TypeError when an override adds a size without saying how many cores and how much memory it has. */
export function createVmCatalogue(options: VmCatalogueOptions = {}): VmCatalogue {
  const overridden = new Map<string, VmSize>();
  const own = new Map<string, VmSizeOverride>();
  for (const [name, override] of Object.entries(options.overrides ?? {})) {
    overridden.set(name.toLowerCase(), applyOverride(name, override));
    own.set(name.toLowerCase(), withoutUndefined(override));
  }
  const proxied = lowerCaseKeys({ ...columns.proxiedLocations, ...options.proxiedLocations });
  return {
    find: (vmSize) => overridden.get(vmSize.toLowerCase()) ?? findPublished(vmSize),
    ownFacts: (vmSize) => own.get(vmSize.toLowerCase()) ?? {},
    locationOf: (location) => proxied.get(location.toLowerCase()) ?? location.toLowerCase(),
  };
}

function findPublished(vmSize: string): VmSize | undefined {
  const row = rowByName.get(vmSize.toLowerCase());
  if (row === undefined) return undefined;
  return complete(at(columns.name, row), {
    family: at(columns.families, at(columns.family, row)),
    vcpus: at(columns.vcpus, row),
    vcpusAvailable: at(columns.vcpusAvailable, row),
    vcpusPerCore: at(columns.vcpusPerCore, row) ?? undefined,
    memoryGiB: at(columns.memoryGiB, row),
    gpus: at(columns.gpus, row),
    rdma: at(columns.rdma, row) === 1,
    arch: at(columns.arm64, row) === 1 ? "arm64" : "amd64",
  });
}

function applyOverride(name: string, override: VmSizeOverride): VmSize {
  const published = findPublished(name);
  if (published === undefined) return complete(name, override);
  // Physical cores follow from the other two, so an override of either one recomputes them.
  const { name: spelling, pcpus: _derived, ...facts } = published;
  return complete(spelling, { ...facts, ...withoutUndefined(override) });
}

function complete(name: string, facts: VmSizeOverride): VmSize {
  const { vcpus, memoryGiB, vcpusPerCore } = facts;
  if (vcpus === undefined || memoryGiB === undefined) {
    const missing = vcpus === undefined ? "vcpus" : "memoryGiB";
    throw new TypeError(`Cannot add VM size "${name}": no ${missing}, expected vcpus and memoryGiB`);
  }
  const vcpusAvailable = facts.vcpusAvailable ?? vcpus;
  return {
    name,
    // A size without a published family is a family of its own: two of them must not share a quota by accident.
    family: facts.family ?? name,
    vcpus,
    vcpusAvailable,
    vcpusPerCore,
    pcpus: facts.pcpus ?? physicalCores(vcpusAvailable, vcpusPerCore),
    memoryGiB,
    gpus: facts.gpus ?? 0,
    rdma: facts.rdma ?? false,
    arch: facts.arch ?? "amd64",
    ...(facts.pricePerHourUsd !== undefined && { pricePerHourUsd: facts.pricePerHourUsd }),
    ...(facts.spotPricePerHourUsd !== undefined && { spotPricePerHourUsd: facts.spotPricePerHourUsd }),
  };
}

/** At least one: the DC1s_v3 is half of a hyper-threaded core. */
function physicalCores(vcpusAvailable: number, vcpusPerCore: number | undefined): number {
  return vcpusPerCore === undefined ? vcpusAvailable : Math.max(1, Math.floor(vcpusAvailable / vcpusPerCore));
}

function withoutUndefined(override: VmSizeOverride): VmSizeOverride {
  return Object.fromEntries(Object.entries(override).filter(([, value]) => value !== undefined));
}

function lowerCaseKeys(locations: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(locations).map(([from, to]) => [from.toLowerCase(), to.toLowerCase()]));
}

function at<T>(column: readonly T[], row: number): T {
  const value = column[row];
  if (value === undefined)
    throw new RangeError(`Cannot read vm-sizes.json: no row ${row}, has ${column.length}`);
  return value;
}
