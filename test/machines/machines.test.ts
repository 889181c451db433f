import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { findLockHolder } from '../../src/platform/db/advisory-lock.ts'
import { coordinatorLock } from '../../src/farm/coordinator/coordinator.ts'
import { compareDerived } from '../../src/farm/rebuild/compare-derived.ts'
import { rebuildDerived } from '../../src/farm/rebuild/rebuild-derived.ts'
import { addRederiveRequest } from '../../src/farm/leases/requests.ts'
import { ledgerChain } from '../../simnode/ledger/ledger-node.ts'
import { untilDerived } from '../support/farm.ts'
import type { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { activeOf, lockTable, waitForCoordinator, waitUntil } from '../support/lease-waits.ts'
import { compareHoldings, compareItems, compareKeys, compareVaults } from '../support/ledger-truth.ts'
import { FarmMachines } from './farm-machines.ts'
import type { Machine } from './farm-machines.ts'
import { Stopwatch } from '../support/stopwatch.ts'

const names = workers.map(({ name }) => name)
const seed = 11
const history = 200

/**
 * History ranges small enough for many of them, large enough that queue latency does not matter.
 */
const ranges = { LIVE_DERIVERS_CHUNK: '5', HISTORY_DERIVERS_CHUNK: '5' }

describe('a farm on several machines', function (this: Mocha.Suite) {
  let farm: FarmMachines
  const working: Partial<Record<Machine, FlowfarmProcess>> = {}

  before(async function (this: Mocha.Context) {
    const missing = await FarmMachines.missing()
    if (missing !== undefined) {
      process.stderr.write(`    skipped: ${missing}\n`)
      this.skip()
    }
    farm = await FarmMachines.start(['--seed', String(seed), '--blocks', String(history), '--interval', '800'])
    farm.run('ingester', ['ingest'], { START_BLOCK: '0', ENABLE_HISTORY_INGESTER: 'false' })
    farm.run('api', ['api'])
    for (const machine of ['one', 'two'] as const) working[machine] = farm.run(machine, ['farm'], ranges)
    await Promise.all(Object.values(working).map((program) => program.logged(/Farm started/)))
    await waitForCoordinator(farm)
  })

  afterEach(function (this: Mocha.Context) {
    if (this.currentTest?.state === 'failed') process.stderr.write(`${farm.output()}\n`)
  })

  after(() => farm?.remove())

  /** The machine of the coordinator, and the other one. */
  const coordinating = async (): Promise<readonly [coordinator: Machine, other: Machine]> => {
    await waitForCoordinator(farm)
    const holder = await findLockHolder(farm.pool, coordinatorLock)
    return holder?.address === farm.network.address('one', 'data') ? ['one', 'two'] : ['two', 'one']
  }

  const activeOn = (machine: Machine): Promise<number[]> => activeOf(farm, working[machine]?.pid ?? 0)

  /** Requeues everything for workers that have done all that was requested. */
  const keepBusy = async (): Promise<void> => {
    const { rowCount } = await farm.pool.query(`
      (select 1 from app.worker_leases where status <> 'done' limit 1) union all
      (select 1 from app.backfill_requests where finished_at is null limit 1)`)
    if (rowCount === 0) await addRederiveRequest(farm.pool, workers, names, { from: 0, to: history })
  }

  const untilBusy = (machine: Machine): Promise<void> =>
    waitUntil(farm, async () => {
      if ((await activeOn(machine)).length > 0) return true
      await keepBusy()
      return false
    })

  /**
   * Disconnects a machine from the database during commits. Others must take over its ranges within
   * 8 s; resolves when they have completed all of them.
   */
  const takeover = async (machine: Machine): Promise<void> => {
    // Commits wait inside a transaction with locks, so that the machine is disconnected during it.
    const held = await lockTable(farm, 'app.tx_contracts', 'access exclusive')
    await waitUntil(farm, async () => {
      if ((await activeOf(farm, working[machine]?.pid ?? 0, 'tx_contracts_worker')).length > 0) return true
      await keepBusy()
      return false
    })
    await farm.network.unplug(machine, 'data')
    const cutAt = new Stopwatch()
    await held.release()
    await waitUntil(farm, async () => (await activeOn(machine)).length === 0)
    await cutAt.expectBelow(8000)
    await untilDerived(farm, ['tx_contracts_worker'], [{ from: 0, to: history }])
  }

  const head = async (): Promise<number> => {
    const { rows } = await farm.pool.query<{ head: number }>('select max(height)::int as head from raw.blocks')
    return rows[0]?.head ?? -1
  }

  it('runs on all machines and is visible from another', async () => {
    await Promise.all([untilBusy('one'), untilBusy('two')])
    await untilDerived(farm, names, [{ from: 0, to: history }])
    const { data } = (await farm.ask('/flow/block?limit=2')) as { data: { height: number }[] }
    expect(data).to.have.length(2)
    expect(data[0]?.height).to.be.at.least(history - 1)
  })

  it('reassigns the ranges of a machine disconnected from the database within 8 s, and commits none twice', async () => {
    const [, machine] = await coordinating()
    await takeover(machine)
    await farm.network.plugIn(machine, 'data')
    await untilBusy(machine)
  })

  it('elects a coordinator on another machine within 8 s after the coordinator is disconnected from the database', async () => {
    const [machine, other] = await coordinating()
    await takeover(machine)
    expect(await coordinating()).to.deep.equal([other, machine])
    await farm.network.plugIn(machine, 'data')
    await untilBusy(machine)
  })

  it('continues while a machine is disconnected from the queues', async () => {
    const [machine, other] = await coordinating()
    await farm.network.unplug(other, 'front')
    const from = await head()
    await waitUntil(farm, async () => (await head()) > from + 3)
    await untilDerived(farm, names, [{ from: 0, to: from + 3 }])
    await farm.network.plugIn(other, 'front')
    await Promise.all([untilBusy(machine), untilBusy(other)])
  })

  it('elects a coordinator on another machine if the coordinator is disconnected from the queues', async () => {
    const [machine, other] = await coordinating()
    await farm.network.unplug(machine, 'front')
    const from = await head()
    await waitUntil(farm, async () => (await head()) > from + 3)
    await untilDerived(farm, names, [{ from: 0, to: from + 3 }])
    expect(await coordinating()).to.deep.equal([other, machine])
    await farm.network.plugIn(machine, 'front')
    await Promise.all([untilBusy(machine), untilBusy(other)])
  })

  it('ends with the data of the chain and of a single pass, without duplicate or missing rows', async () => {
    await farm.stopNode()
    const last = await head()
    await untilDerived(farm, names, [{ from: 0, to: last + 1 }])
    await rebuildDerived({ pool: farm.pool, workers, network: 'emulator' })
    const { heights, tables } = await compareDerived({ pool: farm.pool, workers })
    expect(tables.filter(({ differences }) => differences > 0)).to.deep.equal([])
    expect(heights).to.deep.equal([{ from: 0, to: last + 1 }])
    const chain = ledgerChain({ seed })
    for (const compare of [compareVaults, compareHoldings, compareItems, compareKeys]) {
      const { expected, found } = await compare(farm.pool, chain, last)
      expect(found).to.deep.equal(expected).and.not.deep.equal([])
    }
    for (const program of Object.values(working)) expect(await program.end('SIGTERM')).to.equal(0)
  })
})
