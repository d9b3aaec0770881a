import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  parseConfig,
  type ServiceBusEmulator,
  startServiceBus,
} from "../../../infra/local/service-bus/index.ts";
import type { ClusterControl } from "../../../shared/ports.ts";
import { connectStorage } from "../../../shared/stores/azure/index.ts";
import { type Azurite, startAzurite } from "../../support/azurite.ts";
import { ccscale } from "./in-process.ts";

const queue = {
  Name: "plan-requests",
  Properties: { RequiresSession: true, RequiresDuplicateDetection: true },
};
let folder: string;
let local: string;
let azurite: Azurite;
let emulator: ServiceBusEmulator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pause-"));
  local = join(folder, "environment.json");
  const config = parseConfig(JSON.stringify({ UserConfig: { Namespaces: [{ Queues: [queue] }] } }));
  [azurite, emulator] = await Promise.all([startAzurite(), startServiceBus({ config, port: 0 })]);
  await writeFile(
    local,
    JSON.stringify({
      storageConnectionString: azurite.connectionString,
      serviceBusConnectionString: emulator.connectionString,
    }),
  );
  const container = storage().getContainerClient("config");
  await container.create();
  await container.getBlockBlobClient("hpc.json").upload("{}", 2);
});

afterAll(async () => {
  await emulator?.stop();
  await azurite?.stop();
  await rm(folder, { recursive: true, force: true });
});

const storage = () => connectStorage({ connectionString: azurite.connectionString }).blob;

async function control(): Promise<ClusterControl> {
  const bytes = await storage().getContainerClient("control").getBlobClient("hpc.json").downloadToBuffer();
  return JSON.parse(bytes.toString()) as ClusterControl;
}

describe("ccscale pause and resume", () => {
  test("a pause is kept with who, when and why; a resume ends it", async () => {
    const words = ["--cluster", "hpc", "--reason", "quota talks", "--by", "ann", "--local", local];
    expect(await ccscale(["pause", ...words])).toMatchObject({
      code: 0,
      stdout: 'Paused cluster "hpc" until "ccscale resume".\n',
    });
    expect(await control()).toMatchObject({
      paused: { by: "ann", reason: "quota talks", atSeconds: expect.any(Number) },
    });
    expect(await ccscale(["resume", ...words])).toMatchObject({
      code: 0,
      stdout: 'Resumed cluster "hpc" from pause.\n',
    });
    expect(await control()).toMatchObject({ paused: null });
    expect((await ccscale(["resume", ...words])).stdout).toBe(
      'Nothing to do: cluster "hpc" was not stopped.\n',
    );
  });

  test.each(["pause", "resume"])(
    "%s: an unknown cluster is refused with those that there are",
    async (verb) => {
      const { code, stderr } = await ccscale([verb, "--cluster", "hcp", "--reason", "r", "--local", local]);
      expect(code).toBe(1);
      expect(stderr).toContain('Cannot find cluster "hcp", expected one of: hpc');
    },
  );

  test("without a reason it is wrong usage", async () => {
    expect(await ccscale(["pause", "--cluster", "hpc"])).toMatchObject({ code: 2 });
  });
});
