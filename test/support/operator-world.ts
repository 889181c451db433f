import type {
  Coverage,
  CoverageLane,
  IndexingError,
  Lease,
  Overview,
  Stage,
} from '../../dashboards/operator/answers.gen.ts'
import type { HeightRange } from '../../dashboards/operator/coverage-cells.ts'

/**
 * A farm of made-up numbers, for viewing the operator page in states that a real farm takes hours
 * to reach.
 */
export interface OperatorWorld {
  overview: Overview
  leases: Lease[]
  errors: IndexingError[]
  /** Completed and active ranges of a stage. */
  readonly done: ReadonlyMap<string, readonly HeightRange[]>
  readonly active: ReadonlyMap<string, readonly HeightRange[]>
}

const now = Date.now()
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString()
const sizeOf = (ranges: readonly HeightRange[]): number => ranges.reduce((sum, { from, to }) => sum + to - from, 0)
const none = { leases: 0, heights: 0 }

const head = 124_918_342
const bottom = 124_000_000
const workers = [
  ['token_worker', 'Finds the moves of tokens.', 1, [], 0.93],
  ['evm_worker', 'Decodes the transactions of the EVM.', 1, [], 0.9],
  ['tx_contracts_worker', 'Notes which contracts a transaction touches.', 1, [], 0.97],
  ['accounts_worker', 'Keeps accounts and their keys.', 1, [], 0.88],
  ['staking_worker', 'Keeps nodes and delegators.', 1, [], 0.95],
  ['defi_worker', 'Finds swaps and pairs.', 1, [], 0.91],
  ['ft_holdings_worker', 'Keeps the balances of fungible tokens.', 2, ['token_worker'], 0.81],
  ['nft_ownership_worker', 'Keeps who owns which token.', 2, ['token_worker'], 0.77],
  ['daily_stats_worker', 'Sums up the days.', 2, ['token_worker', 'evm_worker'], 0],
] as const

function stage(base: Partial<Stage> & Pick<Stage, 'name' | 'kind' | 'covered' | 'available'>): Stage {
  return {
    description: '',
    phase: 0,
    follows: [],
    isEnabled: true,
    own: null,
    backlog: base.available - base.covered,
    queued: none,
    active: none,
    failed: none,
    flagged: none,
    skipped: none,
    rate: null,
    etaSeconds: null,
    lowest: bottom,
    highest: head,
    holes: 0,
    blocked: null,
    oldestUnfinished: null,
    updatedAt: ago(1),
    ...base,
  }
}

/** Completed history segments around gaps left by a crash, and the newest heights. */
function doneRanges(share: number, seed: number): HeightRange[] {
  const total = head + 1 - bottom
  if (share === 0) return []
  const start = head + 1 - Math.floor(total * share)
  const holeAt = start + Math.floor(total * 0.13 * (1 + seed / 5))
  const second = Math.min(head - 9000, holeAt + Math.floor(total * 0.31))
  return [
    { from: start, to: holeAt },
    { from: holeAt + 2500 * (1 + (seed % 3)), to: second },
    { from: second + 3000, to: head - 60 },
    { from: head - 40, to: head + 1 - (seed % 3) },
  ]
}

