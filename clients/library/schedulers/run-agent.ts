import { ConfigurationError } from "../../../shared/errors/errors.ts";
import { parseAgentConfig } from "../../agent/config.ts";
import type { DriverKind } from "../../agent/drivers/driver.ts";
import { checkedKind, driverProblems } from "../../agent/drivers/driver-shape.ts";
import { importPeer } from "../import-peer.ts";
import { type StorageAccount, storageClients } from "../storage-account.ts";

export interface AgentOptions {
  readonly driver: DriverKind;
  /** As in the agent's file (docs/agent.md): `cluster`, `source`, the driver's own section, and others. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly storage: StorageAccount;
  /** One pass. */
  readonly once?: boolean;
  /** Lines of JSON; by default they are printed. */
  readonly log?: (line: string) => void;
}

/**
 * `ccscale agent` with a driver of yours. Runs until SIGINT or SIGTERM. Throws an Error that names every setting and every part of
 * the driver that is wrong.
 */
export async function runAgent(options: AgentOptions): Promise<{ readonly lastWasFine: boolean }> {
  const { driver, settings, storage, once = false, log = console.log } = options;
  const problems = driverProblems(driver);
  if (problems.length > 0) throw new ConfigurationError("the driver", problems);
  const parsed = parseAgentConfig({ ...settings, driver: driver.name }, checkedKind(driver));
  if (!parsed.ok) throw new ConfigurationError("the agent's settings", parsed.problems);
  const { startAgent } = await importPeer(() => import("../../agent/start.ts"));
  return startAgent({ config: parsed.config, env: process.env, once, log }, await storageClients(storage));
}
