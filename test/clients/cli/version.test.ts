import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { release } from "../../../shared/app/release.ts";
import { withoutPauses } from "../../support/without-pauses.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale } from "./in-process.ts";

let server: ApiServer | undefined;

beforeEach(() => {
  for (const name of ["CCSCALE_URL", "AUTOSCALE_FUNCTIONS_URL"]) vi.stubEnv(name, "");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.stop();
  server = undefined;
});

/** The address of a service of this release that has no cluster. */
async function serviceOf(its: string): Promise<string> {
  const answer = { atSeconds: 1, release: its, clusters: [] };
  const headers = { "content-type": "application/json", "api-version": "1" };
  server = await serveApi({ clusters: async () => ({ status: 200, headers, body: JSON.stringify(answer) }) });
  return server.url;
}

describe("ccscale version", () => {
  test("without an address it prints its own release, and that no service was asked", async () => {
    const { code, stdout } = await ccscale(["version"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`ccscale ${release}, version 1 of the API\n`);
    expect(stdout).toContain("service: not asked");
  });

  test("a service of the same release, whatever clusters it has", async () => {
    const { code, stdout, stderr } = await ccscale(["version", "--url", await serviceOf(release)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(`service ${release}`);
  });

  test("one of another release: both, and which to upgrade", async () => {
    const { code, stdout, stderr } = await ccscale(["version", "--url", await serviceOf("0.0.9")]);
    expect(code).toBe(1);
    expect(stdout).toContain("service 0.0.9");
    expect(stderr).toBe(
      `error: ccscale (${release}) and the service (0.0.9) are different releases\nUpgrade the older one.\n`,
    );
  });

  test("as JSON", async () => {
    const { stdout } = await ccscale(["version", "--format", "json", "--url", await serviceOf(release)]);
    const node = process.versions.node;
    expect(JSON.parse(stdout)).toEqual({ ccscale: release, node, api: "1", service: release });
  });

  test("a service that is out of reach: its own release is printed all the same", async () => {
    const url = await serviceOf(release);
    await server?.stop();
    server = undefined;
    withoutPauses();
    const { code, stdout, stderr } = await ccscale(["version", "--url", url]);
    expect(code).toBe(1);
    expect(stdout).toContain(`ccscale ${release}`);
    expect(stderr).toContain(`error: Cannot reach ${url} (ECONNREFUSED)`);
  });
});

describe("choices", () => {
  test.each([
    [["jobs", "--state", "wating"], 'Did you mean "waiting"? Allowed choices are running, '],
    [["nodes", "--format", "JSON"], 'Did you mean "json"? Allowed choices are '],
    [["nodes", "--format", "xml"], "invalid. Allowed choices are table, "],
    [["columns", "node"], 'Did you mean "nodes"? Allowed choices are '],
    [["cost", "--by", "usr,array"], '"usr" is no dimension. Did you mean "user"? Expected of array, '],
    [["cost", "--by", "nosuch"], '"nosuch" is no dimension. Expected of array, '],
  ])("%j is wrong usage that names what was probably meant", async (argv, words) => {
    const { code, stderr } = await ccscale(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});
