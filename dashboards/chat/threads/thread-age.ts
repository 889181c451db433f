import type { Thread } from './thread-store.ts'

export interface ThreadGroup {
  readonly name: string
  readonly threads: readonly Thread[]
}

const dayMs = 86_400_000

/** Conversations under the days that people count by: today, yesterday, the last week, and before. @param now in ms, as the person's clock has it */
export function groupByAge(threads: readonly Thread[], now: number): readonly ThreadGroup[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0)
  const groups: Record<string, Thread[]> = { Today: [], Yesterday: [], 'Last 7 days': [], Earlier: [] }
  for (const thread of threads) {
    const before = midnight - thread.updatedAt
    const name = before <= 0 ? 'Today' : before <= dayMs ? 'Yesterday' : before <= 6 * dayMs ? 'Last 7 days' : 'Earlier'
    groups[name]?.push(thread)
  }
  return Object.entries(groups)
    .filter(([, found]) => found.length > 0)
    .map(([name, found]) => ({ name, threads: found }))
}
