import { describe, expect, test } from "vitest";
import { bodyOf, split } from "../../../clients/dashboard/views/what-if-request.ts";
import type { ExplainAnswer } from "../../../shared/api/index.ts";

const explained = { job: "1201", source: "slurm", raise: null } as ExplainAnswer;
const request = {
  iterations: 8,
  constraints: [{ ncpus: 4, license_token: "***" }, { "node.nodearray": "htc" }, { memgb: 16 }],
};

/** The form as it is at first, and what the viewer changes. */
function asked(changes: Readonly<Record<string, string>>, of: Record<string, unknown> = request) {
  const { cpus, nodeArray, rest } = split(of.constraints);
  const fields = new FormData();
  for (const [name, value] of Object.entries({ iterations: "8", cpus, nodeArray, rest, ...changes }))
    fields.set(name, value);
  return bodyOf(fields, explained, of).change?.with;
}

describe("what a what-if asks for", () => {
  test("a secret is neither shown nor sent, and is named", () => {
    expect(split(request.constraints)).toEqual({
      cpus: "4",
      nodeArray: "htc",
      rest: '[{"memgb":16}]',
      secret: ["license_token"],
    });
  });

  test("an alternative with a secret in it is left out as a whole: half of it would ask for something else", () => {
    const constraints = [{ or: [{ api_key: "***" }, { memgb: 4 }], ncpus: 2 }];
    expect(split(constraints)).toEqual({ cpus: "2", nodeArray: "", rest: "", secret: ["or"] });
  });

  test("only what differs is sent: constraints that nobody changed stay as their source has them", () => {
    expect(asked({})).toEqual({});
    expect(asked({ iterations: "3" })).toEqual({ iterations: 3 });
    expect(asked({ exclusive: "on" })).toEqual({ exclusive: true });
    expect(asked({}, { ...request, exclusive: true })).toEqual({ exclusive: false });
  });

  test("once one constraint is another, all that are shown are sent", () => {
    expect(asked({ cpus: "2" })).toEqual({
      constraints: [{ ncpus: 2 }, { memgb: 16 }, { "node.nodearray": "htc" }],
    });
    expect(asked({ rest: "" })).toEqual({ constraints: [{ ncpus: 4 }, { "node.nodearray": "htc" }] });
  });
});
