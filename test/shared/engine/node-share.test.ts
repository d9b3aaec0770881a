import { expect, test } from "vitest";
import { largestShare } from "../../../shared/engine/index.ts";
import { job } from "./tiny.ts";

const resources = { ncpus: 8, memory: 32, ngpus: 0 };

test.each([
  [{ ncpus: 2 }, false, 0.25],
  [{ ncpus: 2, memory: 16 }, false, 0.5],
  [{ ncpus: 16 }, false, 1],
  [{ ncpus: 2 }, true, 1],
  [{}, false, 0],
])("a slot of %j, exclusive: %s, takes %f of a node", (json, exclusive, share) => {
  expect(largestShare(job("j", json, { exclusive }), resources)).toBe(share);
});
