/** A node that CycleCloud lost, or could not get, without anybody asking for that; it says so in an event. */
export interface NodeLoss {
  readonly cluster: string;
  /** The event's own id: one that is delivered twice is one loss. */
  readonly eventId: string;
  /** `SpotEvicted`: Azure took a spot VM back. `AllocationFailed`: it had none. `VMDisappeared`: nobody knows why. */
  readonly reason: "SpotEvicted" | "AllocationFailed" | "VMDisappeared";
  readonly nodeId: string | null;
  readonly nodeName: string | null;
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly atSeconds: number;
}

export interface NodeLossStore {
  /** The same event again changes nothing. True when it was new. */
  add(loss: NodeLoss): Promise<boolean>;
  /** Newest first, at most `limit`; only those at `sinceSeconds` or later when it is given. */
  recent(cluster: string, limit: number, sinceSeconds?: number): Promise<readonly NodeLoss[]>;
}
