const daySeconds = 86_400;

/** Unix seconds as ISO 8601 in UTC, to the second. Written out here because the engine has no clock or calendar. */
export function isoTime(unixSeconds: number): string {
  const seconds = Math.floor(unixSeconds);
  const days = Math.floor(seconds / daySeconds);
  const rest = seconds - days * daySeconds;
  const { year, month, day } = civilDate(days);
  const clock = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60].map(twoDigits).join(":");
  return `${year}-${twoDigits(month)}-${twoDigits(day)}T${clock}Z`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** The Gregorian date of a day number since 1970-01-01, counting years from March so that leap days come last. */
function civilDate(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
