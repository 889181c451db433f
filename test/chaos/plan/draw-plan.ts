import { Random } from '../../simulation/random.ts'
import type { Fault } from '../../../simnode/node/faults.ts'
import type { Act, PlannedAct } from './act.ts'

/** Possible targets. */
export interface PlanWorld {
  /** Process names. */
  readonly processes: readonly string[]
  readonly nodes: number
  /** Whether the disk can be filled, which requires a small file system. */
  readonly hasSmallDisk: boolean
}

const second = 1000
const hour = 3600 * second

/**
 * Offset between block times and the machine's clock, ms: a chain may be late, or clocks of nodes
 * wrong.
 */
export function drawChainOffset(seed: number): number {
  return new Random(seed ^ 0x5eed).pick([0, 0, -72 * hour, -10 * 60 * second, 40 * second, 2 * hour])
}

/**
 * Endless sequence of acts, deterministic for a seed and world. Each round contains every kind in
 * random order, so that a short run covers most kinds. A second act overlaps a third of them.
 */
export function* drawPlan(seed: number, world: PlanWorld): Generator<PlannedAct, never> {
  const random = new Random(seed)
  for (let number = 1; ;) {
    for (const act of shuffled(random, drawRound(random, world))) {
      const holdMs = act.kind === 'freeze' ? random.integer(6 * second, 9 * second) : random.integer(second, 5 * second)
      // Its process is frozen, which should not combine with another freeze.
      const isAlone = act.kind === 'freeze' || !random.chance(1 / 3)
      const other = drawSecond(random, world)
      yield {
        number: number++,
        act,
        holdMs,
        second: isAlone ? undefined : { act: other, afterMs: random.integer(0, holdMs) },
      }
    }
  }
}

/** Each kind once, and kinds with a guarantee more often. */
function drawRound(random: Random, world: PlanWorld): Act[] {
  const { processes } = world
  return [
    ...processes.map((name): Act => ({ kind: 'kill', processes: [name] })),
    { kind: 'kill', processes },
    { kind: 'terminate', process: random.pick(processes) },
    { kind: 'freeze', process: random.pick(processes) },
    {
      kind: 'clock',
      process: random.pick(processes),
      stepMs: random.pick([-24 * hour, -hour, -30 * second, 30 * second, hour, 24 * hour]),
    },
    { kind: 'postgres', how: 'stop' },
    { kind: 'postgres', how: random.pick(['kill', 'crash-session', 'cut'] as const) },
    { kind: 'queue', how: random.pick(['empty', 'destroy'] as const) },
    drawFork(random, 1, 3),
    drawFork(random, 5, 40),
    drawFork(random, 60, 250),
    { kind: 'node-fault', nodes: drawNodes(random, world), fault: drawFault(random) },
    { kind: 'node-fault', nodes: drawNodes(random, world), fault: drawFault(random) },
    { kind: 'node-fault', nodes: allNodes(world), fault: { kind: 'latency', ms: random.integer(100, 2000) } },
    { kind: 'node-kill', nodes: drawNodes(random, world) },
    { kind: 'node-behind', node: random.integer(0, world.nodes - 1) },
    { kind: 'halt', burst: random.integer(10, 120) },
    { kind: 'receiver' },
    { kind: 'wallet-node', how: drawWalletFault(random) },
    { kind: 'wallet-node', how: random.pick(['freeze', 'expire'] as const) },
    ...(world.hasSmallDisk ? [{ kind: 'disk' } as const] : []),
  ]
}

/** Acts that may overlap any other act. */
function drawSecond(random: Random, world: PlanWorld): Act {
  const draw = {
    kill: (): Act => ({ kind: 'kill', processes: [random.pick(world.processes)] }),
    fork: (): Act => drawFork(random, 1, 60),
    fault: (): Act => ({ kind: 'node-fault', nodes: drawNodes(random, world), fault: drawFault(random) }),
  }
  return draw[random.weighted({ kill: 3, fork: 2, fault: 2 })]()
}

function drawFork(random: Random, min: number, max: number): Act {
  const isApart = random.chance(0.5)
  return { kind: 'fork', depth: random.integer(min, max), apartMs: isApart ? random.integer(100, 3000) : 0 }
}

/**
 * Node faults after which full recovery is possible. Excluded are undecodable events, which require
 * operator action, and nodes without bulk calls, which do not serve system transactions.
 */
function drawFault(random: Random): Fault {
  const times = random.integer(1, 8)
  return random.pick<() => Fault>([
    () => ({
      kind: 'status',
      code: random.pick(['UNAVAILABLE', 'INTERNAL', 'DEADLINE_EXCEEDED', 'NOT_FOUND'] as const),
      times: times * 4,
    }),
    () => ({ kind: 'rate-limit', perSecond: random.integer(2, 20) }),
    () => ({ kind: 'drop-connection', times }),
    () => ({ kind: 'never-answer', times: random.integer(1, 2) }),
    () => ({ kind: 'garbage', times }),
    () => ({ kind: 'wrong-parent', times }),
    () => ({ kind: 'missing-results', times: times * 2 }),
    () => ({ kind: 'fewer-results', times }),
    () => ({ kind: 'oversized', bytes: 5_000_000, times: random.integer(1, 2) }),
    () => ({ kind: 'lost-error-message' }),
    () => ({ kind: 'lying-head', ahead: random.integer(1, 50) }),
  ])()
}

/**
 * Faults of the wallet's node that cannot lead to undetectably wrong data: a node that denies the
 * existence of the payer is trusted. A sent transaction may arrive without confirmation (no
 * response), or not arrive.
 */
function drawWalletFault(random: Random): Fault {
  const times = random.integer(2, 12)
  const sending = { methods: ['SendTransaction'] }
  return random.pick<() => Fault>([
    () => ({
      kind: 'status',
      code: random.pick(['UNAVAILABLE', 'INTERNAL', 'DEADLINE_EXCEEDED'] as const),
      times: times * 4,
    }),
    () => ({ kind: 'status', code: 'NOT_FOUND', methods: ['GetTransactionResult'], times }),
    () => ({ kind: 'status', code: 'UNAVAILABLE', ...sending, times }),
    () => ({ kind: 'garbage', ...sending, times }),
    () => ({ kind: 'drop-connection', times }),
    () => ({ kind: 'drop-connection', ...sending, times }),
    () => ({ kind: 'never-answer', times: random.integer(1, 3) }),
    () => ({ kind: 'rate-limit', perSecond: random.integer(2, 20) }),
    () => ({ kind: 'latency', ms: random.integer(100, 2000) }),
    () => ({ kind: 'lying-head', ahead: random.integer(1, 50) }),
  ])()
}

function allNodes({ nodes }: PlanWorld): readonly number[] {
  return Array.from({ length: nodes }, (_, index) => index)
}

/** One or all of them. */
function drawNodes(random: Random, world: PlanWorld): readonly number[] {
  return random.chance(0.5) ? allNodes(world) : [random.integer(0, world.nodes - 1)]
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const rest = [...items]
  return items.map(() => rest.splice(random.integer(0, rest.length - 1), 1)[0] as T)
}
