import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BlobServiceClient } from "@azure/storage-blob";
import { parse } from "jsonc-parser";
import { globSync } from "tinyglobby";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { delegatedScope } from "../../../functions/support/entra-token.ts";
import { settingNames } from "../../../functions/support/settings.ts";
import { loadApp } from "../../../infra/local/functions-host/index.ts";
import { appRoles } from "../../../shared/api/index.ts";
import * as names from "../../../shared/app/names.ts";
import { metrics } from "../../../shared/ports/index.ts";
import { createAzureStores } from "../../../shared/stores/azure/index.ts";
import { propertiesOf, propertyOf, readBicep, stringOf, stringsOf, walk } from "./bicep-file.ts";

const root = join(import.meta.dirname, "../../..");
const bicep = (name: string) => readBicep(join(root, "infra", name));
const json = (path: string) => parse(readFileSync(join(root, path), "utf8"));

const main = bicep("main.bicep");
const storage = bicep("modules/storage.bicep");
const serviceBus = bicep("modules/service-bus.bicep");
const functionApp = bicep("modules/function-app.bicep");

interface Trigger {
  readonly type: string;
  readonly queueName?: string;
  readonly connection?: string;
  readonly schedule?: string;
  readonly isSessionsEnabled?: boolean;
}

/** Every trigger that the code registers, by the name of its function. */
let triggers: ReadonlyMap<string, Trigger>;

beforeAll(async () => {
  for (const [name, value] of Object.entries(json("local.settings.example.json").Values))
    vi.stubEnv(name, String(value));
  const { registry } = await loadApp({ appDir: root, main: "functions/*.ts", log: () => undefined });
  triggers = new Map(
    [...registry.functions].map(([name, { metadata }]) => {
      const bindings = Object.values(metadata.bindings) as unknown as Trigger[];
      const trigger = bindings.find(({ type }) => /trigger$/i.test(type));
      return [name, trigger ?? { type: "none" }];
    }),
  );
});

afterAll(() => {
  vi.unstubAllEnvs();
});

/** What the code has and Bicep lacks, and the other way round, with what to do about it. */
function differences(
  what: string,
  used: readonly string[],
  declared: readonly string[],
  where: string,
): string[] {
  return [
    ...used
      .filter((name) => !declared.includes(name))
      .map((name) => `${what} "${name}" is used by the code: add it to ${where}`),
    ...declared
      .filter((name) => !used.includes(name))
      .map((name) => `${what} "${name}" is not used: take it out of ${where}`),
  ];
}

function storeNames() {
  const containers: string[] = [];
  const tables: string[] = [];
  const account = BlobServiceClient.fromConnectionString("UseDevelopmentStorage=true");
  const open = account.getContainerClient.bind(account);
  account.getContainerClient = (name) => {
    containers.push(name);
    return open(name);
  };
  createAzureStores({
    blob: account,
    table: (name) => {
      tables.push(name);
      // Nothing is read here.
      return {} as never;
    },
    parseConfig: () => Promise.reject(new Error("nothing is read here")),
  });
  return { containers: [...new Set(containers)], tables: [...new Set(tables)] };
}

