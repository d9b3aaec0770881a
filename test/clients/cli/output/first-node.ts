import type { NodeView } from "../../../../shared/api/index.ts";
import { listNodes, lookAhead } from "../../../../shared/views/index.ts";
import { cluster, createWorld, jobFor } from "../../../support/world.ts";

/** The first node of a world, as the service answers. */
export async function firstNode({ ports }: ReturnType<typeof createWorld>): Promise<NodeView> {
  const outlook = await lookAhead(ports, cluster);
  const listed = outlook && listNodes(outlook, { limit: 10 });
  const node = listed?.ok === true ? listed.answer.nodes[0] : undefined;
  if (node === undefined) throw new Error("no node");
  return node;
}

/** A node that ran a job and idles now. */
export async function idleNode(): Promise<{ readonly node: NodeView; readonly nowSeconds: number }> {
  const world = createWorld();
  await world.post([jobFor(1)]);
  await world.settle();
  await world.post([]);
  await world.round();
  return { node: await firstNode(world), nowSeconds: world.now() };
}
