import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { readFarmOverview } from '../../src/farm/overview/farm-overview.ts'
import { planStages } from '../../src/farm/overview/stage-plan.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

describe('the end of history', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase()
  })

  afterEach(() => database.drop())

  async function targets(): Promise<Record<string, number | null>> {
    const { rows } = await database.pool.query<{ service_name: string; target: number | null }>(
      'select service_name, target_height::float8 as target from app.indexing_checkpoints',
    )
    return Object.fromEntries(rows.map(({ service_name: name, target }) => [name, target]))
  }

  for (const [what, variables, target] of [
    ['at HISTORY_STOP_HEIGHT', { HISTORY_STOP_HEIGHT: '40' }, 40],
    ['at the lowest height of the nodes', {}, 0],
  ] as const) {
    it(`is available to other processes: ${what}`, async () => {
      const node = await startRecordedNode('base', { head: 200 })
      try {
        const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...variables })
        await untilStored(database, target, 200, ingest)
        await ingest.stop()
        expect(await targets()).to.deep.equal({ main_ingester: null, history_ingester: target })
        await database.pool.query(
          `update app.indexing_checkpoints set covered = covered - '{[${target},60)}'::int8multirange`,
        )
        const { stages } = await readFarmOverview(database.pool, planStages(readConfig({}, {}), []))
        const history = stages.find(({ name }) => name === 'history_ingester')
        expect(history, 'below its lowest block too').to.include({ lowest: 60, backlog: 60 - target })
      } finally {
        await node.stop()
      }
    })
  }
})
