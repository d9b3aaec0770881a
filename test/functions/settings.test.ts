import { describe, expect, test } from "vitest";
import { instanceIn } from "../../functions/support/process.ts";
import { type Environment, readSettings, secretIn } from "../../functions/support/settings.ts";
import { ConfigurationError } from "../../shared/errors/errors.ts";

const schedule = { SNAPSHOT_SCHEDULE: "0 * * * * *", PRICES_SCHEDULE: "0 23 * * * *" };
const local = {
  ...schedule,
  AutoscaleStorage: "UseDevelopmentStorage=true",
  ServiceBusConnection: "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=k",
};

function problemsOf(settings: Environment): readonly string[] {
  try {
    readSettings(settings);
    return [];
  } catch (error) {
    return error instanceof ConfigurationError ? error.problems : [String(error)];
  }
}

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
      apiLogin: { by: "function-key" },
      nodeLogin: "function-key",
      platformSignsIn: false,
      configChanges: "settings",
      telemetry: { to: "off" },
      priceListAddress: "https://prices.azure.com/api/retail/prices",
    });
  });

  test.each([
    { says: {}, to: "azure" },
    { says: { AUTOSCALE_TELEMETRY: "azure" }, to: "azure" },
    { says: { AUTOSCALE_TELEMETRY: "console" }, to: "console" },
    { says: { AUTOSCALE_TELEMETRY: "off" }, to: "off" },
  ])("where Application Insights is known, $says sends telemetry to $to", ({ says, to }) => {
    const azure = { APPLICATIONINSIGHTS_CONNECTION_STRING: "InstrumentationKey=0" };
    const settings = readSettings({ ...local, ...azure, ...says });
    expect(settings.telemetry.to).toBe(to);
  });

  test("a Key Vault reference that the platform could not read is named", () => {
    const reference = "@Microsoft.KeyVault(SecretUri=https://kv-a.vault.azure.net/secrets/bus)";
    expect(
      problemsOf({ ...schedule, AutoscaleStorage__accountName: "stauto", ServiceBusConnection: reference }),
    ).toEqual([
      "ServiceBusConnection: a Key Vault reference that could not be read, expected the secret's value",
    ]);
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
    expect(readSettings({ ...local, AUTOSTOP_LOGIN: "basic" }).nodeLogin).toBe("basic");
    expect(() => readSettings({ ...local, AUTOSTOP_LOGIN: "none" })).toThrow(/AUTOSTOP_LOGIN/);
  });

  describe("how callers of the HTTP API log in", () => {
    const entra = {
      ...local,
      API_LOGIN: "entra",
      API_TENANT_ID: "11111111-1111-4111-8111-AAAAAAAAAAAA",
      API_CLIENT_ID: "22222222-2222-4222-8222-222222222222",
    };

    test("a tenant and an app registration, of the public cloud when nothing else is said", () => {
      expect(readSettings(entra).apiLogin).toEqual({
        by: "entra",
        issuer: {
          authority: "https://login.microsoftonline.com",
          tenantId: "11111111-1111-4111-8111-aaaaaaaaaaaa",
          clientId: "22222222-2222-4222-8222-222222222222",
        },
      });
    });

    test.each([
      ["https://login.microsoftonline.us/", "https://login.microsoftonline.us"],
      ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
      ["http://[::1]:8080", "http://[::1]:8080"],
    ])("the authority %s is %s", (given, authority) => {
      const { apiLogin } = readSettings({ ...entra, API_AUTHORITY: given });
      expect(apiLogin).toMatchObject({ issuer: { authority } });
    });

    test.each([
      ["another word", { API_LOGIN: "Entra" }, ["API_LOGIN"]],
      ["a word for nobody", { API_LOGIN: "anonymous" }, ["API_LOGIN"]],
      ["an empty word", { API_LOGIN: "" }, ["API_LOGIN"]],
      ["no tenant", { API_TENANT_ID: undefined }, ["API_TENANT_ID"]],
      [
        "nothing else",
        { API_TENANT_ID: undefined, API_CLIENT_ID: undefined },
        ["API_TENANT_ID", "API_CLIENT_ID"],
      ],
      ["a tenant that is everybody's", { API_TENANT_ID: "common" }, ["API_TENANT_ID"]],
      ["empty ids", { API_TENANT_ID: "", API_CLIENT_ID: "" }, ["API_TENANT_ID", "API_CLIENT_ID"]],
      ["an audience for a client id", { API_CLIENT_ID: "api://autoscale" }, ["API_CLIENT_ID"]],
      ["keys that anybody between may change", { API_AUTHORITY: "http://login.example" }, ["API_AUTHORITY"]],
      ["an authority with a path", { API_AUTHORITY: "https://login.example/common" }, ["API_AUTHORITY"]],
      ["an authority that is no address", { API_AUTHORITY: "login.example" }, ["API_AUTHORITY"]],
    ])("%s stops the start, and each setting is named", (_, over, named) => {
      const problems = problemsOf({ ...entra, ...over });
      expect([...new Set(problems.map((problem) => problem.split(":")[0]))]).toEqual(named);
    });

    test("the platform's word that it signs callers in is read; nobody else's is", () => {
      expect(readSettings({ ...local, WEBSITE_AUTH_ENABLED: "True" }).platformSignsIn).toBe(true);
      expect(readSettings({ ...local, WEBSITE_AUTH_ENABLED: "False" }).platformSignsIn).toBe(false);
    });
  });

  test("everything that is missing is named at once", () => {
    const problems = problemsOf({ AutoscaleStorage__blobServiceUri: "no address" });
    expect(problems.map((problem) => problem.split(":")[0])).toEqual([
      "AutoscaleStorage__blobServiceUri",
      "SNAPSHOT_SCHEDULE",
      "PRICES_SCHEDULE",
      "AutoscaleStorage",
      "ServiceBusConnection",
    ]);
  });

  test.each([
    [
      "a schedule that is missing",
      { SNAPSHOT_SCHEDULE: undefined },
      "SNAPSHOT_SCHEDULE: not set, expected when snapshots are taken, such as */15 * * * * * (NCRONTAB)",
    ],
    [
      "a word that is none of several",
      { AUTOSTOP_LOGIN: "none" },
      'AUTOSTOP_LOGIN: "none", expected function-key or basic',
    ],
    [
      "a price list without TLS on another machine",
      { PRICE_LIST_URL: "http://prices.example.com/list" },
      "PRICE_LIST_URL: expected an address such as https://prices.azure.com/api/retail/prices, or off",
    ],
    [
      "a setting that is there and empty",
      { AZURE_CLIENT_ID: " " },
      "AZURE_CLIENT_ID: empty, expected a value, or no such setting",
    ],
  ])("%s is told with what was wanted", (_, over, problem) => {
    expect(problemsOf({ ...local, ...over })).toEqual([problem]);
  });
});

