import { devNull } from "node:os";
import { startAzurite as start } from "../../infra/local/environment/azurite.ts";

/** A running Azurite with nothing in it. */
export interface Azurite {
  readonly connectionString: string;
  stop(): Promise<void>;
}

/**
 * Starts an Azurite of its own for one test file, on free ports of 127.0.0.1, with everything in memory. Call it in
 * `beforeAll`, and `stop()` in `afterAll`: it is killed, since nothing of it is kept.
 */
export async function startAzurite(): Promise<Azurite> {
  const { connectionString, kill } = await start({ logFile: devNull });
  return { connectionString, stop: kill };
}
