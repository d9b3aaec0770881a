import { findRejection, type ReplayPorts } from "../../shared/cycle/replay-rejection.ts";
import type { RejectedMessage } from "../../shared/ports.ts";
import { CommandFailure } from "./exit-code.ts";

/** The rejection of this id. Throws CommandFailure when there is none. */
export async function existingRejection(
  ports: ReplayPorts,
  id: { readonly rejectionId: string; readonly cluster: string | undefined },
): Promise<RejectedMessage> {
  const found = await findRejection(ports, id);
  if (found !== undefined) return found;
  const where = id.cluster === undefined ? "in no cluster" : `not in cluster "${id.cluster}"`;
  throw new CommandFailure(
    `Cannot find rejection "${id.rejectionId}": ${where}, expected an id of the last 30 days`,
    'Run "ccscale rejects list" to see them.',
  );
}
