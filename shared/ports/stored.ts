/** A value as a store holds it. Save it with the same `etag` to be sure that nobody wrote in between. */
export interface Stored<T> {
  readonly value: T;
  readonly etag: string;
}

/** The ETag to save with: of the value that was read, or undefined when there was none and there must still be none. */
export type IfMatch = string | undefined;
