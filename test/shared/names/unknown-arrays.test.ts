import { expect, test } from "vitest";
import { arraysNamedIn, warnOfMissing, warnOfUnknownArrays } from "../../../shared/names/unknown-arrays.ts";

const configuration = {
  idle_timeout: { default: 300, htc: 60, htcc: 90 },
  boot_timeout: 1_800,
  nodearrays: { default: { placement: "cost" }, gpu: {} },
  spot: { pairs: [{ spot: "htc-spot", regular: "htc" }] },
  budgets: [
    { node_array: "htc", monthly_usd: 100 },
    { user: "ada", daily_usd: 5 },
    { node_array: "htx", monthly_usd: 100 },
  ],
  schedules: {
    office: { targets: [{ Name: "htc" }, { Name: "mine", Dynamic: true, Extends: "mpi" }] },
    night: { settings: { idle_timeout: { htc: 60 } } },
  },
  default_resources: [{ select: { "node.nodearray": ["htc", "none*"] } }],
  price_rules: [{ select: { "node.nodearray": "gpus" }, discount_percent: 10 }],
};

test("every key that names a node array, with its path; default and wildcards name none", () => {
  expect(arraysNamedIn(configuration).map(({ path, name }) => `${path}: ${name}`)).toEqual([
    "idle_timeout.htc: htc",
    "idle_timeout.htcc: htcc",
    "nodearrays.gpu: gpu",
    "spot.pairs.0.spot: htc-spot",
    "spot.pairs.0.regular: htc",
    "budgets.0.node_array: htc",
    "budgets.2.node_array: htx",
    "schedules.office.targets.0.Name: htc",
    "schedules.office.targets.1.Extends: mpi",
    "schedules.night.settings.idle_timeout.htc: htc",
    "default_resources.0.select.node.nodearray: htc",
    "price_rules.0.select.node.nodearray: gpus",
  ]);
});

test("what is no configuration, or of another form, names none", () => {
  for (const json of [null, "text", [], { budgets: "all", spot: 3, idle_timeout: 60, price_rules: [null] }])
    expect(arraysNamedIn(json)).toEqual([]);
});

test("a warning for each that the cluster does not have, with the one that was probably meant", () => {
  expect(warnOfUnknownArrays(configuration, ["htc", "htc-spot", "gpu", "mpi"])).toEqual([
    'idle_timeout.htcc: the cluster has no node array "htcc"; did you mean "htc"?',
    'budgets.2.node_array: the cluster has no node array "htx"; did you mean "htc"?',
    'price_rules.0.select.node.nodearray: the cluster has no node array "gpus"; did you mean "gpu"?',
  ]);
  expect(warnOfMissing([{ path: "budgets.0.node_array", name: "visual" }], ["htc", "mpi"])).toEqual([
    'budgets.0.node_array: the cluster has no node array "visual"; it has htc, mpi',
  ]);
});

test("no warning while the cluster's arrays are not known", () => {
  expect(warnOfUnknownArrays(configuration, [])).toEqual([]);
});
