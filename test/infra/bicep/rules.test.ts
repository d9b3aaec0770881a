import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { parseBicep, readBicep, readParameters } from "./bicep-file.ts";
import { rules } from "./rules.ts";

const root = join(import.meta.dirname, "../../..");
const paths = globSync("infra/**/*.bicep", { cwd: root }).toSorted();
const files = new Map(paths.map((path) => [path, { ...readBicep(join(root, path)), path }]));

/** One bad example for each rule, and what is found in it. */
const bad: Readonly<Record<string, { readonly text: string; readonly finds: RegExp }>> = {
  "the syntax is right": { text: "param a string =\nresource = {", finds: /bad\.bicep:\d+: cannot be read/ },
  "the language is the plain subset that every tool reads": {
    text: "param a object\noutput b string = a.?c ?? 'd'",
    finds: /expected plain resources/,
  },
  "API versions are known": {
    text: "resource a 'Microsoft.Web/sites@2030-01-01' = { name: 'a' }",
    finds: /Microsoft\.Web\/sites@2030-01-01, expected 2024-11-01/,
  },
  "role ids are those of built-in roles": {
    // One digit off.
    text: "var role = 'b7e6dc6d-f1e8-4753-8033-0f276bb0955c'",
    finds: /expected a role of known\.ts/,
  },
  "role assignments say what kind of principal gets them": {
    text: "resource a 'Microsoft.Authorization/roleAssignments@2022-04-01' = { name: 'a', properties: { principalId: 'b' } }",
    finds: /"a" has no principalType/,
  },
  "nothing is set that Flex Consumption forbids": {
    text: "resource a 'Microsoft.Web/sites@2024-11-01' = {\n properties: {\n siteConfig: {\n alwaysOn: false\n } } }",
    finds: /siteConfig\.alwaysOn is refused/,
  },
  "no output holds a secret": {
    text: "@secure()\nparam cycleCloudPassword string\noutput a string = cycleCloudPassword",
    finds: /output "a" uses cycleCloudPassword/,
  },
  "passwords are secure parameters without a value": {
    text: "param cycleCloudPassword string",
    finds: /expected @secure\(\)/,
  },
  "every parameter is described": { text: "param a string", finds: /parameter "a" has no description/ },
  "every parameter and variable is used": {
    text: "param a string\nvar b = 'a'\noutput c string = 'a'",
    finds: /"a" is never used[\s\S]*"b" is never used/,
  },
  "modules exist and get every parameter, and no other": {
    text: "module i 'infra/modules/identity.bicep' = {\n params: {\n location: 'x'\n nmae: 'y'\n } }",
    finds: /does not get "tags"[\s\S]*knows no "nmae"/,
  },
  "what is taken from a module is one of its outputs": {
    text: "module i 'infra/modules/identity.bicep' = {\n params: {} }\noutput a string = i.outputs.principal",
    finds: /i\.outputs\.principal, expected one of id, clientId, principalId/,
  },
};

describe("bicep files", () => {
  test("are found", () => {
    expect(paths).toContain("infra/main.bicep");
    expect(paths.length).toBeGreaterThan(10);
  });

  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => {
      expect([...files.values()].flatMap((file) => rule(file, files))).toEqual([]);
    });

    test(`a breach is found: ${name}`, () => {
      const example = bad[name];
      const found = example === undefined ? [] : rule(parseBicep("bad.bicep", example.text), files);
      expect(found.join("\n")).toMatch(example?.finds ?? /an example in this file/);
    });
  }

  test("settings that Flex Consumption ignores are found too", () => {
    const text = "var settings = [\n {\n name: 'FUNCTIONS_WORKER_RUNTIME'\n value: 'node'\n }\n]";
    const rule = rules["nothing is set that Flex Consumption forbids"];
    expect(rule?.(parseBicep("bad.bicep", text), files)).toHaveLength(1);
  });

  test("the account key of a storage account in an output is found", () => {
    const text = "output key string = account.listKeys().keys[0].value";
    expect(rules["no output holds a secret"]?.(parseBicep("bad.bicep", text), files)).not.toEqual([]);
  });
});

describe("parameter files", () => {
  const main = files.get("infra/main.bicep");
  const parameters = main?.parameters.map(({ name }) => name).toSorted() ?? [];

  test("the explained example has every parameter of main.bicep, in readable syntax", () => {
    const example = readParameters(join(root, "infra/example.bicepparam"));
    expect(rules["the syntax is right"]?.(example, files)).toEqual([]);
    const derived = ["apiTenantId", "budgetStartDate"];
    expect(example.variables.map(({ name }) => name).toSorted()).toEqual(
      parameters.filter((name) => !derived.includes(name)),
    );
  });

  test("main.parameters.json names parameters of main.bicep only, and all that have no default", async () => {
    const { default: json } = await import("../../../infra/main.parameters.json", { with: { type: "json" } });
    const named = Object.keys(json.parameters);
    const needed = main?.parameters.filter(({ hasDefault }) => !hasDefault).map(({ name }) => name) ?? [];
    expect(named.filter((name) => !parameters.includes(name))).toEqual([]);
    expect(needed.filter((name) => !named.includes(name))).toEqual([]);
  });
});
