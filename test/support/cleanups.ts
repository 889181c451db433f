const ends: (() => Promise<void>)[] = []

/**
 * Registers the cleanup of a resource shared by test files. Cleanups run after all tests in reverse
 * order.
 */
export function atEndOfTests(end: () => Promise<void>): void {
  ends.push(end)
}

/** Called once, after all tests. */
export async function runCleanups(): Promise<void> {
  for (const end of ends.splice(0).toReversed()) await end()
}
