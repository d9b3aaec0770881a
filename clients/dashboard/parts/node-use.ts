import type { NodeUse } from "../../../shared/names/node-use.ts";

/** Uses of nodes, as charts stack them from the bottom. The colour of each is `use-…` of `style.css`. */
export const nodeUses: readonly { readonly use: NodeUse; readonly title: string }[] = [
  { use: "jobs", title: "Jobs" },
  { use: "boot", title: "Booting" },
  { use: "idle", title: "Idle" },
  { use: "drained", title: "Drained" },
  { use: "kept", title: "Kept alive" },
  { use: "failed", title: "Failed" },
  { use: "ending", title: "Ending" },
];
