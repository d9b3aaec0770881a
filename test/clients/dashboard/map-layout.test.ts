import { expect, test } from "vitest";
import {
  cornerOf,
  layOut,
  nextSpot,
  spotAt,
  titlePixels,
} from "../../../clients/dashboard/parts/map-layout.ts";

type Node = string | undefined;

const groupOf = (heading: string, nodes: readonly Node[], { cores = 4, frames = 0 } = {}) => ({
  group: { heading, title: "F4s_v2", nodes, bucket: undefined },
  cores,
  frames,
});
const names = (count: number) => Array.from({ length: count }, (_, index) => `htc-${index}`);

test("each cell is found where it is drawn, and nothing beside it", () => {
  const layout = layOut([groupOf("htc", names(7), { frames: 3 }), groupOf("mpi", names(150))], 390);
  for (const tile of layout.tiles)
    for (let index = 0; index < tile.group.nodes.length + tile.frames; index += 1) {
      const { x, y } = cornerOf({ tile, index });
      expect(spotAt(layout, x + 1, y + 1)).toEqual({ tile, index });
      expect(x + tile.side).toBeLessThanOrEqual(390);
      expect(y + tile.side).toBeLessThanOrEqual(layout.height);
    }
  expect(spotAt(layout, 1, 1)).toBeUndefined();
});

test("cells are larger with more cores, and small groups of a part stand beside each other", () => {
  const { tiles } = layOut(
    [groupOf("htc", names(2)), groupOf("htc", names(2), { cores: 16 }), groupOf("htc", names(2))],
    1_200,
  );
  expect(tiles.map(({ side }) => side)).toEqual([18, 36, 18]);
  expect(new Set(tiles.map(({ y }) => y)).size).toBe(1);
  expect(new Set(tiles.map(({ x }) => x)).size).toBe(3);
  expect(tiles[0]?.y).toBeGreaterThan(titlePixels);
});

test("arrows lead on into the next group, over what nodes of the past left free, and stop at the end", () => {
  const layout = layOut([groupOf("htc", ["a", undefined, "b"]), groupOf("mpi", ["c"], { frames: 2 })], 390);
  let spot: ReturnType<typeof nextSpot<Node, undefined>>;
  const walked = (
    ["Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp", "End", "ArrowDown"] as const
  ).map((key) => {
    spot = nextSpot<Node, undefined>(layout, spot, key);
    return spot?.tile.group.nodes[spot.index];
  });
  expect(walked).toEqual(["a", "b", "c", "c", "b", "b", "c", "c"]);
});
