import { pricePerHourUsd } from "../../../shared/facts/index.ts";

/** What spot costs of the regular price here; in Azure it differs by size and region. */
const spotShare = 0.2;
const windowsShare = 1.8;

/** The lines that Azure's list has of a VM size: those that count, and those that a reader has to leave out. */
export function linesFor(vmSize: string, location: string): readonly object[] {
  const price = pricePerHourUsd({ vmSize, location, spot: false });
  if (price === undefined) return [];
  const model = vmSize.replace(/^Standard_/, "").replaceAll("_", " ");
  const line = (suffix: string, share: number, product = "") => ({
    currencyCode: "USD",
    tierMinimumUnits: 0,
    retailPrice: rounded(price * share),
    unitPrice: rounded(price * share),
    armRegionName: location,
    location,
    effectiveStartDate: "2026-01-01T00:00:00Z",
    meterName: `${model}${suffix}`,
    productName: `Virtual Machines ${model} Series${product}`,
    skuName: `${model}${suffix}`,
    serviceName: "Virtual Machines",
    serviceFamily: "Compute",
    unitOfMeasure: "1 Hour",
    type: "Consumption",
    isPrimaryMeterRegion: true,
    armSkuName: vmSize,
  });
  return [
    line("", 1),
    line(" Spot", spotShare),
    line(" Low Priority", spotShare),
    line("", windowsShare, " Windows"),
    line(" Windows", windowsShare),
    line(" Spot", spotShare * windowsShare, " Windows"),
    line("", 1, " Cloud Services"),
  ];
}

function rounded(usd: number): number {
  return Math.round(usd * 1_000_000) / 1_000_000;
}
