const ends: (() => Promise<void>)[] = []

/** Has something that test files share ended after all tests, the last made first. */
export function atEndOfTests(end: () => Promise<void>): void {
  ends.push(end)
}

/** Called once, after all tests. */
export async function endSharedThings(): Promise<void> {
  for (const end of ends.splice(0).toReversed()) await end()
}
