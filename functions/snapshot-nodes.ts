import { app, type InvocationContext, type Timer } from "@azure/functions";
import { snapshotScheduleSetting } from "../shared/app/names.ts";
import { requestSnapshots } from "../shared/cycle/index.ts";
import { service } from "./support/service.ts";

/** Asks for a snapshot of every configured cluster. `plan-scale` takes them, each in the session of its cluster. */
export async function snapshotNodes(_timer: Timer, context: InvocationContext): Promise<void> {
  const traceparent = context.traceContext?.traceParent;
  await service.run(context, { name: "snapshot-nodes", traceparent }, requestSnapshots);
}

app.timer("snapshot-nodes", { schedule: `%${snapshotScheduleSetting}%`, handler: snapshotNodes });
