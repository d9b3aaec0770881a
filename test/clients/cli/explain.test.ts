import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asked, configOf, happen, situations } from "../../shared/cycle/views/waiting-situations.ts";
import { archiveOf } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "explain-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const pages: string[] = [];

describe("explain: every situation in which a job waits, as committed examples", () => {
  test.each(Object.entries(situations))("%s", async (name, situation) => {
    const folder = await archiveOf(await happen(situation), join(root, name), configOf(situation));
    const { code, stdout, stderr } = await ccscale(["explain", asked, "--offline", folder]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    pages.push(stdout);
    await expect(stdout).toMatchFileSnapshot(`examples/explain/${name}.txt`);
  });

  test("every command that they name is one, with these options", async () => {
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
