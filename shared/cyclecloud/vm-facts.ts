import type { VmFacts } from "../engine/index.ts";
import type { VmCatalogue, VmSize, VmSizeOverride } from "../facts/index.ts";
import type { VirtualMachine } from "./status-schema.ts";

const bytesPerGiB = 1024 ** 3;

interface VmSources {
  readonly vmSize: string;
  readonly reported: VirtualMachine | null | undefined;
  readonly catalogue: VmCatalogue;
  /** GB that the node array reports for all of its sizes; null when it reports none. */
  readonly arrayMemory: number | null;
}

/**
 * What is known of a VM size: the facts of the configuration (`vm_sizes`) first, then CycleCloud's own figures, then the
 * catalogue. Undefined if none has the cores or the memory: "cannot tell" must not become "none".
 */
export function toVmFacts({ reported, vmSize, catalogue, arrayMemory }: VmSources): VmFacts | undefined {
  const own = catalogue.ownFacts(vmSize);
  const catalogueSize = catalogue.find(vmSize);
  const vcpuCount = own.vcpusAvailable ?? positive(reported?.vcpuCount) ?? catalogueSize?.vcpusAvailable;
  // The bucket's figure comes before the array's, which is that of one of several sizes.
  const reportedMemory = positive(reported?.memory) ?? positive(arrayMemory);
  const memoryGiB = own.memoryGiB ?? reportedMemory ?? catalogueSize?.memoryGiB;
  if (vcpuCount === undefined || memoryGiB === undefined) return undefined;
  return {
    vcpuCount,
    // A constrained size is charged in full: the catalogue has the figure if CycleCloud does not.
    vcpuQuotaCount: own.vcpus ?? positive(reported?.vcpuQuotaCount) ?? catalogueSize?.vcpus ?? vcpuCount,
    pcpuCount:
      ownPcpus(own, catalogueSize) ?? positive(reported?.pcpuCount) ?? catalogueSize?.pcpus ?? vcpuCount,
    ...gpusOf({ own, reported, catalogueSize }),
    // scalelib gives Azure's "vCPUsPerCore" this name, and configurations divide by it.
    coresPerSocket: catalogueSize?.vcpusPerCore ?? 1,
    memoryBytes: memoryGiB * bytesPerGiB,
    // Two sizes of an unknown family must not share a quota by accident.
    family: catalogueSize?.family ?? vmSize,
    infiniband: own.rdma ?? reported?.infiniband ?? catalogueSize?.rdma ?? false,
  };
}

/** Physical cores follow from the usable ones and the threads of each, so either one of the configuration decides. */
function ownPcpus(own: VmSizeOverride, catalogueSize: VmSize | undefined): number | undefined {
  const decides = own.pcpus ?? own.vcpusPerCore ?? own.vcpusAvailable;
  return decides === undefined ? undefined : catalogueSize?.pcpus;
}

/** CycleCloud reports too few GPUs, often 0, for sizes that it does not know yet: the larger figure wins, and its 0 alone says nothing. */
function gpusOf({
  own,
  reported,
  catalogueSize,
}: {
  readonly own: VmSizeOverride;
  readonly reported: VirtualMachine | null | undefined;
  readonly catalogueSize: VmSize | undefined;
}): Pick<VmFacts, "gpuCount" | "gpuCountIsUnknown"> {
  const gpuCount = own.gpus ?? Math.max(reported?.gpuCount ?? 0, catalogueSize?.gpus ?? 0);
  const isKnown = gpuCount > 0 || own.gpus !== undefined || catalogueSize !== undefined;
  return isKnown ? { gpuCount } : { gpuCount, gpuCountIsUnknown: true };
}

function positive(value: number | null | undefined): number | undefined {
  return value !== null && value !== undefined && value > 0 ? value : undefined;
}
