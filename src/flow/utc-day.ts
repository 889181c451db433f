const dayUs = 86_400_000_000

/** The day of a time in UTC, as days since 1970-01-01. @param timestampUs microseconds since 1970 */
export function utcDay(timestampUs: number): number {
  return Math.floor(timestampUs / dayUs)
}
