const hourUs = 3_600_000_000

/** The hour of the day of a time in UTC, 0 to 23. @param timestampUs microseconds since 1970 */
export function utcHour(timestampUs: number): number {
  const hours = Math.floor(timestampUs / hourUs) % 24
  return hours < 0 ? hours + 24 : hours
}