/** A farm during backfill, with one failing worker. */
export function busyWorld(): OperatorWorld {
  const leases = failingLeases()
  const done = new Map<string, HeightRange[]>([
    ['main_ingester', [{ from: head - 40_000, to: head + 1 }]],
    ['history_ingester', [{ from: bottom, to: head - 40_000 }]],
  ])
  const active = new Map<string, HeightRange[]>()
  const count = (worker: string, status: string): { leases: number; heights: number } => {
    const own = leases.filter((lease) => lease.worker === worker && lease.status === status)
    return { leases: own.length, heights: sizeOf(own) }
  }
  const stages = [
    stage({
      name: 'main_ingester',
      kind: 'ingester',
      description: 'Follows the head of the chain.',
      covered: 40_001,
      available: 40_001,
      rate: 1.2,
      etaSeconds: 0,
    }),
    stage({
      name: 'history_ingester',
      kind: 'ingester',
      description: 'Fills in history.',
      covered: sizeOf(done.get('history_ingester') ?? []),
      available: 1_324_310,
      rate: 412,
      etaSeconds: 1130,
    }),
    ...workers.map(([name, description, phase, follows, share], i) => {
      const ranges = doneRanges(share, i)
      done.set(name, ranges)
      const first = ranges[0]?.from ?? head
      const running =
        share === 0
          ? []
          : Array.from({ length: 4 + (i % 3) }, (_, k) => ({
              from: first - 1000 * (k + 1) - k * 4000,
              to: first - 1000 * k - k * 4000,
            }))
      active.set(name, running)
      const available = head + 1 - bottom - (phase === 2 ? 64_000 : 0)
      const covered = sizeOf(ranges)
      const rate = share === 0 ? null : 900 + 310 * ((i * 7) % 5)
      const [flagged, failed, skipped] = [count(name, 'flagged'), count(name, 'failed'), count(name, 'skipped')]
      const backlog = share === 0 ? 0 : available - covered - skipped.heights
      return stage({
        name,
        kind: 'worker',
        description,
        phase,
        follows,
        isEnabled: share > 0,
        covered,
        available: share === 0 ? 0 : available,
        backlog,
        rate,
        etaSeconds: rate === null ? null : Math.round(backlog / rate),
        active: { leases: running.length, heights: sizeOf(running) },
        queued: { leases: share === 0 ? 0 : 24, heights: share === 0 ? 0 : 24_000 },
        flagged,
        failed,
        skipped,
        holes: Math.max(0, ranges.length - 1),
        oldestUnfinished:
          share === 0
            ? null
            : flagged.leases > 0
              ? {
                  ...(leases.find((lease) => lease.worker === name) ?? { from: 0, to: 1 }),
                  status: 'flagged',
                  attempt: 21,
                  since: ago(name === 'token_worker' ? 8040 : 1290),
                }
              : { from: first - 1000, to: first, status: 'active', attempt: 1, since: ago(3 + i) },
      })
    }),
  ]
  const overview: Overview = {
    generatedAt: ago(0),
    version: '0.1.0',
    chainId: 'flow-mainnet',
    head,
    stored: { from: bottom, to: head + 1 },
    database: { isUp: true },
    queues: 'postgres',
    stages,
    unresolvedErrors: 2,
    stuckSessions: 0,
    failingHeights: 0,
    unavailableHeights: 0,
    drills: [],
  }
  return { overview, leases, errors: someErrors(), done, active }
}

/** The same farm after completion. */
export function calmWorld(): OperatorWorld {
  const busy = busyWorld()
  const all = [{ from: bottom, to: head + 1 }]
  const stages = busy.overview.stages.map((each) => ({
    ...each,
    covered: each.isEnabled ? each.available : 0,
    backlog: 0,
    active: none,
    queued: none,
    failed: none,
    flagged: none,
    skipped: none,
    oldestUnfinished: null,
    holes: 0,
    etaSeconds: 0,
    rate: each.isEnabled ? 1.2 : null,
  }))
  const done = new Map(
    [...busy.done].map(([name, ranges]) => [
      name,
      ranges.length === 0 ? [] : name.endsWith('_ingester') ? ranges : all,
    ]),
  )
  return {
    overview: { ...busy.overview, stages, unresolvedErrors: 0 },
    leases: [],
    errors: [],
    done,
    active: new Map(),
  }
}

/** A farm before its first block. */
export function emptyWorld(): OperatorWorld {
  const { overview } = calmWorld()
  const stages = overview.stages.map((each) => ({
    ...each,
    covered: 0,
    available: 0,
    lowest: null,
    highest: null,
    rate: null,
    etaSeconds: null,
    updatedAt: null,
  }))
  return {
    overview: { ...overview, stages, stored: null, head: null, chainId: null },
    leases: [],
    errors: [],
    done: new Map(),
    active: new Map(),
  }
}

