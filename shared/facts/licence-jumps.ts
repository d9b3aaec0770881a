import { createVmCatalogue, type VmSize } from "./vm-sizes.ts";

/** What Windows adds to the Linux price, US dollars per vCPU and hour, in every region. */
const windowsUsdPerVcpu = 0.046;
const windowsUsdPerVcpuOfB = 0.0046;
/** Lists round prices to a tenth of a cent. */
const roundingUsd = 0.0005;
const slackUsdPerVcpu = 0.0001;
/** Sizes of a series are compared if their memory and GPUs per vCPU are this close: E96as_v5 has 7 GiB, E64as_v5 8. */
const closestShare = 0.8;

export interface SizePrice {
  readonly vmSize: string;
  readonly usd: number;
}

/** A price that exceeds that of another size of its series by exactly a licence: by all signs that of Windows. */
export interface LicenceJump extends SizePrice {
  readonly comparedWith: SizePrice;
}

interface Sized extends SizePrice {
  readonly size: VmSize;
}

/**
 * Windows prices among Linux prices of one region. A series is priced by the vCPU, so two of its sizes may not differ by
 * a licence per vCPU. Sizes whose vCPUs are not published are not compared.
 */
export function licenceJumps(prices: readonly SizePrice[]): readonly LicenceJump[] {
  const catalogue = createVmCatalogue();
  const sized = prices.flatMap((price) => {
    const size = catalogue.find(price.vmSize);
    return size === undefined ? [] : [{ vmSize: price.vmSize, usd: price.usd, size }];
  });
  return Object.values(Object.groupBy(sized, ({ vmSize }) => seriesOf(vmSize))).flatMap((series = []) =>
    series.flatMap((dear) => {
      const cheap = series.find((other) => areAlike(dear.size, other.size) && isLicenceApart(dear, other));
      if (cheap === undefined) return [];
      return [{ vmSize: dear.vmSize, usd: dear.usd, comparedWith: { vmSize: cheap.vmSize, usd: cheap.usd } }];
    }),
  );
}

/** The name without its cores: "standard_e*as_v5" for Standard_E16-4as_v5. */
function seriesOf(vmSize: string): string {
  return vmSize.toLowerCase().replace(/^(standard_[a-z]+)\d+(-\d+)?/, "$1*");
}

function areAlike(a: VmSize, b: VmSize): boolean {
  return (
    areClose(a.memoryGiB / a.vcpus, b.memoryGiB / b.vcpus) && areClose(a.gpus / a.vcpus, b.gpus / b.vcpus)
  );
}

function areClose(a: number, b: number): boolean {
  return Math.min(a, b) >= closestShare * Math.max(a, b);
}

function isLicenceApart(dear: Sized, cheap: Sized): boolean {
  const licenceUsd = /^standard_b\d/i.test(dear.vmSize) ? windowsUsdPerVcpuOfB : windowsUsdPerVcpu;
  const apartUsd = dear.usd / dear.size.vcpus - cheap.usd / cheap.size.vcpus;
  const slackUsd = roundingUsd / dear.size.vcpus + roundingUsd / cheap.size.vcpus + slackUsdPerVcpu;
  return Math.abs(apartUsd - licenceUsd) <= slackUsd;
}
