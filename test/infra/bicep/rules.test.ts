import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
  "deployments of modules have names of their own": {
    text: "module i 'infra/modules/identity.bicep' = {\n name: 'identity'\n}",
    finds: /module "i", expected \$\{run\}/,
  },
  "nothing is denied to the tag VirtualNetwork": {
    text: "var rule = {\n access: 'Deny'\n destinationAddressPrefix: 'VirtualNetwork'\n}",
    finds: /bad\.bicep:\d+: a default route/,
  },
  "what is deployed among resources of others has a name of its own": {
    // Into another resource group goes what has the same name in every deployment.
    text: "module i 'infra/modules/network.bicep' = {\n scope: resourceGroup('others')\n}",
    finds: /"peering", expected uniqueString/,
  },
  "vaults and storage accounts keep a log of who changed what": {
    text: "resource a 'Microsoft.KeyVault/vaults@2024-11-01' = { name: 'a' }",
    finds: /"a" has no diagnosticSettings/,
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

  test("say with a path that leads somewhere what they are for", () => {
    for (const path of globSync("infra/**/*.bicepparam", { cwd: root })) {
      const [, using = ""] = /^using '([^']+)'$/m.exec(readFileSync(join(root, path), "utf8")) ?? [];
      expect(existsSync(join(root, dirname(path), using)), `${path}: using '${using}'`).toBe(true);
    }
  });

  test("are copied, by the documents, to where that path still leads somewhere and git ignores them", () => {
    const named = globSync(["*.md", "docs/**/*.md", "infra/**/*.{md,bicepparam}"], { cwd: root }).flatMap(
      (file) =>
        [...readFileSync(join(root, file), "utf8").matchAll(/[\w./-]*\bmy\.bicepparam\b/g)].map(
          ([path]) => path,
        ),
    );
    expect(named.length).toBeGreaterThan(2);
    expect([...new Set(named)]).toEqual(["infra/my.bicepparam"]);
    const ignored = readFileSync(join(root, ".gitignore"), "utf8").split("\n");
    expect(ignored).toEqual(expect.arrayContaining(["/infra/*.bicepparam", "!/infra/example.bicepparam"]));
  });

  test("of the example name settings from which a configuration may take a password", () => {
    const text = readFileSync(join(root, "infra/example.bicepparam"), "utf8");
    const settings = [...text.matchAll(/setting: '(\w+)'/g)].map(([, name = ""]) => name);
    expect(settings).toHaveLength(2);
    for (const passwordSetting of settings) expect(passwordSetting).toMatch(/^CYCLECLOUD_PASSWORD/);
  });

  test("main.parameters.json names parameters of main.bicep only, and all that have no default", async () => {
    const { default: json } = await import("../../../infra/main.parameters.json", { with: { type: "json" } });
    const named = Object.keys(json.parameters);
    const needed = main?.parameters.filter(({ hasDefault }) => !hasDefault).map(({ name }) => name) ?? [];
    expect(named.filter((name) => !parameters.includes(name))).toEqual([]);
    expect(needed.filter((name) => !named.includes(name))).toEqual([]);
  });
});

describe("azd", () => {
  const parameters = readFileSync(join(root, "infra/main.parameters.json"), "utf8");

  test("deploys, as the pipeline and the guides do, with the script that takes the right to write the package away again", () => {
    const paths = ["azure.yaml", ".github/workflows/deploy-to.yml", "docs/deploy.md", "docs/hand-over.md"];
    for (const path of paths) {
      const text = readFileSync(join(root, path), "utf8");
      expect(text).toMatch(/npm run (-s )?deploy -- -g /);
      expect(text).not.toMatch(/config-zip|azd:? deploy/);
    }
  });

  test("takes whoever runs it for what they are, a person or a pipeline", () => {
    expect(parameters).not.toMatch(/"principalType": "\w+"/);
    expect(parameters.match(/"principalType": "\$\{AZURE_PRINCIPAL_TYPE=User\}"/g)).toHaveLength(2);
  });

  test("variables that documents set are those of main.parameters.json", () => {
    const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root }).map((path) =>
      readFileSync(join(root, path), "utf8"),
    );
    const set = pages.flatMap((page) =>
      [...page.matchAll(/azd env set(?:-secret)? ([A-Z]\w+)/g)].map(([, name = ""]) => name),
    );
    expect(set.length).toBeGreaterThan(1);
    expect(set.filter((name) => !parameters.includes(`\${${name}=`))).toEqual([]);
    // A password in the environment is plain text, and breaks the parameters when it has quotes in it.
    expect(pages.join("\n")).not.toMatch(/azd env set CYCLECLOUD_PASSWORD/);
  });

  test("variables of main.parameters.json are in docs/deploy-settings.md", () => {
    const guide = readFileSync(join(root, "docs/deploy-settings.md"), "utf8");
    const variables = [...parameters.matchAll(/\$\{(AUTOSCALE_\w+)/g)].map(([, name = ""]) => name);
    expect(variables.length).toBeGreaterThan(5);
    expect(variables.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
