const pattern =
  /^(?<sign>-)?(?:(?<days>\d+)\.)?(?<hours>\d{1,2}):(?<minutes>\d{1,2})(?::(?<seconds>\d{1,2})(?:\.(?<fraction>\d{1,7}))?)?$/;

/**
 * Milliseconds of a .NET TimeSpan (`hh:mm`, `hh:mm:ss[.fffffff]`, `d.hh:mm:ss`), the form of all durations in
 * host.json; undefined for any other text. No library reads this form.
 */
export function parseTimeSpan(text: string): number | undefined {
  const match = pattern.exec(text.trim());
  if (match?.groups === undefined) return undefined;
  const { sign, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = "0" } = match.groups;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const wholeSeconds = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const milliseconds = wholeSeconds * 1000 + Math.round(Number(`0.${fraction}`) * 1000);
  return sign === undefined ? milliseconds : -milliseconds;
}
