import type { LeaseStatus } from '../../src/farm/leases/lease.ts'
import type { ListedLease } from '../../src/farm/leases/operator-leases.ts'
import { tableText } from './table.ts'
import { count, duration, heights, styled } from './texts.ts'

/** Longer messages are cut here; --json has them whole. */
const mostCharacters = 100

/** Leases as a table: what it is, how often it ran, and what is the matter with it. */
export function leasesTable(leases: readonly ListedLease[], now = new Date()): string {
  const since = ({ updatedAt }: ListedLease): number => (now.getTime() - updatedAt.getTime()) / 1000
  return tableText<ListedLease>(
    [
      { title: 'WORKER', value: ({ worker }) => worker },
      { title: 'HEIGHTS', value: heights },
      { title: 'STATUS', value: ({ status }) => styled(colourOf(status), status) },
      { title: 'RUNS', align: 'right', value: ({ attempt }) => count(attempt) },
      { title: 'SINCE', align: 'right', value: (lease) => duration(Math.max(0, since(lease))) },
      { title: 'CODE', value: ({ code }) => code ?? '' },
      { title: '', value: (lease) => noteOf(lease, now) },
    ],
    leases,
  )
}

function noteOf({ status, reason, error, leasedBy, notBefore }: ListedLease, now: Date): string {
  if (status === 'skipped' && reason !== null) return `skipped: ${oneLine(reason)}`
  if (status === 'active') return `by ${leasedBy ?? 'nobody'}`
  const seconds = notBefore === null ? 0 : (notBefore.getTime() - now.getTime()) / 1000
  const again = status === 'failed' && seconds > 0 ? `again in ${duration(seconds)}; ` : ''
  return again + oneLine(error ?? '')
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters - 1)}…` : line
}

function colourOf(status: LeaseStatus): 'red' | 'yellow' | 'cyan' | 'reset' {
  if (status === 'flagged') return 'red'
  if (status === 'failed' || status === 'skipped') return 'yellow'
  return status === 'active' ? 'cyan' : 'reset'
}
