/** One draw from a pool that all jobs share (licences, the quota of a queue), per slot or node unless `once`. */
export interface SharedDraw {
  /** The pool's identity is its name and its source: a queue and a server may both limit "licences". */
  readonly pool: string;
  readonly source: string | null;
  readonly amount: number;
  /** A job draws once, however many slots or nodes it gets. */
  readonly once: boolean;
  /** The pool as the demand describes it; the settings' or the first job's description counts. Null: defined elsewhere. */
  readonly initial: number | null;
  readonly current: number | null;
}

/** A pool: what it holds when nobody draws, and what is left now. A null source stands for every source. */
export interface SharedPool {
  readonly name: string;
  readonly source: string | null;
  readonly initial: number;
  readonly current: number;
}
