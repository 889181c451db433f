import { availableParallelism, loadavg } from 'node:os'
import { workers } from '../../jobs/index.ts'
import { exitCodes } from '../../src/platform/errors.ts'
import { pause } from '../../src/platform/retry.ts'
import { describeState, findViolations } from '../simulation/invariants.ts'
import { perform } from './acts/perform.ts'
import type { Measure } from './acts/running-act.ts'
import { checkFeed, hasReceivedAll, checkRebuild, checkTruth } from './checks/truth-checks.ts'
import { leftoverProcesses, untilAllDerived, untilRecovered } from './checks/recovery.ts'
import { checkWallet } from './checks/wallet-check.ts'
import type { PlannedAct } from './plan/act.ts'
import { drawChainOffset, drawPlan } from './plan/draw-plan.ts'
import { worstOf } from './report/report.ts'
import type { ActReport, ChaosReport } from './report/report.ts'
import { ChaosWorld, workersFolder } from './world/chaos-world.ts'
import type { WorldOptions } from './world/chaos-world.ts'

export interface ChaosRunOptions extends WorldOptions {
  /** Period during which acts are started. */
  readonly minutes: number
  /** Reproduces the plan. */
  readonly command: string
}

/** Above this load, which a run alone does not reach, durations are not meaningful. */
const maxLoadPerCore = 4
/** More memory than this indicates a leak. */
const maxMemoryMiB = 1024
const stopLimitMs = 10_000
/** Listeners that receive nothing for this long and still miss data have failed. */
const silenceMs = 30_000
const nodeCount = 2

/**
 * A complete run: start, acts, comparison, shutdown. Faults of flowfarm are reported; faults of the
 * run are thrown.
 */
export async function runChaos(options: ChaosRunOptions): Promise<ChaosReport> {
  const { findings, tell, seed } = options
  const startedAt = new Date()
  const acts: ActReport[] = []
  const world = await ChaosWorld.start(options)
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  // An interrupted run must leave nothing behind.
  let isBrokenOff = false
  const breakOff = (): void => {
    isBrokenOff = true
    tell('cancelled: stopping everything and deleting its data')
    void world.end().finally(() => process.exit(exitCodes.operatorActionRequired))
  }
  for (const signal of signals) process.once(signal, breakOff)
  let report: ChaosReport
  try {
    tell(`processes ${world.processes.map(({ name }) => name).join(', ')}; API on ${world.url}`)
    const firstMs = await untilRecovered(world)
    if (firstMs === undefined || !(await untilAllDerived(world))) {
      findings.add(
        'start',
        `the first ${options.history} blocks were not derived:\n${await describeState(world.postgres.pool)}`,
      )
    }
    const firstDerivedMs = Math.round(findings.seconds * 1000)
    await world.listen()
    tell(`history derived after ${findings.seconds} s; injecting faults`)
    const plan = drawPlan(seed, {
      processes: world.processes.map(({ name }) => name),
      nodes: nodeCount,
      hasSmallDisk: typeof world.disk !== 'string',
    })
    const until = performance.now() + options.minutes * 60_000
    while (performance.now() < until && acts.every(({ recoveredMs }) => recoveredMs !== null))
      acts.push(await runAct(world, plan.next().value))
    const checks = await compareAll(world)
    const stops = await stopAll(world)
    const { counts } = world.rest
    report = {
      isGood: findings.violations.length === 0,
      seed,
      minutes: options.minutes,
      command: options.command,
      startedAt: startedAt.toISOString(),
      seconds: findings.seconds,
      conditions: {
        node: process.version,
        cores: availableParallelism(),
        queue: world.queue.name,
        intervalMs: options.intervalMs,
        history: options.history,
        chainOffsetMs: drawChainOffset(seed),
        noSmallDisk: typeof world.disk === 'string' ? world.disk : null,
      },
      firstDerivedMs,
      acts,
      worst: worstOf(acts),
      checks,
      chain: { head: world.chain.head, branch: world.chain.branch, forks: world.chain.forks },
      listeners: {
        feedConnections: world.feed.connections,
        webhooks: world.webhooks?.received ?? 0,
        webhooksRefused: world.webhooks?.refused ?? 0,
        api: counts,
        queries: world.queries.counts,
        wallet: { ...world.users.calls.counts, ...world.users.counts },
      },
      processes: world.processes.map(({ name, startCount, peakMiB }) => ({
        name,
        starts: startCount,
        peakMiB,
        stopMs: stops.get(name) ?? 0,
      })),
      databaseMiB: typeof world.disk === 'string' ? null : await world.disk.used(),
      violations: findings.violations,
      excused: findings.excused,
    }
  } catch (error) {
    // Pending work fails during shutdown; its errors are ignored because the program exits
    // afterwards.
    if (isBrokenOff) await new Promise<never>(() => undefined)
    throw error
  } finally {
    for (const signal of signals) process.off(signal, breakOff)
    await world.end()
  }
  for (const one of await leftoverProcesses(options.run))
    findings.add('leftovers', `a process is still running: ${one}`)
  return {
    ...report,
    isGood: findings.violations.length === 0,
    seconds: findings.seconds,
    violations: findings.violations,
    excused: findings.excused,
  }
}

