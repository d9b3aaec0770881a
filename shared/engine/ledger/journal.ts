import type { SharedDraw } from "../constraints/shared-pool.ts";
import type { LedgerNode } from "./ledger-bucket.ts";
import type { LedgerOrigin } from "./ledger-node.ts";

/** How the steps of an attempt are taken back. */
interface Undo {
  readonly created: (node: LedgerNode) => void;
  /** Slots that were put on a node, with what it was before and had left. */
  readonly taken: (node: LedgerNode, slots: number, origin: LedgerOrigin, left: readonly number[]) => void;
  readonly drawn: (draw: SharedDraw, times: number) => void;
}

/**
 * The steps of an all-or-nothing attempt. Each job of several nodes makes one and nearly all are kept, so that the lists are used
 * again: an object for each step would take longer than the step.
 */
export class Journal {
  /** Where the attempts that are open began, the innermost last. */
  readonly #marks: number[] = [];
  #steps = 0;
  #amounts = 0;
  /** By step: the node, or the pool that was drawn from. */
  readonly #subjects: (LedgerNode | SharedDraw)[] = [];
  /** By step: what a node was before it got slots, or what else was done. */
  readonly #before: (LedgerOrigin | "created" | "drawn")[] = [];
  /** By step: slots, or times. */
  readonly #counts: number[] = [];
  /** What the nodes that got slots had left, one after the other. */
  readonly #left: number[] = [];

  get #isOpen(): boolean {
    return this.#marks.length > 0;
  }

  open(): void {
    if (!this.#isOpen) {
      this.#steps = 0;
      this.#amounts = 0;
    }
    this.#marks.push(this.#steps);
  }

  /** Ends the innermost attempt: its steps are those of the one around it, which may still take them back. */
  close(): void {
    this.#marks.pop();
  }

  created(node: LedgerNode): void {
    if (this.#isOpen) this.#note(node, "created", 0);
  }

  taken(node: LedgerNode, slots: number): void {
    if (!this.#isOpen) return;
    this.#note(node, node.origin, slots);
    const { table } = node.bucket;
    for (let column = 0; column < table.columns; column++)
      this.#left[this.#amounts++] = table.get(node.position, column);
  }

  drawn(draw: SharedDraw, times: number): void {
    if (this.#isOpen) this.#note(draw, "drawn", times);
  }

  /** Forgets the last step, which was taken back. */
  dropLast(): void {
    if (this.#isOpen) this.#steps--;
  }

  /** Takes back the steps of the innermost attempt, the last one first, and ends it. */
  undo({ created, taken, drawn }: Undo): void {
    const from = this.#marks.pop() ?? 0;
    while (this.#steps > from) {
      const step = --this.#steps;
      const before = this.#before[step];
      const count = this.#counts[step] as number;
      if (before === "drawn") drawn(this.#subjects[step] as SharedDraw, count);
      else if (before === "created") created(this.#subjects[step] as LedgerNode);
      else {
        const node = this.#subjects[step] as LedgerNode;
        const row = this.#amounts - node.bucket.table.columns;
        taken(node, count, before as LedgerOrigin, this.#left.slice(row, this.#amounts));
        this.#amounts = row;
      }
    }
  }

  #note(subject: LedgerNode | SharedDraw, before: LedgerOrigin | "created" | "drawn", count: number): void {
    this.#subjects[this.#steps] = subject;
    this.#before[this.#steps] = before;
    this.#counts[this.#steps++] = count;
  }
}
