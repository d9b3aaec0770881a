import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadHostJson, parseHostJson } from "../../../../infra/local/functions-host/host-json.ts";
import { ownFolder } from "../../../support/own-folder.ts";

const repository = join(import.meta.dirname, "../../../..");

describe("host.json", () => {
  test("an almost empty file means Azure's defaults", () => {
    const { queues, serviceBus, routePrefix, functionTimeoutMs, warnings } = parseHostJson({
      version: "2.0",
    });
    expect(queues).toEqual({
      batchSize: 16,
      newBatchThreshold: 8,
      maxDequeueCount: 5,
      visibilityTimeout: 0,
      maxPollingInterval: 60_000,
      messageEncoding: "base64",
    });
    expect(serviceBus).toEqual({
      maxConcurrentCalls: 16,
      maxConcurrentSessions: 8,
      sessionIdleTimeout: 60_000,
      maxAutoLockRenewalDuration: 300_000,
      // Not Azure's, which is a minute.
      clientRetryOptions: { tryTimeout: 20_000 },
    });
    expect({ routePrefix, functionTimeoutMs, warnings }).toEqual({
      routePrefix: "api",
      functionTimeoutMs: 1_800_000,
      warnings: [],
    });
  });

  test("the product's own file is understood completely", () => {
    const hostJson = loadHostJson(repository, {});
    expect(hostJson.warnings).toEqual([]);
    expect(hostJson.queues).toMatchObject({ visibilityTimeout: 5_000, maxPollingInterval: 2_000 });
    expect(hostJson.serviceBus).toMatchObject({ maxConcurrentSessions: 16, sessionIdleTimeout: 2_000 });
    expect(hostJson.functionTimeoutMs).toBe(300_000);
  });

  test("a setting without effect here is warned about, wherever it is", () => {
    const { warnings } = parseHostJson({
      version: "2.0",
      healthMonitor: {},
      extensionBundle: {},
      logging: { applicationInsights: {}, console: {} },
      extensions: { serviceBus: { prefetchCount: 1 }, eventHubs: {} },
    });
    expect(warnings.map((warning) => warning.split('"')[1])).toEqual([
      "healthMonitor",
      "logging.console",
      "extensions.serviceBus.prefetchCount",
      "extensions.eventHubs",
    ]);
  });

  test.each([
    ["a missing version", {}, "version"],
    ["a bad time span", { version: "2.0", functionTimeout: "5 minutes" }, "functionTimeout"],
    ["a batch that is too large", { version: "2.0", extensions: { queues: { batchSize: 33 } } }, "batchSize"],
    ["a bad level", { version: "2.0", logging: { logLevel: { default: "loud" } } }, "logLevel"],
  ])("%s is named in the error", (_name, value, part) => {
    expect(() => parseHostJson(value)).toThrow(part);
  });

  test("a time-out of -1 is none", () => {
    expect(parseHostJson({ version: "2.0", functionTimeout: "-1" }).functionTimeoutMs).toBeUndefined();
  });

  test("settings named AzureFunctionsJobHost__ override the file", () => {
    const directory = ownFolder(onTestFinished);
    writeFileSync(directory("host.json"), '{"version": "2.0", "extensions": {"queues": {"batchSize": 4}}}');
    const { queues, logLevels } = loadHostJson(directory(), {
      AzureFunctionsJobHost__extensions__queues__batchSize: "1",
      AzureFunctionsJobHost__logging__logLevel__default: "Warning",
    });
    expect(queues.batchSize).toBe(1);
    expect(logLevels).toEqual({ default: "warning" });
  });
});
