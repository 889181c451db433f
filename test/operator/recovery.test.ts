import { expect } from 'chai'
import type { Overview, Stage } from '../../src/operator/overview-feed.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm } from '../support/farm.ts'
import type { RunningFarm } from '../support/farm.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { runOperator } from '../support/running-operator.ts'
import type { RunningOperator } from '../support/running-operator.ts'
import { SseClient } from '../support/sse-client.ts'

const last = 280

interface Leases {
  readonly total: number
  readonly data: readonly {
    readonly from: number
    readonly to: number
    readonly attempt: number
    readonly code: string
    readonly error: string
  }[]
}

describe('operator repair of a broken worker', () => {
  let node: ReplayNode
  let database: TestDatabase
  let operator: RunningOperator
  let farm: RunningFarm
  let stream: SseClient

  before(async () => {
    node = await startRecordedNode('base')
    database = await createTestDatabase()
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, last, ingest)
    await ingest.stop()
    operator = await runOperator(database.url, {}, { pauseMs: 50 })
    stream = new SseClient(`http://${operator.api.host}/operator/api/stream`)
  })

  after(async () => {
    stream.close()
    await farm.stop()
    await operator.stop()
    await database.drop()
    await node.stop()
  })

  /** Waits for the next overview in which the worker matches. */
  async function until(worker: string, hasReached: (stage: Stage) => boolean): Promise<Stage> {
    const stageOf = (data: unknown): Stage | undefined => (data as Overview).stages.find(({ name }) => name === worker)
    const { data } = await stream.next(
      ({ event, data: overview }) => {
        const stage = event === 'overview' ? stageOf(overview) : undefined
        return stage !== undefined && hasReached(stage)
      },
      Math.max(0, stream.events.length - 1),
    )
    return stageOf(data) as Stage
  }

  it('shows only the affected heights as flagged, with the reason, and recovers after a requeue', async () => {
    expect((await operator.send('POST', '/drills', { worker: 'token_worker', from: 100, to: 102 })).status).to.equal(
      204,
    )
    farm = await runFarm(database, { WORKER_RETRY_BASE_MS: '1', WORKER_RETRY_CAP_MS: '1' })
    const broken = await until('token_worker', ({ backlog, flagged }) => backlog === 2 && flagged.heights === 2)
    expect(broken).to.deep.include({
      covered: last - 1,
      available: last + 1,
      holes: 1,
      etaSeconds: null,
      failed: { leases: 0, heights: 0 },
    })
    await until('accounts_worker', ({ backlog }) => backlog === 0)
    // Holdings follow the broken worker and lack only those heights.
    expect(await until('ft_holdings_worker', ({ backlog }) => backlog === 0)).to.include({
      covered: last - 1,
      available: last - 1,
    })

    const { body: flagged } = await operator.get<Leases>('/leases?status=flagged')
    expect(flagged.data.map(({ from, to }) => [from, to])).to.deep.equal(
      flagged.total === 1
        ? [[100, 102]]
        : [
            [100, 101],
            [101, 102],
          ],
    )
    for (const lease of flagged.data) expect(lease).to.include({ attempt: 21, code: 'fault-drill' })

    expect((await operator.send('DELETE', '/drills', { worker: 'token_worker' })).status).to.equal(204)
    const { body } = await operator.send('POST', '/leases/requeue', {
      all: { worker: 'token_worker', statuses: ['flagged'] },
    })
    expect(body).to.deep.equal({ changed: flagged.total })
    expect(await until('token_worker', ({ backlog }) => backlog === 0)).to.deep.include({
      covered: last + 1,
      holes: 0,
      flagged: { leases: 0, heights: 0 },
    })
    expect(await until('ft_holdings_worker', ({ covered }) => covered === last + 1)).to.include({ backlog: 0 })
  })
})
