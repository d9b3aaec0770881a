import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { circlesIn } from "./suite/circles.ts";

const root = join(import.meta.dirname, "..");
const files = globSync(
  ["shared/**/*.ts", "functions/**/*.ts", "clients/**/*.ts", "infra/local/**/*.ts", "infra/package/**/*.ts"],
  {
    cwd: root,
  },
);

interface Import {
  readonly file: string;
  /** A path from the root for our own modules, else the package or `node:` name. */
  readonly of: string;
  readonly isTypeOnly: boolean;
  /** Loaded when it is needed, by `import()`. */
  readonly isLazy: boolean;
}

const statement =
  /^\s*(?:import|export)\s+(type\s)?[^"';]*?from\s*"([^"]+)"|^\s*import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(statement)].map((match) => {
    const specifier = match[2] ?? match[3] ?? match[4] ?? "";
    const of = specifier.startsWith(".") ? relative(root, join(root, dirname(file), specifier)) : specifier;
    return { file, of, isTypeOnly: match[1] !== undefined, isLazy: match[4] !== undefined };
  });
}

const imports = files.flatMap(importsOf);

/** The part of the house that a file belongs to. */
function partOf(path: string): string {
  const parts = path.split("/");
  if (path.startsWith("clients/agent/drivers/") && path !== "clients/agent/drivers/index.ts")
    return "clients/agent/drivers";
  if (parts[0] !== "shared") return parts[0] === "infra" ? "infra/local" : (parts[0] ?? "");
  return `shared/${parts[1]}`;
}

/** Who may import whom, besides itself. Packages are named one by one: a part talks to its own SDK only. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  "shared/accounting": [],
  "shared/engine": [],
  "shared/names": ["shared/engine", "shared/text", "shared/json"],
  "shared/app": [],
  "shared/text": ["zod", "shared/json", "shared/app"],
  "shared/errors": ["shared/text"],
  "shared/ports": ["shared/accounting", "shared/engine", "shared/facts", "shared/messages"],
  "shared/collections": [],
  "shared/facts": [],
  "shared/json": [],
  "shared/machine": [],
  "shared/messages": ["shared/json", "shared/engine", "shared/text", "zod", "node:*"],
  "shared/api": ["shared/accounting", "shared/engine", "shared/messages", "zod", "shared/json"],
  "shared/prices": ["shared/engine", "shared/facts", "shared/ports"],
  "shared/price-list": [
    "shared/collections",
    "shared/text",
    "shared/errors",
    "shared/facts",
    "shared/json",
    "shared/machine",
    "shared/ports",
    "zod",
    "@azure/core-rest-pipeline",
  ],
  "shared/webhooks": ["shared/ports", "shared/machine", "shared/text", "@azure/core-rest-pipeline"],
  "shared/telemetry": [
    "shared/ports",
    "shared/errors",
    "@azure/identity",
    "@azure/monitor-opentelemetry-exporter",
    "@opentelemetry/api",
    "@opentelemetry/resources",
    "@opentelemetry/sdk-metrics",
    "@opentelemetry/sdk-trace-base",
  ],
  "shared/cycle": [
    "shared/text",
    "shared/accounting",
    "shared/collections",
    "shared/ports",
    "shared/api",
    "shared/engine",
    "shared/prices",
    "shared/errors",
    "shared/json",
    "shared/messages",
  ],
  "shared/views": [
    "shared/app",
    "shared/text",
    "shared/names",
    "shared/accounting",
    "shared/json",
    "shared/cycle",
    "shared/api",
    "shared/engine",
    "shared/ports",
    "shared/errors",
    "shared/collections",
    "shared/messages",
  ],
  "shared/operate": [
    "shared/text",
    "shared/names",
    "shared/cycle",
    "shared/views",
    "shared/api",
    "shared/engine",
    "shared/ports",
    "shared/errors",
    "shared/json",
    "shared/collections",
    "shared/messages",
  ],
  "shared/service": [
    "shared/cycle",
    "shared/operate",
    "shared/views",
    "shared/api",
    "shared/ports",
    "shared/errors",
    "shared/messages",
    "shared/text",
    "zod",
  ],
  "shared/config": [
    "shared/names",
    "shared/text",
    "shared/machine",
    "shared/json",
    "shared/engine",
    "shared/ports",
    "shared/errors",
    "shared/facts",
    "zod",
    "node:*",
  ],
  "shared/cyclecloud": [
    "shared/machine",
    "shared/engine",
    "shared/ports",
    "shared/errors",
    "shared/json",
    "shared/text",
    "shared/facts",
    "shared/messages",
    "zod",
    "@azure/core-rest-pipeline",
    "node:*",
  ],
  "shared/stores": [
    "shared/accounting",
    "shared/ports",
    "shared/engine",
    "shared/errors",
    "shared/collections",
    "shared/json",
    "shared/text",
    "shared/messages",
    "@azure/data-tables",
    "@azure/storage-blob",
    "@azure/storage-queue",
    "@azure/core-rest-pipeline",
    "@azure/identity",
    "zod",
    "node:*",
  ],
  "shared/queues": [
    "shared/ports",
    "shared/engine",
    "shared/errors",
    "shared/text",
    "shared/messages",
    "@azure/service-bus",
    "@azure/storage-blob",
    "@azure/storage-queue",
    "node:*",
  ],
  "shared/backtest": [
    "shared/text",
    "shared/accounting",
    "shared/cycle",
    "shared/engine",
    "shared/messages",
    "shared/ports",
    "shared/prices",
    "shared/simulated-cyclecloud",
    "pure-rand/distribution/uniformInt",
    "pure-rand/generator/mersenne",
    "tinyqueue",
    "zod",
  ],
  "shared/simulated-cyclecloud": [
    "shared/facts",
    "shared/json",
    "zod",
    "pure-rand/distribution/uniformFloat64",
    "pure-rand/distribution/uniformInt",
    "pure-rand/generator/mersenne",
    "tinyqueue",
    "node:*",
  ],
  "clients/agent/drivers": ["shared/engine", "shared/messages", "zod", "shared/json"],
};

describe("dependency rule", () => {
  test("the imports are found", () => {
    expect(imports.length).toBeGreaterThan(300);
    expect(imports).toContainEqual({
      file: "functions/plan-scale.ts",
      of: "@azure/functions",
      isTypeOnly: false,
      isLazy: false,
    });
  });

  for (const [part, others] of Object.entries(allowed)) {
    test(`${part} imports only ${others.join(", ") || "itself"}`, () => {
      const breaches = imports
        .filter(({ file }) => partOf(file) === part)
        .filter(({ of }) => {
          const isOurs = /^(shared|functions|clients|infra)\//.test(of);
          const target = isOurs ? partOf(of) : of.replace(/^node:.*/, "node:*");
          return target !== part && !others.includes(target);
        });
      expect(breaches).toEqual([]);
    });
  }

  /** `index.ts` of a folder of `shared`; a folder with one room per SDK has one in each room instead. */
  const doors = new Set(files.filter((file) => /^shared\/[\w-]+\/index\.ts$/.test(file)));
  const roomDoors = new Set(
    files.filter((file) => {
      const [, folder] = /^(shared\/[\w-]+)\/[\w-]+\/index\.ts$/.exec(file) ?? [];
      return folder !== undefined && !doors.has(`${folder}/index.ts`);
    }),
  );
  const folderOf = (path: string) => /^shared\/[\w-]+(?=\/)/.exec(path)?.[0];
  // A room of small things without a door (text, json, names, …) is entered by its files.
  const folders = new Set([...doors, ...roomDoors].map(folderOf).filter((folder) => folder !== undefined));

  test.each([...folders].toSorted())("%s is entered by its door", (folder) => {
    const breaches = imports.filter(
      ({ file, of }) =>
        folderOf(of) === folder && folderOf(file) !== folder && !doors.has(of) && !roomDoors.has(of),
    );
    expect(breaches).toEqual([]);
  });

  test("no files import each other in a circle, types included", () => {
    const byFile = Map.groupBy(imports, ({ file }) => file);
    expect(circlesIn(new Map([...byFile].map(([file, all]) => [file, all.map(({ of }) => of)])))).toEqual([]);
    expect(
      circlesIn(
        new Map([
          ["a", ["b", "npm"]],
          ["b", ["c"]],
          ["c", ["a", "d"]],
          ["d", ["e"]],
        ]),
      ),
    ).toEqual([["a", "b", "c"]]);
  });

  const storyDoors = ["shared/cycle", "shared/views", "shared/operate", "shared/service"];

  test.each(storyDoors)("%s has one door, for tests of other folders too", (folder) => {
    const tests = globSync(["test/**/*.ts"], { cwd: root }).flatMap(importsOf);
    const breaches = [...imports, ...tests].filter(
      ({ file, of }) =>
        of.startsWith(`${folder}/`) &&
        of !== `${folder}/index.ts` &&
        !file.startsWith(`${folder}/`) &&
        !file.startsWith(`test/${folder}/`),
    );
    expect(breaches).toEqual([]);
    const backIn = imports.filter(
      ({ file, of }) => file.startsWith(`${folder}/`) && of === `${folder}/index.ts`,
    );
    expect(backIn).toEqual([]);
  });

  test("no file of these folders reaches itself, type imports included", () => {
    const ofFile = Map.groupBy(imports, ({ file }) => file);
    const reaches = (from: string) => {
      const seen = new Set<string>();
      const queue = [from];
      for (const file of queue)
        for (const { of } of ofFile.get(file) ?? []) {
          if (seen.has(of)) continue;
          seen.add(of);
          queue.push(of);
        }
      return seen;
    };
    const circular = files
      .filter((file) => storyDoors.some((folder) => file.startsWith(`${folder}/`)))
      .filter((file) => reaches(file).has(file));
    expect(circular).toEqual([]);
  });

  /** Rooms of the cycle in the order of its story; each may import those before it. `top` is what they share. */
  const storyRooms = ["top", "demand", "account", "snapshot", "plan", "execute"];
  const roomOfCycle = (path: string) => {
    if (!path.startsWith("shared/cycle/") || path === "shared/cycle/index.ts") return undefined;
    return /^shared\/cycle\/([\w-]+)\//.exec(path)?.[1] ?? "top";
  };

  test("no arrow between the rooms of the cycle runs up", () => {
    const rooms = new Set(files.map(roomOfCycle).filter((room) => room !== undefined));
    expect([...rooms].toSorted()).toEqual(storyRooms.toSorted());
    const breaches = imports.filter(({ file, of }) => {
      const [from, to] = [roomOfCycle(file), roomOfCycle(of)];
      return from !== undefined && to !== undefined && storyRooms.indexOf(from) < storyRooms.indexOf(to);
    });
    expect(breaches).toEqual([]);
  });

  test("no arrow of the engine's rooms runs up, and no files of it are a circle", () => {
    const rooms = ["model", "ledger", "place", "outcome", "plan.ts", "index.ts"];
    const rankOf = (path: string) => rooms.indexOf(path.split("/")[2] ?? "");
    const inside = imports.filter(({ file }) => file.startsWith("shared/engine/"));
    expect(inside.filter(({ file }) => rankOf(file) < 0)).toEqual([]);
    expect(inside.filter(({ file, of }) => rankOf(of) > rankOf(file))).toEqual([]);
    const left = new Map(Map.groupBy(inside, ({ file }) => file));
    // What imports nothing that is left cannot be part of a circle.
    const isLoose = (of: readonly Import[]) => of.every((each) => !left.has(each.of));
    for (let before = -1; before !== left.size; ) {
      before = left.size;
      for (const [file, of] of [...left]) if (isLoose(of)) left.delete(file);
    }
    expect([...left.keys()]).toEqual([]);
  });

  test("only functions import @azure/functions (the local host provides it)", () => {
    const breaches = imports.filter(
      ({ file, of }) =>
        of === "@azure/functions" && !/^functions\/|^infra\/local\/functions-host\//.test(file),
    );
    expect(breaches).toEqual([]);
  });

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

  test("only the agent's one file and the pager of help run programs, and without a shell", () => {
    const breaches = imports
      .filter(({ file, of }) => of === "node:child_process" && /^(clients|shared|functions)\//.test(file))
      .map(({ file }) => file);
    const running = ["clients/agent/execute.ts", "clients/cli/help/pager.ts"];
    expect(breaches.toSorted()).toEqual(running);
    for (const file of running)
      expect(readFileSync(join(root, file), "utf8")).not.toMatch(/\bexec\(|shell\s*:/);
  });

  test("functions, clients and infra never import each other", () => {
    const side = (path: string) => /^(functions|clients|infra)\//.exec(path)?.[1];
    const breaches = imports.filter(
      ({ file, of }) => side(of) !== undefined && side(file) !== undefined && side(of) !== side(file),
    );
    expect(breaches).toEqual([]);
  });

  test("JSON from outside is read in one place", () => {
    // What they read is their own: records of a store, files of their own making, a copy of a value.
    const own =
      /^shared\/(json\/json|text\/redact|api\/openapi|views\/show-support|cycle\/demand\/reject|messages\/problems|stores\/(in-memory|azure)\/[\w-]+)\.ts$|^clients\/agent\/(outbox|state)\.ts$|^clients\/cli\/(version|commands\/replay|output\/rejection-report)\.ts$|^clients\/library\/schedulers\/contract-checks\.ts$/;
    const breaches = files
      .filter((file) => /^(shared|functions|clients)\//.test(file) && !own.test(file))
      .filter((file) => readFileSync(join(root, file), "utf8").includes("JSON.parse("));
    expect(breaches).toEqual([]);
  });

  test("tokens are checked in one place", () => {
    const breaches = imports.filter(({ of }) => of === "jose").map(({ file }) => file);
    expect(breaches).toEqual(["functions/support/entra-token.ts"]);
  });

  /** What a file of ours loads as soon as it is loaded itself, our own files and packages. */
  function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const { of, isTypeOnly, isLazy } of imports.filter((each) => each.file === file))
      if (!isTypeOnly && !isLazy) loadedWith(of, seen);
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

  test("only the agent reads brokers", () => {
    const breaches = imports.filter(
      ({ file, of }) =>
        (of === "amqplib" || of === "@redis/client") &&
        !/^clients\/agent\/broker\/read-(redis|rabbitmq)\.ts$/.test(file),
    );
    expect(breaches).toEqual([]);
  });

  test("only the composition root imports adapters", () => {
    const adapters = /^shared\/(stores|cyclecloud|config|queues|webhooks)\//;
    const breaches = imports.filter(
      ({ file, of }) =>
        adapters.test(of) &&
        partOf(of) !== partOf(file) &&
        !/^(functions\/support\/wire\.ts|infra\/|clients\/)/.test(file),
    );
    expect(breaches).toEqual([]);
  });

  test("the engine reads no clock, draws nothing at random and logs nothing", () => {
    const impure = /\b(Date\.now|new Date\b|Math\.random|console\.|process\.|performance\.|setTimeout)/;
    const breaches = files
      .filter((file) => file.startsWith("shared/engine/"))
      .filter((file) =>
        impure.test(readFileSync(join(root, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")),
      );
    expect(breaches).toEqual([]);
  });
});
