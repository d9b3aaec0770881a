interface Keeper {
  readonly kind: "keep-alive" | "target" | "spare" | "failed" | "deallocated";
  readonly by: string;
  readonly untilSeconds: number | null;
}

/** Who keeps a node and until when, such as "kept by schedule office until 18:00". `when` writes a moment. */
export function keeperWords({ kind, by, untilSeconds }: Keeper, when: (seconds: number) => string): string {
  const end = (word: string) => (untilSeconds === null ? "" : `${word} ${when(untilSeconds)}`);
  switch (kind) {
    case "keep-alive":
      return `kept alive by ${by}${end(" until")}`;
    case "failed":
      return `failed, kept for a look${end(" until")}`;
    case "deallocated":
      return `deallocated${end(", replaced after")}`;
    case "target":
    case "spare":
      return `kept by ${by}${end(" until")}`;
  }
}
