/** Identities and digests: the cycle itself draws nothing at random and hashes nothing. */
export interface Ids {
  /** A new plan's id; later ones sort after earlier ones. */
  planId(atSeconds: number): string;
  /** CycleCloud's idempotency token for an action: the same action always gives the same one, in the form of a UUID. */
  requestId(actionId: string): string;
  /** The same text always gives the same short digest. */
  digest(text: string): string;
}
