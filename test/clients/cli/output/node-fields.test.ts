import { expect, test } from "vitest";
import { nodeFields } from "../../../../clients/cli/output/node-fields.ts";
import type { NodeView } from "../../../../shared/api/index.ts";

const nothing = { firstSeenSeconds: null, readySeconds: null, idleSinceSeconds: null, deleteAtSeconds: null };
const view = {
  ...nothing,
  expectedReadySeconds: null,
  name: "htc-1",
  jobs: [],
  operation: null,
  draining: null,
  memoryBytes: null,
};
const fieldsOf = (changes: Partial<NodeView>) =>
  nodeFields({ ...view, ...changes } as unknown as NodeView, 0);

test.each([
  [{ placementGroup: "pg0", hostname: "host-1", nodeId: "id-1" }, true, "host-1"],
  [{ placementGroup: null, hostname: null, nodeId: "id-1" }, false, "id-1"],
  [{ placementGroup: null, hostname: null, nodeId: null }, false, "htc-1"],
])("colocated and hostname_or_uuid of %j", (changes, colocated, name) => {
  expect(fieldsOf(changes)).toMatchObject({ colocated, hostname_or_uuid: name });
});
