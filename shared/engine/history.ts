/**
 * What the planner remembers of a node between passes. A row is written only when something changed: a
 * node that stays matched for a day costs no write, because `lastMatchSeconds` stays null until it stops being matched.
 */
export interface NodeHistory {
  readonly nodeId: string;
  readonly name: string;
  readonly hostname: string | null;
  readonly instanceId: string | null;
  /** Unix seconds of the pass that first saw the node (or saw it start again). */
  readonly createdSeconds: number;
  /** Unix seconds of the first pass that saw it Ready; null before. */
  readonly readySeconds: number | null;
  /** Null: matched (or not Ready yet) in the last pass. Else Unix seconds of the last pass in which it was. */
  readonly lastMatchSeconds: number | null;
  /** Unix seconds of the pass that no longer saw it; null while it exists. */
  readonly deletedSeconds: number | null;
}
