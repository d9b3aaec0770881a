import { expect, test } from "vitest";
import { readSettings } from "../../functions/support/settings.ts";
import { createService } from "../../functions/support/wire.ts";
import { configOf } from "../support/world.ts";

/** The service of a process with 100 MiB, which sends nothing before it is used. */
function serviceWith(more: Readonly<Record<string, string>> = {}) {
  const environment: Record<string, string> = {
    SNAPSHOT_SCHEDULE: "0 * * * * *",
    PRICES_SCHEDULE: "0 23 * * * *",
    AutoscaleStorage: "UseDevelopmentStorage=true",
    ServiceBusConnection: "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=k",
    AUTOSCALE_TELEMETRY: "off",
    AUTOSCALE_MEMORY_MIB: "100",
    CYCLECLOUD_PASSWORD: "old",
    ...more,
  };
  return { environment, service: createService({ settings: readSettings(environment), environment }) };
}

test("without telemetry a use case runs all the same, and logs to its invocation", async () => {
  const { service } = serviceWith();
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const answer = await service.run({ info: log, warn: log, error: log }, { name: "x" }, async (ports) => {
    ports.log.info("seen", { cluster: "hpc" });
    return ports.clock.nowSeconds();
  });
  expect(Math.abs(answer - Date.now() / 1_000)).toBeLessThan(600);
  expect(lines).toEqual(['{"event":"seen","cluster":"hpc"}']);
  await service.stop();
});

test("a client of CycleCloud is kept until its configuration or its password changes", () => {
  const { service, environment } = serviceWith();
  const { cycleCloudFor } = service.portsFor(console);
  const config = configOf({});
  const first = cycleCloudFor(config);
  expect(cycleCloudFor({ ...config })).toBe(first);
  expect(cycleCloudFor({ ...config, cluster: "other" })).not.toBe(first);
  environment[config.connection.passwordSetting] = "new";
  const second = cycleCloudFor(config);
  expect(second).not.toBe(first);
  expect(cycleCloudFor(config)).toBe(second);
  const elsewhere = { ...config, connection: { ...config.connection, url: "https://other.example" } };
  expect(cycleCloudFor(elsewhere)).not.toBe(second);
});

test("plans of 150 jobs and nodes for each MiB run at once, and the next one waits", async () => {
  const { planning } = serviceWith().service;
  const held = Promise.withResolvers<string>();
  const waits: number[] = [];
  const take = (size: number, work: () => Promise<string>) =>
    planning.take(size, work, { onWait: () => waits.push(size) });
  const all = [take(14_999, () => held.promise), take(1, async () => "fits"), take(2, async () => "waits")];
  await all[1];
  expect(waits).toEqual([2]);
  held.resolve("first");
  expect(await Promise.all(all)).toEqual(["first", "fits", "waits"]);
});

test("a node may ask again after ten seconds; prices are read unless they are off", () => {
  const { service } = serviceWith({ PRICE_LIST_URL: "off" });
  expect([0, 1, 10].map((now) => service.stops.pace.waitSeconds("vm-1", now))).toEqual([0, 9, 0]);
  expect(service.priceList).toBeUndefined();
  expect(serviceWith().service.priceList).toBeDefined();
});
