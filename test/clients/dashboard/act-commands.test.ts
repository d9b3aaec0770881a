import { expect, test } from "vitest";
import { acts } from "../../../clients/dashboard/act/kinds.ts";
import { ccscale } from "../cli/in-process.ts";

test.each(Object.entries(acts))("the command shown for %s is one", async (_, { command }) => {
  const { code, stdout } = await ccscale([...command.split(" "), "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: ccscale ${command}`);
});