describe("a secret in an app setting", () => {
  test.each([
    ["is its value", "s3cret@Microsoft.KeyVault(x)", "s3cret@Microsoft.KeyVault(x)"],
    ["is missing", undefined, undefined],
    ["is empty", "", undefined],
    ["is a reference", "@Microsoft.KeyVault(SecretUri=https://kv-a.vault.azure.net/secrets/p)", undefined],
    ["is a reference in its other form", "@Microsoft.KeyVault(VaultName=kv-a;SecretName=p)", undefined],
    ["is a reference with spaces and other letters", " @microsoft.keyvault(VaultName=kv-a)", undefined],
    ["only looks like one", "@Microsoft.KeyVaultPassword", "@Microsoft.KeyVaultPassword"],
  ])("%s", (_what, value, secret) => {
    expect(secretIn({ CYCLECLOUD_PASSWORD: value }, "CYCLECLOUD_PASSWORD")).toBe(secret);
  });
});

describe("the instance that reports telemetry", () => {
  test.each([
    ["on Flex Consumption", { WEBSITE_SITE_NAME: "func-a", CONTAINER_NAME: "c-1" }, "func-a", "c-1"],
    ["on other plans", { WEBSITE_SITE_NAME: "func-a", WEBSITE_INSTANCE_ID: "i-1" }, "func-a", "i-1"],
    ["on a laptop", {}, "cyclecloud-autoscale", expect.stringMatching(/./)],
  ])("%s", (_where, environment, service, id) => {
    expect(instanceIn(environment)).toEqual({ service, id });
  });
});

test.each([
  { setting: {}, address: "https://prices.azure.com/api/retail/prices" },
  { setting: { PRICE_LIST_URL: "off" }, address: undefined },
  { setting: { PRICE_LIST_URL: "http://127.0.0.1:8080/list" }, address: "http://127.0.0.1:8080/list" },
])("the price list of $setting", ({ setting, address }) => {
  expect(readSettings({ ...local, ...setting }).priceListAddress).toBe(address);
});
