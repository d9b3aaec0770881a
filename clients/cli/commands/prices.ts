import { Command } from "commander";
import type { PriceView, SizePriceView } from "../../../shared/api/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import { type LookFlags, type Looking, look, lookOptions } from "../look.ts";
import { moment } from "../output/moments.ts";
import { outputOptions } from "../output/output-options.ts";
import { isSelecting, type SelectionFlags, selectionOptions, toQuery } from "../selection.ts";
import type { Terminal } from "../terminal.ts";

type Flags = LookFlags & SelectionFlags;

export const priceColumns = columnsOf(
  "nodearray,vm_size,spot,regular@regular_usd:-,spot_price@spot_usd:-,per_core@core_usd:-",
  "source:unknown,as_of:-,reserved:-",
);

export function pricesCommand(terminal: Terminal): Command {
  const command = new Command("prices")
    .description(
      "Lists what an hour of a node costs in US dollars, for each VM size of each node array, with source and date of the price. ≤: the price of spot is not known; it is at most the regular one. RESERVED: nodes that are paid for, and how many of them run.",
    )
    .action((flags: Flags) => look(terminal, flags, (looking) => showPrices(looking, flags)));
  return outputOptions(selectionOptions(lookOptions(command)));
}

async function showPrices({ service, list }: Looking, flags: Flags): Promise<void> {
  const { prices, atSeconds } = await service.ask("prices", { query: toQuery(flags) });
  list({
    name: "prices",
    columns: priceColumns,
    records: prices.map((price) => priceFields(price, atSeconds)),
    data: prices,
    none: isSelecting(flags)
      ? "No such buckets."
      : "No prices: the cluster has no node array with a VM size.",
  });
}

function priceFields(size: SizePriceView, nowSeconds: number): Fields {
  const { regular, spotPrice, reservation, usdPerHour, usdPerCoreHour } = size;
  const counts = size.spot ? spotPrice : regular;
  const asOfSeconds = counts?.asOfSeconds ?? null;
  return {
    ...size,
    usd: dollars(usdPerHour),
    regular_usd: shown(regular),
    spot_usd: shown(spotPrice),
    core_usd: dollars(usdPerCoreHour),
    source: counts?.source ?? null,
    as_of: asOfSeconds === null ? null : moment(asOfSeconds).slice(0, "2026-11-22".length),
    age: asOfSeconds === null ? null : duration(nowSeconds - asOfSeconds),
    reserved: reservation === null ? null : `${reservation.running}/${reservation.nodes} ${reservation.name}`,
  };
}

function shown(price: PriceView | null): string | null {
  if (price === null) return null;
  return `${price.isUpperBound === true ? "≤" : ""}${dollars(price.usdPerHour)}`;
}

/** A small size costs less than a cent per core and hour. */
function dollars(usd: number | null): string | null {
  return usd === null ? null : usd.toFixed(4);
}
