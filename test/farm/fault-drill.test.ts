import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { clearDrills, setDrill } from '../../src/farm/drills.ts'
import { requeueLeases } from '../../src/farm/leases/operator-leases.ts'
import { announceFarmWork } from '../../src/platform/db/listen.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm, untilDerived, untilTrue } from '../support/farm.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

const names = workers.map(({ name }) => name)
const last = 279

describe('a fault drill', () => {
  let node: ReplayNode
  let database: TestDatabase

  before(async () => {
    node = await startRecordedNode('base')
    database = await createTestDatabase()
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, last, ingest)
    await ingest.stop()
  })
  after(async () => {
    await node.stop()
    await database.drop()
  })

  it('flags exactly its heights, delays nothing else, and ends when cleared and requeued', async () => {
    await setDrill(database.pool, { worker: 'token_worker', from: 100, to: 102, reason: 'an exercise' })
    const running = await runFarm(database, { WORKER_RETRY_BASE_MS: '1', WORKER_RETRY_CAP_MS: '2' })
    const flagged = async (): Promise<
      { worker: string; from: number; to: number; code: string; attempt: number; error: string }[]
    > => {
      const { rows } = await database.pool.query(
        `select worker_type as worker, from_height::int as from, to_height::int as to, last_error_code as code, attempt, last_error as error
         from app.worker_leases where status = 'flagged' order by 1, 2`,
      )
      return rows as Awaited<ReturnType<typeof flagged>>
    }
    await untilTrue(database, async () => (await flagged()).length === 2, running)
    const error = 'Fault drill of token_worker at heights 100 to 101: an exercise'
    expect(await flagged()).to.deep.equal(
      [100, 101].map((from) => ({
        worker: 'token_worker',
        from,
        to: from + 1,
        code: 'fault-drill',
        attempt: 21,
        error,
      })),
    )
    const follows = workers.filter((worker) => worker.follows.includes('token_worker')).map(({ name }) => name)
    await untilDerived(
      database,
      names.filter((name) => name !== 'token_worker' && !follows.includes(name)),
      [{ from: 0, to: last + 1 }],
      running,
    )
    await untilDerived(
      database,
      ['token_worker'],
      [
        { from: 0, to: 100 },
        { from: 102, to: last + 1 },
      ],
      running,
    )

    expect(await clearDrills(database.pool, 'token_worker')).to.equal(1)
    expect(await requeueLeases(database.pool, await flagged())).to.equal(2)
    await announceFarmWork(database.pool)
    await untilDerived(database, names, [{ from: 0, to: last + 1 }], running)
    expect(await flagged()).to.deep.equal([])
    await running.stop()
  })
})
