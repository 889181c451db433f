/** Deeper than anything that a person or a program means: arguments of scripts nest by three for each level of Cadence. */
export const mostJsonLevels = 200

/**
 * Whether lists and objects are within each other at most so deep. What reads a value by calling itself, as `JSON.stringify` does, ends
 * with a full stack for one that is deeper than some thousands, which fit into a few kilobytes.
 */
export function isShallow(value: unknown, mostLevels = mostJsonLevels): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth <= mostLevels; depth++) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) as unknown[] : []))
    if (level.length === 0) return true
  }
  return false
}
