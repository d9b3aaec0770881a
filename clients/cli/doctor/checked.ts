export interface Checked {
  readonly check: string;
  /** Null: it is about the service. */
  readonly cluster: string | null;
  /** notice: nothing is wrong, but it is worth a look. */
  readonly state: "ok" | "notice" | "failed";
  readonly text: string;
  /** What to do; null: nothing. */
  readonly next: string | null;
}
