import { expect, test } from "vitest";
import { withinCharacters } from "../../../shared/views/show-support.ts";
import { demandOf } from "../stores/contract/values.ts";

test("demand that is longer than an answer comes without its jobs, and says how many there are", () => {
  const demand = ["a", "b", "c"].map((source) => demandOf("hpc", source));
  const [first] = demand;
  const length = JSON.stringify(first).length;
  expect(withinCharacters(demand, 3 * length + 100)).toEqual(demand);
  const [, second, third] = demand;
  expect(withinCharacters(demand, length + 10)).toEqual([
    first,
    { ...second, jobs: [], jobsLeftOut: second?.jobs.length },
    { ...third, jobs: [], jobsLeftOut: third?.jobs.length },
  ]);
});
