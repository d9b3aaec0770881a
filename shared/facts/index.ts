/** Azure's published facts about VM sizes, and their prices. */
export { licenceJumps } from "./licence-jumps.ts";
export { pricePerHourUsd, shippedAsOfSeconds } from "./vm-prices.ts";
export {
  createVmCatalogue,
  type VmCatalogue,
  type VmCatalogueOptions,
  type VmSize,
  type VmSizeOverride,
} from "./vm-sizes.ts";
