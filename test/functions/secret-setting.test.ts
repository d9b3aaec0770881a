import { describe, expect, test } from "vitest";
import { secretIn } from "../../functions/support/secret-setting.ts";
import { instanceIn } from "../../functions/support/telemetry.ts";

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
