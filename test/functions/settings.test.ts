import { describe, expect, test } from "vitest";
import { readSettings } from "../../functions/support/settings.ts";
import { ConfigurationError } from "../../shared/errors.ts";

const schedule = { SNAPSHOT_SCHEDULE: "0 * * * * *" };

describe("readSettings", () => {
  test("identities in Azure", () => {
    const settings = readSettings({
      ...schedule,
      AutoscaleStorage__accountName: "stauto",
      ServiceBusConnection__fullyQualifiedNamespace: "sb-auto.servicebus.windows.net",
      AZURE_CLIENT_ID: "00000000-0000-0000-0000-000000000001",
    });
    expect(settings).toEqual({
      storage: { accountName: "stauto" },
      serviceBus: { fullyQualifiedNamespace: "sb-auto.servicebus.windows.net" },
      managedIdentityClientId: "00000000-0000-0000-0000-000000000001",
      nodeLogin: "function-key",
      telemetry: { to: "off" },
    });
  });

  test.each([
    { says: {}, to: "azure" },
    { says: { AUTOSCALE_TELEMETRY: "azure" }, to: "azure" },
    { says: { AUTOSCALE_TELEMETRY: "console" }, to: "console" },
    { says: { AUTOSCALE_TELEMETRY: "off" }, to: "off" },
  ])("where Application Insights is known, $says sends telemetry to $to", ({ says, to }) => {
    const settings = readSettings({
      ...schedule,
      AutoscaleStorage: "UseDevelopmentStorage=true",
      ServiceBusConnection: "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=k",
      APPLICATIONINSIGHTS_CONNECTION_STRING: "InstrumentationKey=0",
      ...says,
    });
    expect(settings.telemetry.to).toBe(to);
  });

  test("service URIs", () => {
    const uri = (service: string) => `https://stauto.${service}.core.windows.net`;
    const settings = readSettings({
      ...schedule,
      AutoscaleStorage__blobServiceUri: uri("blob"),
      AutoscaleStorage__queueServiceUri: uri("queue"),
      AutoscaleStorage__tableServiceUri: uri("table"),
      ServiceBusConnection: "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=k",
    });
    expect(settings.storage).toMatchObject({ queueServiceUri: uri("queue") });
  });

  test("how nodes log in, when it is said; another word is no setting", () => {
    const settings = {
      ...schedule,
      AutoscaleStorage: "UseDevelopmentStorage=true",
      ServiceBusConnection: "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=k",
    };
    expect(readSettings({ ...settings, AUTOSTOP_LOGIN: "basic" }).nodeLogin).toBe("basic");
    expect(() => readSettings({ ...settings, AUTOSTOP_LOGIN: "none" })).toThrow(/AUTOSTOP_LOGIN/);
  });

  test("everything that is missing is named at once", () => {
    const problems = (() => {
      try {
        readSettings({ AutoscaleStorage__blobServiceUri: "no address" });
        return [];
      } catch (error) {
        return error instanceof ConfigurationError ? error.problems : [String(error)];
      }
    })();
    expect(problems.map((problem) => problem.split(":")[0])).toEqual([
      "AutoscaleStorage__blobServiceUri",
      "SNAPSHOT_SCHEDULE",
      "AutoscaleStorage",
      "ServiceBusConnection",
    ]);
  });
});