describe("one list of names", () => {
  test("containers and tables are those that the stores use", () => {
    const used = storeNames();
    expect([
      ...differences(
        "container",
        used.containers,
        stringsOf(main, "containers"),
        "var containers, infra/main.bicep",
      ),
      ...differences(
        "table",
        used.tables,
        stringsOf(storage, "tables"),
        "var tables, infra/modules/storage.bicep",
      ),
    ]).toEqual([]);
  });

  test("lifecycle rules are for containers that there are", () => {
    const prefixes = walk(storage.root).flatMap((node) => stringOf(node)?.match(/^([\w-]+)\/$/)?.[1] ?? []);
    expect(prefixes).toEqual(["demand-uploads", "demand", "plans"]);
    expect(stringsOf(main, "containers")).toEqual(expect.arrayContaining(prefixes));
  });

  test("storage queues are those of the triggers", () => {
    const used = [...triggers.values()]
      .filter(({ type }) => type === "queueTrigger")
      .map(({ queueName = "" }) => queueName);
    expect(
      differences("queue", used, stringsOf(storage, "queues"), "var queues, infra/modules/storage.bicep"),
    ).toEqual([]);
  });

  test("Service Bus queues are those of the triggers, with sessions where the triggers want them", () => {
    const bus = [...triggers.values()].filter(({ type }) => type === "serviceBusTrigger");
    const main = bus.filter(({ queueName = "" }) => !queueName.includes("/"));
    const declared = new Map(queuesInBicep().map(({ name, properties }) => [name, properties]));
    const used = main.map(({ queueName = "" }) => queueName);
    expect(differences("queue", used, [...declared.keys()], "infra/modules/service-bus.bicep")).toEqual([]);
    expect(main.map(({ queueName = "" }) => declared.get(queueName)?.requiresSession)).toEqual(
      main.map(({ isSessionsEnabled = false }) => isSessionsEnabled),
    );
    const dead = bus.filter(({ queueName = "" }) => queueName.includes("/"));
    expect(dead.map(({ queueName = "" }) => queueName.replace("/$DeadLetterQueue", "")).toSorted()).toEqual(
      used.toSorted(),
    );
  });

  test("the emulator's queues have the properties of Bicep's", () => {
    const [namespace] = json("infra/local/environment/service-bus.json").UserConfig.Namespaces;
    const emulated = namespace.Queues.map((queue: { Name: string; Properties: Record<string, unknown> }) => ({
      name: queue.Name,
      properties: {
        deadLetteringOnMessageExpiration: false,
        ...Object.fromEntries(
          Object.entries(queue.Properties).map(([key, value]) => [
            `${key[0]?.toLowerCase()}${key.slice(1)}`,
            value,
          ]),
        ),
      },
    }));
    expect(emulated).toEqual(queuesInBicep());
  });

  test("the Event Grid subscription names a function of that trigger", () => {
    const [parameter] = bicep("event-subscription.bicep").parameters.filter(
      ({ name }) => name === "functionName",
    );
    const subscribed = stringOf(parameter?.node.namedChildren[2]);
    const triggered = [...triggers]
      .filter(([, { type }]) => type === "eventGridTrigger")
      .map(([name]) => name);
    expect(triggered).toEqual([subscribed]);
  });

  test("queues and containers of a scheduler's rights are those of the code", () => {
    const scheduler = bicep("modules/scheduler-access.bicep");
    const named = scheduler.resources.flatMap(({ body }) => stringOf(propertyOf(body, "name")) ?? []);
    expect(named).toEqual(expect.arrayContaining([names.jobDemandQueue, "demand-uploads"]));
  });

  test("operators reach every container and table of the app, and nothing else of the storage account", () => {
    const operators = bicep("modules/operator-access.bicep");
    const containers = [
      ...stringsOf(operators, "changedContainers"),
      ...stringsOf(operators, "shownContainers"),
    ];
    expect(containers.toSorted()).toEqual(stringsOf(main, "containers").toSorted());
    const tables = [...stringsOf(operators, "changedTables"), ...stringsOf(operators, "shownTables")];
    expect(tables.toSorted()).toEqual(stringsOf(storage, "tables").toSorted());
    const scopes = operators.resources
      .filter(({ type }) => type === "Microsoft.Authorization/roleAssignments")
      .map(({ body }) => propertyOf(body, "scope")?.text);
    expect(scopes).toEqual([
      "changed[index]",
      "shown[index]",
      "rejections[index]",
      "tables[index]",
      "demand",
      "plans",
    ]);
  });
});

