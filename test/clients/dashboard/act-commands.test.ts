import { expect, test } from "vitest";
import { acts, bodyOf, commandOf } from "../../../clients/dashboard/act/kinds.ts";
import { actionBody } from "../../../shared/api/index.ts";
import { ccscale } from "../cli/in-process.ts";

test.each(Object.entries(acts))("the command shown for %s is one", async (_, { command }) => {
  const { code, stdout } = await ccscale([...command.split(" "), "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: ccscale ${command}`);
});

test("a replacement in turns: what is asked for is what the API takes, and the command does the same", () => {
  const nodes = [{ name: "htc-1", nodeId: "1" }];
  const asked = { nodes, reason: "new image", by: "ann", dryRun: true, atOnce: "10%" };
  expect(actionBody.parse(bodyOf("replace", asked))).toMatchObject({
    kind: "roll",
    atOnce: "10%",
    replace: true,
  });
  expect(actionBody.parse(bodyOf("roll", { ...asked, atOnce: "2" }))).toMatchObject({
    atOnce: 2,
    replace: false,
  });
  expect(actionBody.parse(bodyOf("stop-rolling", asked))).toMatchObject({ kind: "stop-rolling" });
  expect(commandOf("replace", { cluster: "hpc", nodes, reason: "new image", atOnce: "10%" })).toBe(
    "ccscale drain --cluster hpc -N htc-1 --rolling 10% --replace --reason 'new image'",
  );
});
