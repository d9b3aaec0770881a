import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { cruise, type IModule } from "dependency-cruiser";
import { globSync } from "tinyglobby";
import { beforeAll, describe, expect, test } from "vitest";
import house from "../.dependency-cruiser.ts";
import { ownFolder } from "./support/own-folder.ts";

const root = join(import.meta.dirname, "..");
const files = globSync("{shared,functions,clients,infra}/**/*.{ts,tsx}", {
  cwd: root,
  ignore: ["**/node_modules/**", "**/dist/**"],
});

/** What the files of a folder import, and which of our rules that breaks. */
async function graphOf(folder: string, entries: readonly string[]) {
  const { output } = await cruise([...entries], {
    ...house.options,
    baseDir: folder,
    ruleSet: { forbidden: house.forbidden },
    validate: true,
  });
  if (typeof output === "string") throw new Error(`Cannot read imports: ${output}`);
  return output;
}

/**
 * A breach of each rule: a file, and what it imports. `npm run lint` checks that the sources have none (`depcruise`); this table
 * checks that it would find one.
 */
const planted = [
  ["floor-pure", "shared/engine/index.ts", "shared/accounting/index.ts"],
  ["floor-small", "shared/text/text.ts", "shared/messages/index.ts"],
  ["floor-messages", "shared/messages/index.ts", "shared/ports/index.ts"],
  ["floor-contracts", "shared/ports/index.ts", "shared/stores/azure/index.ts"],
  ["floor-adapters", "shared/stores/azure/index.ts", "shared/queues/storage-queue/index.ts"],
  ["floor-prices", "shared/prices/index.ts", "shared/price-list/index.ts"],
  ["floor-cycle", "shared/cycle/plan/plan-scale.ts", "shared/stores/azure/index.ts"],
  ["floor-views", "shared/views/index.ts", "shared/operate/index.ts"],
  ["floor-operate", "shared/operate/index.ts", "shared/service/index.ts"],
  ["floor-service", "shared/service/index.ts", "functions/plan-scale.ts"],
  ["every-room-has-a-floor", "shared/service/index.ts", "shared/new-room/index.ts"],
  ["every-room-has-a-floor", "functions/plan-scale.ts", "shared/new-room/index.ts"],
  ["every-room-has-a-floor", "shared/text/text.ts", "shared/loose.ts"],
  ["packages-of-api", "shared/api/index.ts", "tinyqueue"],
  ["packages-of-backtest", "shared/backtest/index.ts", "node:fs"],
  ["packages-of-config", "shared/config/index.ts", "@azure/identity"],
  ["packages-of-cycle", "shared/cycle/plan/plan-scale.ts", "node:fs"],
  ["packages-of-cyclecloud", "shared/cyclecloud/index.ts", "@azure/storage-blob"],
  ["packages-of-text", "shared/text/text.ts", "node:fs"],
  ["packages-of-time", "shared/time/recurring.ts", "node:fs"],
  ["packages-of-messages", "shared/messages/index.ts", "@azure/service-bus"],
  ["packages-of-price-list", "shared/price-list/index.ts", "node:fs"],
  ["packages-of-queues", "shared/queues/service-bus/index.ts", "@azure/data-tables"],
  ["packages-of-service", "shared/service/index.ts", "@azure/identity"],
  ["packages-of-simulated-cyclecloud", "shared/simulated-cyclecloud/index.ts", "hono"],
  ["packages-of-stores", "shared/stores/azure/index.ts", "@azure/service-bus"],
  ["packages-of-telemetry", "shared/telemetry/index.ts", "zod"],
  ["packages-of-webhooks", "shared/webhooks/index.ts", "node:http"],
  ["no-packages", "shared/engine/model/job.ts", "zod"],
  ["no-packages", "shared/engine/index.ts", "node:crypto"],
  ["rooms-of-engine", "shared/engine/index.ts", "shared/engine/new-room/index.ts"],
  ["story-of-engine-values", "shared/engine/values/units.ts", "shared/engine/constraints/subject.ts"],
  ["story-of-engine-constraints", "shared/engine/constraints/subject.ts", "shared/engine/model/job.ts"],
  ["story-of-engine-model", "shared/engine/model/job.ts", "shared/engine/ledger/open-ledger.ts"],
  ["story-of-engine-values", "shared/engine/values/scalar.ts", "shared/engine/constraints/index.ts"],
  [
    "story-of-engine-constraints",
    "shared/engine/constraints/index.ts",
    "shared/engine/ledger/open-ledger.ts",
  ],
  ["story-of-engine-limits", "shared/engine/limits/limits.ts", "shared/engine/ledger/open-ledger.ts"],
  ["story-of-engine-ledger", "shared/engine/ledger/open-ledger.ts", "shared/engine/place/allocate.ts"],
  ["story-of-engine-place", "shared/engine/place/allocate.ts", "shared/engine/outcome/outcome.ts"],
  ["story-of-engine-outcome", "shared/engine/outcome/outcome.ts", "shared/engine/plan.ts"],
  ["story-of-engine-plan.ts", "shared/engine/plan.ts", "shared/engine/index.ts"],
  ["rooms-of-cycle", "shared/cycle/index.ts", "shared/cycle/new-room/measure.ts"],
  ["story-of-cycle-top", "shared/cycle/doubts.ts", "shared/cycle/demand/accept-demand.ts"],
  ["story-of-cycle-demand", "shared/cycle/demand/accept-demand.ts", "shared/cycle/account/spend.ts"],
  ["story-of-cycle-account", "shared/cycle/account/spend.ts", "shared/cycle/snapshot/snapshot-cluster.ts"],
  ["story-of-cycle-snapshot", "shared/cycle/snapshot/snapshot-cluster.ts", "shared/cycle/plan/plan-scale.ts"],
  ["story-of-cycle-plan", "shared/cycle/plan/plan-scale.ts", "shared/cycle/execute/execute-action.ts"],
  ["story-of-cycle-execute", "shared/cycle/execute/execute-action.ts", "shared/cycle/index.ts"],
  ["door", "shared/cycle/doubts.ts", "shared/ports/clock.ts"],
  ["door-from-outside", "clients/dashboard/parts/table.tsx", "shared/api/routes.ts"],
  ["door-for-tests", "test/functions/wire.test.ts", "shared/cycle/doubts.ts"],
  ["door-for-neighbours", "test/shared/views/status.test.ts", "shared/cycle/doubts.ts"],
  ["no-way-back-through-the-door", "shared/views/status.ts", "shared/views/index.ts"],
  ["circle", "clients/dashboard/parts/cell.tsx", "clients/dashboard/parts/table.tsx"],
  ["unresolved", "functions/plan-scale.ts", "functions/support/missing.ts"],
  ["sides", "clients/dashboard/parts/table.tsx", "functions/plan-scale.ts"],
  ["product-without-tests", "clients/cli/main.ts", "test/functions/wire.test.ts"],
  ["functions-sdk", "clients/cli/main.ts", "@azure/functions"],
  ["drivers", "clients/agent/drivers/slurm/index.ts", "shared/cycle/index.ts"],
  ["packages-of-drivers", "clients/agent/drivers/slurm/index.ts", "node:fs"],
  ["programs", "clients/cli/main.ts", "node:child_process"],
  ["tokens", "functions/plan-scale.ts", "jose"],
  ["brokers", "clients/agent/drivers/slurm/index.ts", "amqplib"],
  ["composition", "functions/plan-scale.ts", "shared/config/index.ts"],
] as const;