describe("one list of settings", () => {
  const set = [...stringsOf(functionApp, "ownSettings"), ...stringsOf(functionApp, "entraSettings")];
  /** Read by the Functions host and its extensions, not by our code. */
  const ofTheHost =
    /^(AzureWebJobsStorage|AutoscaleStorage|ServiceBusConnection)__|^APPLICATIONINSIGHTS_|^AzureFunctionsJobHost__/;
  /** The other forms of a connection: by account name, or locally by connection string. */
  const alternatives = [
    names.storageConnection,
    `${names.storageConnection}__accountName`,
    names.serviceBusConnection,
  ];

  test("every setting that the code reads is set in Bicep", () => {
    const missing = settingNames.filter((name) => !set.includes(name) && !alternatives.includes(name));
    expect(missing.map((name) => `add ${name} to ownSettings, infra/modules/function-app.bicep`)).toEqual([]);
  });

  test("every setting in Bicep is read by the code or by the host", () => {
    const pairs = walk(functionApp.root)
      .filter(({ type }) => type === "object")
      .flatMap((object) => stringOf(propertyOf(object, "name")) ?? []);
    expect(pairs.length).toBeGreaterThan(10);
    expect(
      pairs
        .filter((name) => /^[A-Z]/.test(name) && name !== "FC1")
        .filter((name) => !settingNames.includes(name) && !ofTheHost.test(name)),
    ).toEqual([]);
  });

  test("connections and schedules of triggers are settings in Bicep", () => {
    const wanted = [...triggers.values()].flatMap(({ connection, schedule }) => [
      ...(connection === undefined ? [] : [`${connection}__credential`, `${connection}__clientId`]),
      ...(schedule === undefined ? [] : [schedule.replaceAll("%", "")]),
    ]);
    expect(wanted.length).toBeGreaterThan(5);
    expect([...new Set(wanted)].filter((name) => !set.includes(name))).toEqual([]);
  });

  test("the local settings name nothing that Azure does not have", () => {
    const local = Object.keys(json("local.settings.example.json").Values);
    const known = [...settingNames, "FUNCTIONS_WORKER_RUNTIME", "AzureWebJobsStorage", "CYCLECLOUD_PASSWORD"];
    expect(local.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe("the app registration", () => {
  const { api, appRoles: roles } = json("infra/entra/registration.json");
  const ids = new Map<string, string>(
    roles.map((role: { value: string; id: string }) => [role.value, role.id]),
  );

  test("has the roles that the app asks for, for people and applications", () => {
    expect([...ids.keys()].toSorted()).toEqual([...new Set(Object.values(appRoles).flat())].toSorted());
    for (const role of roles)
      expect(role).toMatchObject({ allowedMemberTypes: ["User", "Application"], isEnabled: true });
  });

  test("has the scope that the app asks for, and lets the Azure CLI have it", () => {
    const [{ id, value }] = api.oauth2PermissionScopes;
    expect(value).toBe(delegatedScope);
    const [{ delegatedPermissionIds }] = json("infra/entra/clients.json").api.preAuthorizedApplications;
    expect(delegatedPermissionIds).toEqual([id]);
  });

  test("has its tokens made out to the client id, which is the audience that the app expects", () => {
    expect(api.requestedAccessTokenVersion).toBe(2);
  });

  test("has its roles with their ids in docs/deploy-settings.md", () => {
    const lines = readFileSync(join(root, "docs/deploy-settings.md"), "utf8").split("\n");
    for (const [role, id] of ids)
      expect(lines.filter((line) => line.startsWith(`| \`${role}\` | \`${id}\` |`))).toHaveLength(1);
  });
});

describe("host.json", () => {
  test("every value has its reason in infra/README.md", () => {
    const readme = readFileSync(join(root, "infra/README.md"), "utf8");
    const leaves = (value: unknown, path: string): string[] =>
      typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, child]) => leaves(child, path === "" ? key : `${path}.${key}`))
        : [path];
    const unexplained = leaves(json("host.json"), "").filter(
      (path) => !["version", "extensionBundle.id"].includes(path) && !readme.includes(`\`${path}\``),
    );
    expect(unexplained).toEqual([]);
  });
});

describe("telemetry in the docs", () => {
  const page = readFileSync(join(root, "docs/operate.md"), "utf8");
  const overview = globSync("docs/*.md", { cwd: root })
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");

  test("every metric is in the table of docs/operate.md", () => {
    const missing = Object.entries(metrics).filter(
      ([name, { kind, says }]) =>
        !page.split("\n").some((line) => [`\`${name}\``, kind, says].every((part) => line.includes(part))),
    );
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  test("every event of a log line is explained in docs", () => {
    const sources = globSync(["shared/**/*.ts", "functions/**/*.ts"], { cwd: root });
    const events = sources.flatMap((file) =>
      [
        ...readFileSync(join(root, file), "utf8").matchAll(/log\??\.(?:info|warn|error)\(\s*"([a-z-]+)"/g),
      ].map(([, event = ""]) => event),
    );
    expect(events.length).toBeGreaterThan(20);
    expect([...new Set(events)].filter((event) => !overview.includes(`\`${event}\``))).toEqual([]);
  });
});

/** Name and properties of every queue of service-bus.bicep; the properties are variables there. */
function queuesInBicep() {
  const queues = serviceBus.resources.filter(({ type }) => type.endsWith("/queues"));
  return queues.map(({ body }) => {
    const variable = propertyOf(body, "properties")?.text;
    const node = serviceBus.variables.find(({ name }) => name === variable)?.node;
    const object = node === undefined ? undefined : walk(node).find(({ type }) => type === "object");
    const pairs = object === undefined ? [] : propertiesOf(object);
    const properties: Record<string, string | number | boolean> = Object.fromEntries(
      pairs.map(({ key, value }) => [key, stringOf(value) ?? JSON.parse(value.text)]),
    );
    return { name: stringOf(propertyOf(body, "name")) ?? "", properties };
  });
}
