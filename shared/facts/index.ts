/** What Azure says about VM sizes, and what they cost. */
export { pricePerHourUsd, shippedAsOfSeconds } from "./vm-prices.ts";
export {
  createVmCatalogue,
  type VmCatalogue,
  type VmCatalogueOptions,
  type VmSize,
  type VmSizeOverride,
} from "./vm-sizes.ts";
