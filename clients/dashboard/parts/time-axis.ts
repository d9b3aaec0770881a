const day = 86_400;

/** How far apart the marks of a time axis may be, in seconds. */
export const timeSteps: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600),
  ...[1, 2, 5, 10].map((days) => days * day),
];

/** Where marks are: whole hours and midnights of the viewer's zone, also where its clock is changed in between. */
export function timesBetween(from: number, until: number, step: number): number[] {
  const offset = (at: number) => new Date(at * 1_000).getTimezoneOffset() * 60;
  const times: number[] = [];
  // In seconds of the viewer's clock.
  for (let local = Math.ceil((from - offset(from)) / step) * step; ; local += step) {
    const guess = local + offset(from);
    const at = local + offset(guess);
    if (at > until) return times;
    // An hour that the clock leaves out has no mark.
    if (at >= from && at - offset(at) === local) times.push(at);
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const date = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** The date at midnight, else the time of day. */
export function timeMark(at: number, step: number): string {
  const moment = new Date(at * 1_000);
  const isMidnight = moment.getHours() === 0 && moment.getMinutes() === 0;
  return (isMidnight || step >= day ? date : clock).format(moment);
}
