const secondsPerDay = 86_400;
/** Clocks change at full quarters of an hour (UTC), so one answer holds for all of it. */
const blockSeconds = 900;

/** A local time in seconds since 1970. */
export interface LocalMoment {
  readonly seconds: number;
  /** The clocks were put back over this time: it came again so much later. */
  readonly again?: number;
  /** The clocks were put forward over this time: it never was. Read as if they had not been. */
  readonly isSkipped?: true;
}

/** A time zone of the IANA database, such as `Europe/Stockholm`, with its changes of the clocks. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  /** Throws RangeError: there is no zone of this name. */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
    this.name = name;
  }

  /** The moment of a local time, given as the seconds that it would be in UTC. */
  momentOf(local: number): LocalMoment {
    // No zone changes its clocks twice within two days.
    const [before, after] = [this.#ahead(local - secondsPerDay), this.#ahead(local + secondsPerDay)];
    if (before === after) return { seconds: local - before };
    const [first, second] = [local - before, local - after];
    const isFirst = this.#ahead(first) === before;
    const isSecond = this.#ahead(second) === after;
    if (isFirst && isSecond) return { seconds: first, again: second };
    if (isFirst || isSecond) return { seconds: isFirst ? first : second };
    return { seconds: first, isSkipped: true };
  }

  /** The local time of a moment, as the seconds that it would be in UTC. */
  localAt(moment: number): number {
    return moment + this.#ahead(moment);
  }

  /** Seconds by which its clocks are ahead of UTC at a moment. */
  #ahead(seconds: number): number {
    const block = Math.floor(seconds / blockSeconds);
    const knownOffset = this.#offsets.get(block);
    if (knownOffset !== undefined) return knownOffset;
    const parts = this.#format.formatToParts(block * blockSeconds * 1_000);
    const text = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    // "GMT", "GMT+01:00"; before there were zones "GMT+00:53:28".
    const [, sign, hours, minutes, rest] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
    const size = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(rest ?? 0);
    const ahead = sign === "-" ? -size : size;
    this.#offsets.set(block, ahead);
    return ahead;
  }
}
