import type { CheckView } from "../../../shared/api/index.ts";

export interface Checked extends CheckView {
  /** Null: it is about the service. */
  readonly cluster: string | null;
}
