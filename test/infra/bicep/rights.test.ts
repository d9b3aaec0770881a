import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { parseBicep, readBicep } from "./bicep-file.ts";
import { rightsIn } from "./rights.ts";

const root = join(import.meta.dirname, "../../..");

/** Whom a module gives its roles to; of the vault, each by its own name. */
const modules = [
  { file: "roles.bicep", who: "the app" },
  { file: "key-vault-access.bicep", who: "the app; an entry of `passwordRotators`" },
  { file: "scheduler-access.bicep", who: "a scheduler's host" },
  { file: "operator-access.bicep", who: "an operator" },
  { file: "event-grid.bicep", who: "CycleCloud (`cycleCloudPrincipalId`)" },
];

test("every module that assigns a role is in the table", () => {
  const assigning = globSync("infra/**/*.bicep", { cwd: root })
    .filter((path) =>
      readFileSync(join(root, path), "utf8").includes("Microsoft.Authorization/roleAssignments@"),
    )
    .map((path) => path.replace("infra/modules/", ""));
  expect(assigning.toSorted()).toEqual(modules.map(({ file }) => file).toSorted());
});

test("the table of rights in docs/deploy-settings.md is what the Bicep files say; -u writes it", async () => {
  const rows = modules.flatMap(({ file, who }) => {
    const rights = rightsIn(readBicep(join(root, "infra/modules", file)));
    const names = who.split("; ");
    return rights.map(
      ({ role, on, why }, index) =>
        `| ${names[Math.min(index, names.length - 1)]} | ${role} | ${on} | ${why} |`,
    );
  });
  const table = ["| who | role | on | why |", "|---|---|---|---|", ...rows].join("\n");
  const path = join(root, "docs/deploy-settings.md");
  const page = readFileSync(path, "utf8");
  const rest = /(?<=## Who may do what\n\n)\|[\s\S]*?(?=\n\n)/;
  expect(page).toMatch(rest);
  await expect(page.replace(rest, () => table)).toMatchFileSnapshot(path);
});

describe("no function can replace its own code", () => {
  const roles = readBicep(join(root, "infra/modules/roles.bicep"));
  const main = readFileSync(join(root, "infra/main.bicep"), "utf8");
  /** The parameters that a module gets in main.bicep. */
  const passed = (name: string) =>
    new RegExp(`^module ${name} '[\\s\\S]*?^[}\\]]`, "m").exec(main)?.[0].replaceAll(/ +/g, " ") ?? "";

  test("the app runs what is in an account of its own, in which its data is not", () => {
    expect(passed("functionApp")).toMatch(/'\$\{packages\.outputs\.blobEndpoint\}deployments'/);
    expect(passed("packages")).toContain("containers: ['deployments']");
    expect(passed("data")).toContain("containers: containers");
    expect(main).not.toMatch(/var containers = .*deployments/);
    expect(passed("roles")).toMatch(/storageName: data\.outputs[\s\S]*packageStorageName: packages\.outputs/);
    expect(passed("functionApp")).toMatch(/ blobEndpoint: data\.outputs/);
  });

  test("of that account the app's only right is to read", () => {
    const ofPackages = rightsIn(roles).filter(({ on }) => on.includes("deployments"));
    expect(ofPackages.map(({ role }) => role)).toEqual(["Storage Blob Data Reader"]);
    const others = [...main.matchAll(/^module (\w+)/gm)].filter(([, name = ""]) =>
      /packages\.outputs\.(name|id)/.test(passed(name)),
    );
    expect(others.map(([, name]) => name)).toEqual(["roles", "endpoints"]);
  });
});

test("a right without a reason is named", () => {
  const text = `var reader = '2a2b9908-6ea1-4ae2-8e65-a410df84e7d1'
resource account 'Microsoft.Storage/storageAccounts@2025-01-01' existing = {
  name: 'a'
}

resource looks 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: 'x'
  scope: account
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', reader)
  }
}
`;
  expect(() => rightsIn(parseBicep("some.bicep", text))).toThrow('Say why above "looks" in some.bicep');
  const reasoned = text.replace("resource looks", "// Why: views.\nresource looks");
  expect(rightsIn(parseBicep("some.bicep", reasoned))).toEqual([
    { role: "Storage Blob Data Reader", on: "the storage account", why: "views" },
  ]);
});