describe("rules of imports", () => {
  const found = new Set<string>();

  beforeAll(async () => {
    const folder = ownFolder();
    const texts = new Map<string, string>();
    for (const [rule, file, imported] of planted) {
      const isOurs = /\.tsx?$/.test(imported);
      const specifier = isOurs ? `./${relative(dirname(file), imported)}` : imported;
      // Every second one is a type, which counts as well.
      const kind = (texts.get(file) ?? "").includes("import type") ? "" : "type ";
      texts.set(file, `${texts.get(file) ?? ""}import ${kind}{ a } from "${specifier}";\n`);
      if (isOurs && rule !== "unresolved") texts.set(imported, texts.get(imported) ?? "");
    }
    // The way back, which makes it a circle.
    texts.set(
      "clients/dashboard/parts/table.tsx",
      `${texts.get("clients/dashboard/parts/table.tsx")}import "./cell.tsx";\n`,
    );
    for (const [file, text] of texts) {
      await mkdir(folder(dirname(file)), { recursive: true });
      await writeFile(folder(file), text);
    }
    const { summary } = await graphOf(folder(), ["shared", "functions", "clients", "test"]);
    for (const { rule, from, to } of summary.violations)
      found.add(`${rule.name}: ${from} → ${to.startsWith(".") ? join(dirname(from), to) : to}`);
  });

  test("every rule has a planted breach", () => {
    const rules = new Set(planted.map(([rule]) => rule));
    expect(house.forbidden.map(({ name }) => name).filter((name) => !rules.has(name as never))).toEqual([]);
  });

  test.each(planted)("%s: %s must not import %s", (rule, file, imported) => {
    // Node's own modules are named without their prefix.
    expect([...found]).toContain(`${rule}: ${file} → ${imported.replace(/^node:/, "")}`);
  });
});

