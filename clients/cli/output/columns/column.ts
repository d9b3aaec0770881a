/**
 * What `-o` asks for, as a tree of plain data: it is walked, never run. README.md has the language; the words are
 * scalelib's (`name@expression:default`, `*slots`, `/slots`, `name[-5:]`).
 */
export interface Column {
  readonly heading: string;
  readonly expression: Expression;
  /** Shown where the expression gives nothing; null: nothing is shown. */
  readonly fallback: string | null;
}

export type Expression =
  /** A field of the record, else one of its resources, else one of its metadata. Dots lead into what is nested. */
  | { readonly kind: "value"; readonly name: string }
  /** What is left of a resource. */
  | { readonly kind: "left"; readonly name: string }
  /** Left and total: `2/4`. */
  | { readonly kind: "ratio"; readonly name: string }
  | { readonly kind: "slice"; readonly of: Expression; readonly slice: Slice };

/** Python's: one member, or from a start to an end in steps; counted from the end where negative. */
export type Slice =
  | { readonly kind: "index"; readonly index: number }
  | {
      readonly kind: "range";
      readonly start: number | null;
      readonly end: number | null;
      readonly step: number;
    };
