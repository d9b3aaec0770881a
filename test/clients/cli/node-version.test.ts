import { expect, test } from "vitest";
import { nodeRefusal } from "../../../clients/cli/node-version.ts";

const old = { version: "20.20.2", path: "/usr/bin/node" };

test.each(["22.12.0", "24.1.0", "26.0.0"])("Node.js %s will do", (version) => {
  expect(nodeRefusal({ version, path: "/usr/bin/node", brought: undefined })).toBeUndefined();
});

test("an older Node.js is refused, and the one of the source tree is named", () => {
  expect(nodeRefusal({ ...old, brought: "/src/node_modules/node/bin/node" })).toBe(
    'Cannot run ccscale with "/usr/bin/node": Node.js 20.20.2, expected 22 or newer.\n' +
      'Put the one that "npm install" brought before it: export PATH="/src/node_modules/node/bin:$PATH"',
  );
});

test("where there is no other, one is to be installed", () => {
  expect(nodeRefusal({ ...old, brought: undefined })).toContain("Install Node.js 24");
});