function failingLeases(): Lease[] {
  const base = {
    expiries: 0,
    leasedBy: null,
    leaseExpiresAt: null,
    notBefore: null,
    error: null,
    code: null,
    stack: null,
    reason: null,
    createdAt: ago(90_000),
    updatedAt: ago(8040),
  }
  const stack = [
    'DecodeError: Event 3 of transaction 11: field "balanceAfter" is missing',
    '    at readField (src/flow/tokens/read-field.ts:41:11)',
    '    at tokenMoves (src/flow/tokens/token-moves.ts:118:24)',
    '    at derive (jobs/token-worker.ts:63:19)',
    '    at runRange (src/farm/worker-loop/run-range.ts:88:28)',
  ].join('\n')
  const decode = { error: 'Event 3 of transaction 11: field "balanceAfter" is missing', code: 'missing-field', stack }
  const fold = {
    error: 'canceling statement due to statement timeout while folding 48,213 holdings',
    code: 'statement-timeout',
    stack: stack.replace('DecodeError', 'RetryableError'),
  }
  return [
    {
      ...base,
      ...decode,
      worker: 'token_worker',
      from: 124_310_400,
      to: 124_310_401,
      status: 'flagged',
      attempt: 21,
      leasedBy: 'farm-2:4211:1763701201',
    },
    {
      ...base,
      ...decode,
      worker: 'token_worker',
      from: 124_310_977,
      to: 124_310_978,
      status: 'flagged',
      attempt: 21,
      updatedAt: ago(7210),
    },
    {
      ...base,
      ...fold,
      worker: 'ft_holdings_worker',
      from: 124_402_000,
      to: 124_403_000,
      status: 'flagged',
      attempt: 21,
      expiries: 2,
      updatedAt: ago(1290),
    },
    {
      ...base,
      ...fold,
      worker: 'ft_holdings_worker',
      from: 124_511_000,
      to: 124_512_000,
      status: 'failed',
      attempt: 4,
      notBefore: new Date(now + 42_000).toISOString(),
      updatedAt: ago(18),
    },
    {
      ...base,
      ...decode,
      worker: 'accounts_worker',
      from: 124_220_000,
      to: 124_220_500,
      status: 'skipped',
      attempt: 21,
      reason: 'Account creation of the emulator era, not on this network',
      updatedAt: ago(172_800),
    },
  ]
}

function someErrors(): IndexingError[] {
  const base = {
    worker: 'main_ingester',
    code: 'bad-payload',
    occurrences: 1,
    firstSeenAt: ago(40_000),
    lastSeenAt: ago(40_000),
  }
  return [
    {
      ...base,
      id: 2,
      height: 124_877_120,
      txIndex: 4,
      eventIndex: 2,
      message: 'CCF: unknown type tag 191 at byte 88',
      eventType: 'A.0b2a3299cc857e29.TopShot.Deposit',
      transactionId: 'ab'.repeat(32),
    },
    {
      ...base,
      id: 1,
      worker: 'evm_worker',
      height: 124_641_003,
      txIndex: 0,
      eventIndex: 11,
      message: 'RLP: list ends inside of an item',
      eventType: 'A.e467b9dd11fa00df.EVM.TransactionExecuted',
      transactionId: null,
      occurrences: 3,
      lastSeenAt: ago(600),
    },
  ]
}

/** The coverage of a world as a diagram. */
export function coverageOf(
  world: OperatorWorld,
  { from, to, cells }: Pick<Coverage, 'from' | 'to' | 'cells'>,
): Coverage {
  const share = (ranges: readonly HeightRange[]): number[] =>
    Array.from({ length: cells }, (_, cell) => {
      const low = from + Math.floor(((to - from) * cell) / cells)
      const high = Math.max(low + 1, from + Math.floor(((to - from) * (cell + 1)) / cells))
      const heights = ranges.reduce(
        (sum, range) => sum + Math.max(0, Math.min(high, range.to) - Math.max(low, range.from)),
        0,
      )
      return heights === 0 ? 0 : Math.max(0.01, Math.floor((heights / (high - low)) * 100) / 100)
    })
  const ofLeases = (worker: string, statuses: readonly string[]): number[] =>
    share(world.leases.filter((lease) => lease.worker === worker && statuses.includes(lease.status)))
  const stages = world.overview.stages.map(({ name }): CoverageLane => ({
    name,
    done: share(world.done.get(name) ?? []),
    active: share(world.active.get(name) ?? []),
    failing: ofLeases(name, ['failed', 'flagged']),
    skipped: ofLeases(name, ['skipped']),
  }))
  return { from, to, cells, stages }
}
