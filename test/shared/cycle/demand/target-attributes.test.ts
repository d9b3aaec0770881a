import { describe, expect, test } from "vitest";
import { acceptTargets } from "../../../../shared/cycle/demand/accept-targets.ts";
import { parseTargets } from "../../../../shared/messages/job-demand.ts";
import { problemsInPlace } from "../../../../shared/messages/set-aside.ts";
import { cluster, createWorld, type World } from "../../../support/world.ts";

let sequence = 0;

type Definition = Readonly<Record<string, unknown>>;

async function ask(world: World, ...definitions: readonly Definition[]): Promise<readonly string[]> {
  sequence += 1;
  const parsed = parseTargets({
    version: 1,
    kind: "targets",
    cluster,
    source: "cron",
    sequence,
    requestSet: "mpi",
    sentAt: new Date(world.now() * 1000).toISOString(),
    arrays: definitions.map((own, index) => ({ Name: `array-${index}`, TargetCount: 1, ...own })),
  });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const outcome = await acceptTargets(world.ports, parsed.message);
  if (outcome.outcome !== "accepted") throw new Error(outcome.outcome);
  const { setAside: { items, news } = { items: 0, news: [] } } = outcome;
  const stored = await world.ports.targets.load(cluster, "mpi");
  expect(stored?.value.arrays).toHaveLength(definitions.length - items);
  return news.flatMap(problemsInPlace);
}

function worldWith(...targetAttributes: readonly string[]): World {
  const world = createWorld();
  world.configure({ cycle: { targetAttributes } });
  return world;
}

const application = { Configuration: { application_version: "1.2.3" } };

describe("attributes of new nodes that a target chooses", () => {
  test.each<[string, readonly string[], Definition]>([
    [
      "all that the API documents beside attributes",
      [],
      { TargetCoreCount: 8, MachineType: "a", CoreCount: 4 },
    ],
    ["an attribute by its name", ["ImageName"], { ImageName: "cycle.image.ubuntu22" }],
    [
      "what is below an attribute that is named",
      ["Configuration"],
      { Configuration: { a: { b: [1] }, c: {} } },
    ],
    [
      "a value by its path",
      ["Configuration.application.version"],
      { Configuration: { application: { version: 1 } } },
    ],
    [
      "a value whose name is a path",
      ["Configuration.application.version"],
      { Configuration: { "application.version": 1 } },
    ],
    ["values by a wildcard", ["Configuration.application_*"], application],
    ["everything by a wildcard", ["*"], { ...application, ClusterInitSpecs: { a: {} } }],
  ])("allows %s", async (_, allowed, definition) => {
    expect(await ask(worldWith(...allowed), definition)).toEqual([]);
  });

  test.each<[string, readonly string[], Definition, string]>([
    ["any, where none is named", [], application, "Configuration.application_version"],
    ["an object without anything in it", [], { Configuration: {} }, "Configuration"],
    [
      "another attribute",
      ["ImageName"],
      { ClusterInitSpecs: { "a:default:1": {} } },
      "ClusterInitSpecs.a:default:1",
    ],
    ["one that begins like one that is named", ["Image"], { ImageName: "x" }, "ImageName"],
    [
      "one that is only longer than what is named",
      ["Configuration.application"],
      { Configuration: { applications: 1 } },
      "Configuration.applications",
    ],
    [
      "one beside what is named",
      ["Configuration.application_*"],
      { Configuration: { run_list: [] } },
      "Configuration.run_list",
    ],
    ["letters of another case", ["ImageName"], { IMAGENAME: "x" }, "IMAGENAME"],
    [
      "a name that is a pattern itself",
      ["Configuration.a"],
      { Configuration: { "*": 1 } },
      "Configuration.*",
    ],
  ])("refuses %s", async (_, allowed, definition, path) => {
    const problems = await ask(worldWith(...allowed), definition);
    expect(problems).toEqual([expect.stringContaining(`arrays[0].${path}: expected `)]);
    expect(problems[0]).toContain("target_attributes");
  });

  test("names every attribute that is refused, and what is allowed", async () => {
    const arrays = [application, { ImageName: "x", Configuration: { run_list: [], application_a: 1 } }];
    expect(await ask(worldWith("Configuration.application_*"), ...arrays)).toEqual([
      `arrays[1].Configuration.run_list: expected one of Configuration.application_* (target_attributes of the cluster's configuration); "target_attributes": ["Configuration.application_*","Configuration.run_list"] in autoscale.json would allow it`,
      `arrays[1].ImageName: expected one of Configuration.application_* (target_attributes of the cluster's configuration); "target_attributes": ["Configuration.application_*","ImageName"] in autoscale.json would allow it`,
    ]);
  });

  test("the line that is named allows it", async () => {
    const [problem = ""] = await ask(worldWith(), application);
    const line = /"target_attributes": (\[.*?\]) in autoscale\.json/.exec(problem)?.[1] ?? "[]";
    expect(await ask(worldWith(...JSON.parse(line)), application)).toEqual([]);
  });

  test("what is told has an end", async () => {
    const Configuration = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key-${index}`, 1]));
    const problems = await ask(worldWith(), { Configuration });
    expect(problems).toHaveLength(6);
    expect(problems.at(-1)).toBe("arrays[0]: and 295 more");
  });

  test("where the configuration cannot be read nothing says that an attribute may be chosen; nodes may be asked for", async () => {
    const world = worldWith("*");
    world.ports.configs.delete(cluster);
    world.ports.configs.putBroken(cluster, ["idle_timeout: -1"]);
    expect(await ask(world, application)).toEqual([expect.stringContaining("cannot be used")]);
    expect(await ask(world, {})).toEqual([]);
  });
});
