import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { ask, happenToTarget, targetSituations } from "../../shared/views/explain/target-situations.ts";
import { asked, configOf, happen, situations } from "../../shared/views/explain/waiting-situations.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { archiveOf } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";

const root = ownFolder();
/** What the page says of each situation, checked by the tests of `shared/views`. */
const written = join(import.meta.dirname, "../../shared/views/explain/pages");

function fail(): never {
  throw new Error("There is no such situation");
}

describe("explain prints what is known of the job or target", () => {
  test("of a job", async () => {
    const name = "partly-placed";
    const situation = situations[name] ?? fail();
    const folder = await archiveOf(await happen(situation), root(name), configOf(situation));
    const { code, stdout, stderr } = await ccscale(["explain", asked, "--offline", folder]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot(join(written, `${name}.txt`));
  });

  test("of a target", async () => {
    const name = "asked-for-by-two-sets";
    const situation = targetSituations[name] ?? fail();
    const folder = await archiveOf(
      await happenToTarget(situation),
      root(name),
      configOf({ ...situation, jobs: [] }),
    );
    const argv = [
      "explain",
      "--target",
      "htc",
      "--request-set",
      situation.requestSet ?? fail(),
      "--offline",
      folder,
    ];
    const { code, stdout, stderr } = await ccscale(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot(join(written, `target/${name}.txt`));
  });

  test.each(["drained-by-an-operator", "drained-in-the-scheduler"])(
    "%s: the status says by whom, why and since when",
    async (name) => {
      const situation = situations[name] ?? fail();
      const folder = await archiveOf(await happen(situation), root(`status-${name}`), configOf(situation));
      const { code, stdout, stderr } = await ccscale(["status", "--offline", folder]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      await expect(stdout).toMatchFileSnapshot(`examples/status-${name}.txt`);
    },
  );

  test("what the agent of its scheduler could not carry over stands below the headline", async () => {
    const situation = Object.values(situations)[0] ?? fail();
    const jobs = situation.jobs.map((job) => ({ ...job, notes: ["--contiguous is not planned for"] }));
    const noted = { ...situation, jobs };
    const folder = await archiveOf(await happen(noted), root("notes"), configOf(noted));
    const { stdout } = await ccscale(["explain", asked, "--offline", folder]);
    expect(stdout.split("\n")[1]).toBe("Note of its scheduler's agent: --contiguous is not planned for.");
  });

  test("the status of targets that were changed since the newest plan tells when they were, and no old figures", async () => {
    const world = await happenToTarget(targetSituations["asked-for-by-two-sets"] ?? fail());
    world.advance(1);
    await ask(world, [{ Name: "htc", TargetCount: 1 }], { requestSet: "nightly", sequence: 8 });
    const folder = await archiveOf(world, root("changed-targets"));
    const { stdout } = await ccscale(["status", "--offline", folder]);
    await expect(stdout).toMatchFileSnapshot("examples/status-targets-changed.txt");
  });

  test.each([
    ["neither a job nor a target", ["explain"], 2, "expected either a job, or --target"],
    ["both", ["explain", asked, "--target", "htc"], 2, "expected either a job, or --target"],
    ["a target that nobody asked for", ["explain", "--target", "gpu"], 1, 'Targets: "htc"'],
    ["a target of two sets", ["explain", "--target", "htc"], 1, 'expected one of "nightly", "standard"'],
    ["the same", ["explain", "--target", "htc"], 1, "ccscale explain --target htc --request-set nightly"],
  ])("%s is refused, and told how", async (_, argv, code, words) => {
    const world = await happenToTarget(targetSituations["asked-for-by-two-sets"] ?? fail());
    const folder = await archiveOf(world, root("two-sets"));
    const finished = await ccscale([...argv, "--offline", folder]);
    expect(finished).toMatchObject({ code, stdout: "" });
    expect(finished.stderr).toContain(words);
  });

  test("every command that a page names is one, with these options", async () => {
    const pages = globSync("**/*.txt", { cwd: written }).map((file) =>
      readFileSync(join(written, file), "utf8"),
    );
    const named = new Set(
      pages.flatMap((page) => [...page.matchAll(/`ccscale ([^`]+)`/g)].map(([, words]) => words ?? "")),
    );
    expect(named.size).toBeGreaterThan(10);
    for (const words of named) {
      const parts = words.split(" ");
      const options = parts.filter((part) => part.startsWith("-"));
      const names = parts.slice(0, 2).filter((part) => /^[a-z-]+$/.test(part) && !part.startsWith("-"));
      const { code, stdout } = await ccscale([...names, "--help"]);
      expect({ words, code }).toEqual({ words, code: 0 });
      expect(stdout).toContain(`ccscale ${parts[0]}`);
      for (const option of options) expect(stdout).toMatch(new RegExp(`(^|\\s)${option}\\b`, "m"));
    }
  });
});
