/** The time of a block that may be unknown, or not stored. */
export function timeAt(times: ReadonlyMap<number, string>, height: number | null): string | null {
  return height === null ? null : (times.get(height) ?? null)
}
