import type { VmFacts } from "../engine/index.ts";
import type { VmCatalogue, VmSize } from "../facts/vm-sizes.ts";
import type { VirtualMachine } from "./status-schema.ts";

const bytesPerGiB = 1024 ** 3;

interface VmSources {
  readonly vmSize: string;
  readonly reported: VirtualMachine | null | undefined;
  readonly catalogue: VmCatalogue;
  /** GB that the node array's template sets by hand; null when it does not. */
  readonly arrayMemory: number | null;
}

/**
 * What is known of a VM size: CycleCloud's own figures first, the catalogue where they are missing or 0. Undefined
 * when neither knows the cores or the memory: "cannot tell" must not become "none".
 */
export function toVmFacts(sources: VmSources): VmFacts | undefined {
  const { reported, vmSize } = sources;
  const known = sources.catalogue.find(vmSize);
  const vcpuCount = positive(reported?.vcpuCount) ?? known?.vcpusAvailable;
  const memoryGiB = positive(sources.arrayMemory) ?? positive(reported?.memory) ?? known?.memoryGiB;
  if (vcpuCount === undefined || memoryGiB === undefined) return undefined;
  return {
    vcpuCount,
    // A constrained size is charged in full: the catalogue knows it when CycleCloud does not say.
    vcpuQuotaCount: positive(reported?.vcpuQuotaCount) ?? known?.vcpus ?? vcpuCount,
    pcpuCount: positive(reported?.pcpuCount) ?? known?.pcpus ?? vcpuCount,
    gpuCount: gpus(reported, known),
    // The reference library calls Azure's "vCPUsPerCore" so, and configurations divide by it.
    coresPerSocket: known?.vcpusPerCore ?? 1,
    memoryBytes: memoryGiB * bytesPerGiB,
    // Two sizes of an unknown family must not share a quota by accident.
    family: known?.family ?? vmSize,
    infiniband: reported?.infiniband ?? known?.rdma ?? false,
  };
}

/** CycleCloud reports 0 GPUs for sizes that it does not know yet; then the catalogue wins. */
function gpus(reported: VirtualMachine | null | undefined, known: VmSize | undefined): number {
  return positive(reported?.gpuCount) ?? known?.gpus ?? 0;
}

function positive(value: number | null | undefined): number | undefined {
  return value !== null && value !== undefined && value > 0 ? value : undefined;
}
