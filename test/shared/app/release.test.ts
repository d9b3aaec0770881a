import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { version } from "../../../clients/cli/version.ts";
import { release } from "../../../shared/app/release.ts";

test("the release is that of package.json, for the service and for ccscale", () => {
  const { version: packaged } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(release).toBe(packaged);
  expect(version).toBe(packaged);
});
