import type { Overview, Stage } from './answers.gen.ts'
import { formatCount, formatDuration, formatNumber } from '../kit/formats.ts'
import type { Tone } from '../kit/controls.tsx'

export interface Summary {
  readonly tone: Tone
  readonly verdict: string
  readonly detail: string
  /** Over enabled workers. */
  readonly backlog: number
  readonly activeLeases: number
  readonly rate: number
  readonly etaSeconds: number | undefined
  readonly lag: number | undefined
  readonly flagged: number
  readonly failed: number
  readonly skipped: number
}

export function summarize(overview: Overview): Summary {
  const { stages, head, stored } = overview
  const workers = stages.filter((stage) => stage.kind === 'worker' && stage.isEnabled)
  const sums = {
    backlog: sum(workers, (stage) => stage.backlog),
    activeLeases: sum(stages, (stage) => stage.active.leases),
    rate: sum(workers, (stage) => stage.rate ?? 0),
    flagged: sum(stages, (stage) => stage.flagged.leases),
    failed: sum(stages, (stage) => stage.failed.leases),
    skipped: sum(stages, (stage) => stage.skipped.leases),
  }
  const behind = workers.filter((stage) => stage.backlog > 0)
  const isKnown = behind.every((stage) => stage.etaSeconds !== null)
  const etaSeconds = isKnown ? Math.max(0, ...behind.map((stage) => stage.etaSeconds ?? 0)) : undefined
  const lag = head === null || stored === null ? undefined : Math.max(0, head + 1 - stored.to)
  return { ...sums, etaSeconds, lag, ...judge(overview, sums, etaSeconds) }
}

function judge(
  overview: Overview,
  sums: Pick<Summary, 'backlog' | 'flagged' | 'failed'>,
  etaSeconds: number | undefined,
): Pick<Summary, 'tone' | 'verdict' | 'detail'> {
  const { flagged, failed, backlog } = sums
  const errors = overview.unresolvedErrors
  if (!overview.database.isUp) {
    return {
      tone: 'bad',
      verdict: 'The database is not reachable',
      detail: 'No blocks are stored or derived until it is back. The services keep trying to reconnect.',
    }
  }
  if (flagged > 0) {
    const where = overview.stages
      .filter((stage) => stage.flagged.leases > 0)
      .map((stage) => `${formatNumber(stage.flagged.leases)} of ${stage.name}`)
    return {
      tone: 'bad',
      verdict: `${formatCount(flagged, 'range')} ${flagged === 1 ? 'is' : 'are'} stuck`,
      detail: `Retries are used up (${where.join(', ')}). Fix the cause, then requeue. Other heights are derived.`,
    }
  }
  const blocked = overview.stages.find((stage) => stage.isEnabled && stage.blocked !== null)
  if (blocked?.blocked !== null && blocked !== undefined) {
    const { by, cause, heights } = blocked.blocked
    const waiting = `${formatCount(heights, 'height')} ${heights === 1 ? 'waits' : 'wait'} for ${by}`
    if (cause === 'failed')
      return { tone: 'warn', verdict: `${blocked.name} is stuck`, detail: `${waiting}, which failed.` }
    return {
      tone: 'warn',
      verdict: `${blocked.name} is behind by ${formatCount(heights, 'block')}`,
      detail: `${waiting}, which makes no progress. Check that it is enabled and that a process runs it.`,
    }
  }
  if (overview.failingHeights > 0) {
    return {
      tone: 'bad',
      verdict: `Ingestion waits for ${formatCount(overview.failingHeights, 'height')}`,
      detail: 'No access node serves them. Add a node that has them, or skip them under Unavailable heights.',
    }
  }
  if (failed > 0) {
    return {
      tone: 'warn',
      verdict: 'Retrying failed ranges',
      detail: `${formatCount(failed, 'range')} failed and will be retried. No action is needed yet.`,
    }
  }
  if (errors > 0) {
    return {
      tone: 'warn',
      verdict: 'Some inputs could not be decoded',
      detail: `${formatCount(errors, 'input')} stored unchanged. See Indexing errors.`,
    }
  }
  if (overview.stored === null)
    return {
      tone: 'neutral',
      verdict: 'No blocks stored yet',
      detail: 'The ingesters have not committed their first block.',
    }
  if (backlog === 0) return { tone: 'good', verdict: 'All systems normal', detail: 'All stored heights are derived.' }
  const when = etaSeconds === undefined ? '' : `, about ${formatDuration(etaSeconds)} left`
  return {
    tone: 'good',
    verdict: 'All systems normal',
    detail: `${formatCount(backlog, 'height')} in the backlog${when}.`,
  }
}

function sum(stages: readonly Stage[], value: (stage: Stage) => number): number {
  return stages.reduce((total, stage) => total + value(stage), 0)
}
