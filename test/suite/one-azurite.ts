/** Before the tests that start processes: one Azurite for all of them. Each file takes accounts of its own, see `test/support/azurite.ts`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import getPort from "get-port";
import type { ProvidedContext } from "vitest";
import type { TestProject } from "vitest/node";
import { startAzurite } from "../../infra/local/environment/azurite.ts";

declare module "vitest" {
  interface ProvidedContext {
    readonly azurite: {
      readonly ports: { readonly blob: number; readonly queue: number; readonly table: number };
      readonly accounts: readonly string[];
      /** A folder per account that is taken. */
      readonly claims: string;
      readonly patienceMs: number;
    };
  }
}

/** More than the files take in hours of watching. */
const accounts = Array.from({ length: 400 }, (_, index) => `account${index}`);

/** The projects of a run share it, and each of them loads this file. */
const sharedKey = Symbol.for("cyclecloud-autoscale.one-azurite");

interface Running {
  readonly given: ProvidedContext["azurite"];
  stop(): Promise<void>;
}

export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const known = Reflect.get(globalThis, sharedKey) as Promise<Running> | undefined;
  const starting = known ?? start();
  Reflect.set(globalThis, sharedKey, starting);
  const { given, stop } = await starting;
  provide("azurite", given);
  return known === undefined ? stop : async () => undefined;
}

async function start(): Promise<Running> {
  const claims = await mkdtemp(join(tmpdir(), "azurite-accounts-"));
  const ports = { blob: await getPort(), queue: await getPort(), table: await getPort() };
  const starting = startAzurite({ logFile: join(claims, "azurite.log"), ports, accounts });
  // Not awaited: a run of one file that needs no storage does not wait for it.
  const failed = starting.then(
    () => undefined,
    (error: Error) => error,
  );
  return {
    given: { ports, accounts, claims, patienceMs: 240_000 },
    stop: async () => {
      Reflect.deleteProperty(globalThis, sharedKey);
      const error = await failed;
      if (error !== undefined) throw error;
      await (await starting).kill();
      await rm(claims, { recursive: true, force: true });
    },
  };
}
