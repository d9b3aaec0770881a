import { writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  queueConnection,
  resolveConnection,
  serviceBusConnection,
} from "../../../../infra/local/functions-host/connections.ts";
import {
  exportSettings,
  loadSettings,
  resolveExpressions,
} from "../../../../infra/local/functions-host/settings.ts";
import { ownFolder } from "../../../support/own-folder.ts";

function folderWith(localSettings: string): string {
  const directory = ownFolder(onTestFinished);
  writeFileSync(directory("local.settings.json"), localSettings);
  return directory();
}

describe("settings", () => {
  test("overrides beat the environment, which beats local.settings.json", () => {
    const appDir = folderWith(
      '{ /* a comment */ "Values": { "A": "file", "B": "file", "C": "file", "N": 5 } }',
    );
    const settings = loadSettings({
      appDir,
      environment: { B: "env", C: "env" },
      overrides: { C: "override" },
    });
    expect(settings).toMatchObject({
      A: "file",
      B: "env",
      C: "override",
      N: "5",
      FUNCTIONS_WORKER_RUNTIME: "node",
    });
  });

  test("an encrypted local.settings.json is refused", () => {
    const appDir = folderWith('{ "IsEncrypted": true, "Values": {} }');
    expect(() => loadSettings({ appDir, environment: {} })).toThrow("IsEncrypted");
  });

  test("exported settings are in process.env until they are put back", () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("SETTINGS_TEST_OLD", "old");
    const restore = exportSettings({ SETTINGS_TEST_OLD: "new", SETTINGS_TEST_NEW: "new" });
    expect([process.env.SETTINGS_TEST_OLD, process.env.SETTINGS_TEST_NEW]).toEqual(["new", "new"]);
    restore();
    expect([process.env.SETTINGS_TEST_OLD, process.env.SETTINGS_TEST_NEW]).toEqual(["old", undefined]);
  });

  test("%NAME% is replaced at any depth", () => {
    const binding = { queueName: "%PREFIX%-%NAME%", list: ["%NAME%"], flag: true, text: "50 % of 100 %" };
    expect(resolveExpressions(binding, { PREFIX: "a", NAME: "b" })).toEqual({
      queueName: "a-b",
      list: ["b"],
      flag: true,
      text: "50 % of 100 %",
    });
  });

  test("%NAME% without such a setting is an error that names it", () => {
    expect(() => resolveExpressions({ queueName: "%NAME%" }, {})).toThrow('expected "NAME"');
  });
});

describe("connections", () => {
  const secret = { kind: "connection-string", connectionString: "secret" };
  test.each([
    ["a connection string", { Store: "secret" }, "Store", secret],
    ["the AzureWebJobs prefix", { AzureWebJobsStore: "secret" }, "Store", secret],
    ["no name", { AzureWebJobsStorage: "secret" }, undefined, secret],
    [
      "an address",
      { Store__queueServiceUri: "https://q" },
      "Store",
      { kind: "identity", address: "https://q" },
    ],
    [
      "an account and an identity",
      { "Store:accountName": "acc", Store__clientId: "me" },
      "Store",
      { kind: "identity", address: "https://acc.queue.core.windows.net", clientId: "me" },
    ],
  ])("%s is understood", (_name, settings, binding, expected) => {
    expect(resolveConnection(queueConnection, binding, { ...settings })).toEqual(expected);
  });

  test("a namespace is understood", () => {
    const settings = { Bus__fullyQualifiedNamespace: "ns.servicebus.windows.net" };
    const expected = { kind: "identity", address: "ns.servicebus.windows.net" };
    expect(resolveConnection(serviceBusConnection, "Bus", settings)).toEqual(expected);
  });

  test("a missing connection names the settings that would help", () => {
    expect(() => resolveConnection(serviceBusConnection, "Bus", {})).toThrow(
      '"Bus__fullyQualifiedNamespace"',
    );
  });
});
