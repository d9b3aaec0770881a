import { expect, test } from "vitest";
import { resourcesShown } from "../../../clients/columns/evaluate.ts";
import { parseColumns } from "../../../clients/columns/parse-columns.ts";

test.each([
  [
    ["name", "*ncpus", "/memgb"],
    ["name", "ncpus", "memgb"],
  ],
  [
    ["vm@vm_size[9:]", "free@*slots:none"],
    ["vm_size", "slots"],
  ],
  [["gpu.type"], ["gpu.type", "gpu"]],
  [["name", "name[0]"], ["name"]],
  [["name", "resources"], undefined],
  [["Available.ncpus"], undefined],
])("of columns %j these may be resources: %j", (texts, names) => {
  const parsed = parseColumns(texts);
  expect(parsed.ok && resourcesShown(parsed.columns)).toEqual(names);
});
