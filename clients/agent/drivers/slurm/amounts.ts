/** Of `90`, `90:30`, `1:30:00`, `1-12`, `1-12:30`, `1-12:30:00`; undefined: without a limit, or no time. */
export function minutesIn(text: string | undefined): number | undefined {
  const parts = /^(?:(\d{1,6})-)?(\d{1,6})(?::(\d{1,6}))?(?::(\d{1,6}))?$/.exec(text ?? "");
  if (parts === null) return undefined;
  const [, days, first = "0", second, third] = parts;
  const [hours, minutes, seconds] =
    days !== undefined || third !== undefined ? [first, second, third] : ["0", first, second];
  const [d, h, m, s] = [days, hours, minutes, seconds].map((each) => Number(each ?? 0));
  return (d ?? 0) * 1_440 + (h ?? 0) * 60 + (m ?? 0) + Math.ceil((s ?? 0) / 60);
}

/** Of `2000`, `2000M`, `4G`; undefined: no size. */
export function mebibytesIn(text: string): number | undefined {
  const [, amount, unit = "M"] = /^(\d{1,12})([KMGT])?B?$/i.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Math.ceil(Number(amount) * 1024 ** ("KMGT".indexOf(unit.toUpperCase()) - 1));
}
