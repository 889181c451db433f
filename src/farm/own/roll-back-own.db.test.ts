import { expect } from 'chai'
import type pg from 'pg'
import { txContractsWorker } from '../../../jobs/tx-contracts-worker.ts'
import type { Worker } from '../../../jobs/worker.ts'
import { rollBack, storeBlocks } from '../../../test/support/chain-rows.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { commitOutput, deriveInto } from '../../../test/support/derived-tables.ts'
import { ownDifferences, ownWorker, registerOwnWorker } from '../../../test/support/own-worker.ts'
import { RangeOutput } from '../commit/range-output.ts'
import { ownRowsChannel } from '../../platform/db/listen.ts'
import { withTransaction } from '../../platform/db/pool.ts'
import { eventsOfBlocks } from '../range-reader/event-reader.ts'
import { RangeReader } from '../range-reader/range-reader.ts'
import { rollBackOwn } from './roll-back-own.ts'

const end = 40

describe('the rollback of own workers', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let worker: Worker

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await storeBlocks(pool, 0, end - 1)
    const { blocks } = await new RangeReader({ pool }).read(0, end)
    await deriveInto(pool, txContractsWorker, blocks, { from: 0, to: end })
    worker = ownWorker('own_a', 'A.f919ee77447b7497.FlowFees')
    await registerOwnWorker(pool, worker)
    const output = new RangeOutput(worker)
    const derivation = worker.deriveEvents
    if (derivation === undefined) throw new Error('no derivation')
    await derivation.derive(eventsOfBlocks(derivation, blocks), output, new AbortController().signal)
    await commitOutput(pool, worker, { from: 0, to: end }, output)
  })
  after(() => database.drop())

  it('deletes rows and folds above the ancestor, and announces it once', async () => {
    expect(await ownDifferences(pool, worker)).to.deep.equal([])
    const client = await pool.connect()
    const announced: (string | undefined)[] = []
    client.on('notification', ({ payload }) => announced.push(payload))
    await client.query(`listen ${ownRowsChannel}`)
    await rollBack(pool, 30)
    for (const ancestor of [29, 29]) {
      await client.query('begin')
      await rollBackOwn(client, ancestor, [worker], (_, error) => expect.fail(error.message))
      await client.query('commit')
    }
    await client.query('unlisten *')
    client.release()
    expect(await ownDifferences(pool, worker)).to.deep.equal([])
    expect(announced).to.deep.equal([`own_a 30 ${Number.MAX_SAFE_INTEGER}`])
  })

  it('is not stopped by a worker without tables', async () => {
    const faults: string[] = []
    await withTransaction(pool, (client) =>
      rollBackOwn(client, 19, [ownWorker('own_gone', 'A.0ae53cb6e3f42a79.Gone'), worker], (name) => faults.push(name)),
    )
    await rollBack(pool, 20)
    expect(faults).to.deep.equal(['own_gone'])
    expect(await ownDifferences(pool, worker)).to.deep.equal([])
  })
})
