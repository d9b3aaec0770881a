import type { NodeUse } from "../../../shared/names/node-use.ts";

/** A line of the screen; how it looks is for the screen that shows it, so that nothing depends on colour. */
export interface Line {
  readonly text: string;
  readonly style?: LineStyle;
  /** The same text in parts that look different. */
  readonly runs?: readonly { readonly text: string; readonly style?: LineStyle }[];
}

export type LineStyle = "title" | "problem" | "chosen" | "dim" | NodeUse;

export interface Size {
  readonly width: number;
  readonly height: number;
}
