import { stripVTControlCharacters } from 'node:util'
import type { LeaseCount } from '../../src/farm/overview/farm-overview.ts'
import type { FarmStatus, StageStatus } from './farm-status.ts'
import { tableText } from './table.ts'
import type { Column } from './table.ts'
import { count, duration, heights, many, styled } from './texts.ts'

/** Left out first where the screen is too narrow; the ones before are never. */
const leftOut = ['OLDEST UNFINISHED', 'HOLES', 'SKIPPED', 'QUEUED', 'FAILED', 'LEFT', 'RATE/S']

/** The state of the farm for people: a table of stages that fits into `width` columns, and what deserves a word. */
export function statusText(status: FarmStatus, width: number): string {
  return [...headLines(status), '', stagesTable(status, width), ...remarks(status)].join('\n')
}

function headLines({ chainId, head, stored, takenAt }: FarmStatus): string[] {
  const range = stored === null ? 'nothing yet' : `heights ${heights(stored)}`
  const newest = head === null ? 'unknown' : count(head)
  return [takenAt.toISOString(), `Chain ${chainId ?? 'unknown'}, head ${newest}, stored ${range}.`]
}

function stagesTable({ stages, takenAt }: FarmStatus, width: number): string {
  let shown = columns(takenAt)
  let text = tableText(shown, stages).trimEnd()
  for (const title of leftOut) {
    if (Math.max(...text.split('\n').map((line) => stripVTControlCharacters(line).length)) <= width) break
    shown = shown.filter((column) => column.title !== title)
    text = tableText(shown, stages).trimEnd()
  }
  return text
}

function columns(now: Date): Column<StageStatus>[] {
  const numbers: readonly (readonly [string, (stage: StageStatus) => string])[] = [
    ['COVERED', ({ covered }) => count(covered)],
    ['OWED', ({ owed }) => count(owed)],
    ['QUEUED', ({ queued }) => leases(queued)],
    ['IN FLIGHT', ({ active }) => leases(active)],
    ['FAILED', ({ failed }) => trouble('yellow', failed)],
    ['FLAGGED', ({ flagged }) => trouble('red', flagged)],
    ['SKIPPED', ({ skipped }) => leases(skipped)],
    ['HOLES', ({ holes }) => count(holes)],
    ['RATE/S', ({ rate }) => (rate === null ? '-' : count(Math.round(rate)))],
    ['LEFT', ({ etaSeconds }) => (etaSeconds === null ? '-' : duration(etaSeconds))],
  ]
  return [
    { title: 'STAGE', value: ({ name, isEnabled }) => (isEnabled ? name : `${name} (off)`) },
    ...numbers.map(([title, value]) => ({ title, value, align: 'right' as const })),
    { title: 'OLDEST UNFINISHED', value: (stage) => blockedText(stage, now) ?? oldest(stage, now) },
  ]
}

/** Leases, and the heights in them. */
function leases({ leases: number, heights: inThem }: LeaseCount): string {
  return number === 0 ? '0' : `${count(number)} (${count(inThem)})`
}

function trouble(colour: 'red' | 'yellow', found: LeaseCount): string {
  return found.leases === 0 ? '0' : styled(colour, leases(found))
}

function blockedText({ blocked }: StageStatus, now: Date): string | undefined {
  if (blocked === null) return undefined
  const age = duration(Math.max(0, (now.getTime() - blocked.since.getTime()) / 1000))
  const [color, state] = blocked.cause === 'failed' ? (['red', 'stuck'] as const) : (['yellow', 'behind'] as const)
  return styled(
    color,
    `${state} for ${age}: ${many(blocked.heights, 'height waits', 'heights wait')} for ${blocked.by}`,
  )
}

function oldest({ oldestUnfinished: lease }: StageStatus, now: Date): string {
  if (lease === null) return '-'
  const age = duration(Math.max(0, (now.getTime() - lease.since.getTime()) / 1000))
  return `${heights(lease)}, ${lease.status} for ${age}, ${many(lease.attempt, 'run')}`
}

function remarks({
  stages,
  isCoordinated,
  requests,
  unresolvedErrors,
  failingHeights,
  unavailableHeights,
}: FarmStatus): string[] {
  const flagged = stages.reduce((sum, stage) => sum + stage.flagged.leases, 0)
  const idle = 'No process works on the farm: nothing is derived until one does (npm start).'
  const stuck = `${many(flagged, 'range needs', 'ranges need')} a person: npm run leases -- list --status flagged`
  const lines = [
    ...(isCoordinated ? [] : [styled('yellow', idle)]),
    ...(flagged > 0 ? [styled('red', stuck)] : []),
    ...(failingHeights > 0
      ? [
          styled(
            'red',
            `Ingestion waits for ${many(failingHeights, 'height')} that no access node serves: npm run raw -- list`,
          ),
        ]
      : []),
    ...(unavailableHeights > 0
      ? [`${many(unavailableHeights, 'height')} are unavailable, whole or in part: npm run raw -- list`]
      : []),
    ...(unresolvedErrors > 0 ? [`${many(unresolvedErrors, 'input')} could not be used: see raw.indexing_errors.`] : []),
    ...requests.map(({ id, workers, workersOff, ...range }) => {
      const off = workersOff.length === 0 ? '' : `; switched off: ${workersOff.join(', ')}`
      return `Request ${id}: heights ${heights(range)} by ${workers.join(', ')}${off}`
    }),
  ]
  return lines.length === 0 ? [] : ['', ...lines]
}
