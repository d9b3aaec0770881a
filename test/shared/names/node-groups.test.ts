import { expect, test } from "vitest";
import { type GroupedNode, groupsOf } from "../../../shared/names/node-groups.ts";

const size = "Standard_F4s_v2";
const nodeOf = (more: Partial<GroupedNode> = {}): GroupedNode => ({
  nodeArray: "htc",
  vmSize: size,
  spot: false,
  placementGroup: null,
  location: "westeurope",
  use: "idle",
  ...more,
});
const titlesOf = (groups: ReturnType<typeof groupsOf>) =>
  groups.map(({ heading, title, nodes }) => `${heading} | ${title} | ${nodes.length}`);

test("groupsOf: by array, each size and placement group for itself, in the order of numbers", () => {
  const nodes = [
    nodeOf({ nodeArray: "htc10" }),
    nodeOf({ nodeArray: "htc9", placementGroup: `${size}_pg1` }),
    nodeOf({ nodeArray: "htc9", spot: true }),
    nodeOf({ nodeArray: "htc9" }),
    nodeOf({ nodeArray: "htc9" }),
  ];
  expect(titlesOf(groupsOf(nodes, "array"))).toEqual([
    "htc9 | F4s_v2 | 2",
    "htc9 | F4s_v2 · pg1 | 1",
    "htc9 | F4s_v2 spot | 1",
    "htc10 | F4s_v2 | 1",
  ]);
});

test("groupsOf: by user, a node of several has a group for itself, and what is not known is not nobody", () => {
  const nodes = [
    nodeOf({ users: ["ann"] }),
    nodeOf({ users: ["ann", "bob"] }),
    nodeOf({ users: [null] }),
    nodeOf(),
  ];
  expect(titlesOf(groupsOf(nodes, "user"))).toEqual([
    "ann | htc · F4s_v2 | 1",
    "No job | htc · F4s_v2 | 1",
    "Not known | htc · F4s_v2 | 1",
    "Several users | htc · F4s_v2 | 1",
  ]);
});

test("groupsOf: a bucket stands with its nodes or alone, and in no other grouping than by array", () => {
  const buckets = [nodeOf(), nodeOf({ nodeArray: "mpi" })];
  expect(groupsOf([nodeOf()], "array", buckets).map(({ bucket }) => bucket)).toEqual(buckets);
  expect(groupsOf([nodeOf()], "region", buckets)).toMatchObject([
    { heading: "westeurope", bucket: undefined },
  ]);
});
