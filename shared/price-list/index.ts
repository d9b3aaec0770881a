/** Azure's public list of retail prices, behind the port. */
export { createRetailPriceList, type RetailPriceOptions } from "./retail-price-list.ts";
