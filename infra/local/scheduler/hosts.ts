/** A node that joined the scheduler: Ready, and with a hostname. */
export interface Host {
  readonly hostname: string;
  readonly nodeArray: string;
  readonly placementGroup: string | null;
  readonly ncpus: number;
  readonly memoryGiB: number;
  readonly ngpus: number;
}
