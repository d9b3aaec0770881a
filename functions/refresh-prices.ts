import { app, type InvocationContext, type Timer } from "@azure/functions";
import { pricesScheduleSetting } from "../shared/app/names.ts";
import { refreshPrices } from "../shared/cycle/index.ts";
import { service } from "./support/service.ts";

/** Reads list prices that are old, or of VM sizes that are new. Without an answer the last prices stand. */
export async function readPrices(_timer: Timer, context: InvocationContext): Promise<void> {
  const { priceList: list } = service;
  if (list === undefined) return;
  const traceparent = context.traceContext?.traceParent;
  await service.run(context, { name: "refresh-prices", traceparent }, (ports) => refreshPrices(ports, list));
}

app.timer("refresh-prices", { schedule: `%${pricesScheduleSetting}%`, handler: readPrices });