/** Runs one act and any overlapping act, then measures the recovery time. */
async function runAct(world: ChaosWorld, { number, act, holdMs, second }: PlannedAct): Promise<ActReport> {
  const {
    findings,
    options: { tell },
  } = world
  const at = findings.seconds
  const underway = [await perform(world, act)]
  if (second !== undefined) {
    await pause(second.afterMs)
    underway.push(await perform(world, second.act))
  }
  if (underway.some(({ end }) => end !== undefined)) await pause(Math.max(0, holdMs - (second?.afterMs ?? 0)))
  // Each limit may have to wait for the end of the other act.
  await Promise.all(underway.map(async ({ end }) => end?.()))
  const recoveredMs = await untilRecovered(world)
  const words = underway.map((one) => one.words).join('; meanwhile ')
  const limitMs = underway.length === 1 ? underway[0]?.recoveryLimitMs : undefined
  const measures: Measure[] =
    recoveredMs === undefined || limitMs === undefined ? [] : [{ what: 'queue refilled', ms: recoveredMs, limitMs }]
  if (recoveredMs !== undefined)
    measures.push(...(await Promise.all(underway.map(async (one) => (await one.measures?.()) ?? []))).flat())
  tell(
    `${at} s, act ${number}: ${words}; recovered after ${recoveredMs ?? '—'} ms${measures.map(({ what, ms }) => `; ${what} in ${ms} ms`).join('')}`,
  )
  const load = Math.round((loadavg()[0] ?? 0) * 10) / 10
  for (const { what, ms, limitMs } of measures) {
    if (limitMs === undefined || ms <= limitMs) continue
    const text = `act ${number} (${words}): ${ms} ms (limit ${limitMs}); load ${load} on ${availableParallelism()} cores`
    if (load > maxLoadPerCore * availableParallelism()) findings.excuse(what, text)
    else findings.add(what, text)
  }
  const { pool } = world.postgres
  if (recoveredMs === undefined)
    findings.add('recovery', `no recovery after act ${number} (${words}):\n${await describeState(pool)}`)
  else
    for (const violation of await findViolations(pool, workers))
      findings.add('invariants', `after act ${number} (${words}): ${violation}`)
  return { number, at, words, measures, recoveredMs: recoveredMs ?? null, load }
}

/** Stops the chain, waits for derivation and delivery, then compares everything. */
async function compareAll(world: ChaosWorld): Promise<ChaosReport['checks']> {
  const {
    chain,
    findings,
    postgres: { pool, url },
    options: { tell },
  } = world
  chain.halt()
  for (const node of chain.nodes) await node.settled()
  const recovered = await untilRecovered(world)
  if (recovered === undefined || !(await untilAllDerived(world))) {
    findings.add('end', `heights are not derived, or leases are open:\n${await describeState(pool)}`)
    return []
  }
  await world.users.stop()
  await world.users.settle()
  await waitForSubscribers(world)
  tell(`head ${chain.head}; comparing`)
  const webhooks = world.webhooks
  await webhooks?.check(pool, findings, world)
  return [
    { name: 'Ledger of the chain', compared: (await checkTruth(pool, chain, findings)).join(', ') },
    {
      name: 'Second derivation (npm run verify -- --rebuild)',
      compared: await checkRebuild(url, workersFolder(world.options), chain.head, findings),
    },
    { name: 'Live feed and stored blocks', compared: await checkFeed(pool, world.feed.seen, findings) },
    {
      name: 'Wallet responses, its tables and its chain',
      compared: await checkWallet(pool, world.users, world.walletChain.endpoint, findings),
    },
    {
      name: 'Webhooks and stored events',
      compared: `${webhooks?.received ?? 0} messages of three subscriptions`,
    },
  ]
}

/** Resolves when the listeners have received everything or receive no more. */
async function waitForSubscribers({ postgres: { pool }, webhooks, feed, chain, findings }: ChaosWorld): Promise<void> {
  let [received, changedAt] = ['', performance.now()]
  for (;;) {
    const [areSent, isHeard] = await Promise.all([webhooks?.isDone(pool, chain.head), hasReceivedAll(pool, feed.seen)])
    if (areSent === true && isHeard) return
    const now = `${webhooks?.received} ${feed.seen.mark}`
    if (now !== received) [received, changedAt] = [now, performance.now()]
    if (performance.now() - changedAt > silenceMs) {
      if (areSent !== true) findings.add('webhooks', `webhooks are pending, but none was sent for ${silenceMs} ms`)
      if (!isHeard) findings.add('feed', `the feed did not send the highest block, and was silent for ${silenceMs} ms`)
      return
    }
    await pause(50)
  }
}

/** Sends SIGTERM to all processes. @returns the shutdown time of each by name, ms */
async function stopAll(world: ChaosWorld): Promise<ReadonlyMap<string, number>> {
  world.users.end()
  await Promise.all([world.rest.stop(), world.queries.stop(), world.users.stop()])
  await world.feed.stop()
  const times = new Map<string, number>()
  for (const one of world.processes) {
    const { end, ms } = await one.stop()
    times.set(one.name, ms)
    if (end !== 0) world.findings.add('clean stop', `${one.name} ended with ${end} on SIGTERM:\n${one.lastLines(3)}`)
    if (ms > stopLimitMs) world.findings.add('clean stop', `${one.name} took ${ms} ms to stop (limit ${stopLimitMs})`)
    if (one.peakMiB > maxMemoryMiB) world.findings.add('memory', `${one.name} used ${Math.round(one.peakMiB)} MiB`)
  }
  return times
}