describe("what is loaded at once", () => {
  let modules: ReadonlyMap<string, IModule>;

  beforeAll(async () => {
    const graph = await graphOf(root, ["clients/cli"]);
    modules = new Map(graph.modules.map((module) => [module.source, module]));
  });

  /** What a file of ours loads as soon as it is loaded itself, our own files and packages. */
  function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
    for (const { resolved, module, dependencyTypes, dynamic } of modules.get(file)?.dependencies ?? []) {
      const isCore = dependencyTypes.includes("core");
      const loaded = dependencyTypes.includes("local") ? resolved : isCore ? `node:${module}` : module;
      if (dependencyTypes.includes("type-only") || dynamic || seen.has(loaded)) continue;
      seen.add(loaded);
      loadedWith(resolved, seen);
    }
    return seen;
  }

  test("a look loads neither an SDK of Azure's services nor the service's own views", () => {
    const seen = new Set<string>();
    for (const name of ["main", "program", "commands/status", "commands/nodes", "commands/explain"])
      loadedWith(`clients/cli/${name}.ts`, seen);
    expect(seen).toContain("@azure/core-rest-pipeline");
    expect([...seen].filter((of) => of.startsWith("@azure/"))).toEqual(["@azure/core-rest-pipeline"]);
    expect([...seen].filter((of) => /^shared\/(stores|cycle|views|operate|service)\//.test(of))).toEqual([]);
  });

  test("config push checks a configuration for secrets without the service's own rooms", () => {
    const seen = [...loadedWith("clients/cli/commands/config-push.ts")];
    expect(seen).toContain("shared/text/redact.ts");
    expect(seen.filter((of) => /^shared\/(cycle|views|operate|service)\//.test(of))).toEqual([]);
  });

  test("the list of all commands loads none of them, and nothing of the service", () => {
    const seen = [...loadedWith("clients/cli/program.ts")];
    expect(seen.filter((of) => of.startsWith("clients/cli/commands/"))).toEqual([
      "clients/cli/commands/node-actions.ts",
    ]);
    expect(seen.filter((of) => !of.startsWith("clients/cli/") && !of.startsWith("node:"))).toEqual([
      "commander",
    ]);
  });
});

describe("what is written in files", () => {
  test("drivers are data in, data out: no clock, no chance, no process, no log", () => {
    const impure =
      /\b(Date\.now|new Date\(\)|Math\.random|console\.|process\.|performance\.|setTimeout|fetch\()/;
    const breaches = files
      .filter((file) => file.startsWith("clients/agent/drivers/"))
      .filter((file) =>
        impure.test(readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")),
      );
    expect(breaches).toEqual([]);
  });

  test("the engine reads no clock, draws nothing at random and logs nothing", () => {
    const impure = /\b(Date\.now|new Date\(\)|Math\.random|console\.|process\.|performance\.|setTimeout)/;
    const breaches = files
      .filter((file) => file.startsWith("shared/engine/"))
      .filter((file) =>
        impure.test(readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")),
      );
    expect(breaches).toEqual([]);
  });

  test("JSON from outside is read in one place", () => {
    // What they read is their own: records of a store, files of their own making, a copy of a value.
    const own =
      /^shared\/(json\/json|text\/redact|api\/openapi|views\/show-support|cycle\/demand\/reject|messages\/problems|stores\/(in-memory|azure)\/[\w-]+)\.ts$|^clients\/agent\/(lock|outbox|state)\.ts$|^clients\/cli\/(version|commands\/replay|output\/rejection-report)\.ts$/;
    const breaches = files
      .filter((file) => /^(shared|functions|clients)\//.test(file) && !own.test(file))
      .filter((file) => readFileSync(join(root, file), "utf8").includes("JSON.parse("));
    expect(breaches).toEqual([]);
  });

  test("the files that run programs run them without a shell", () => {
    for (const file of ["clients/agent/execute.ts", "clients/cli/help/pager.ts"])
      expect(readFileSync(join(root, file), "utf8")).not.toMatch(/\bexec\(|shell\s*:/);
  });
});
