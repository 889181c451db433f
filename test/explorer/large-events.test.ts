import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import { blockOf, eventOf, storeBlocks } from '../../src/ingest/blocks.test-support.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const heights = Array.from({ length: 14 }, (_, i) => 100 + i)
const eventLength = 3_000_000
const maxAnswer = 48_000_000

interface Item {
  readonly block_height: number
  readonly events?: readonly object[]
}

describe('pages of large events', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    for (const height of heights) {
      const events = [eventOf('A.0000000000000001.C.E', { n: { type: 'String', value: '' } })]
      await storeBlocks(database.pool, [blockOf(height, { transactions: [{ result: { events } }] })])
    }
    await database.pool.query(
      `update raw.event_chunks set payloads = array[json_build_array(repeat('x', ${eventLength}))]`,
    )
    await database.pool.query(`
      insert into app.indexing_checkpoints (service_name, covered) values ('main_ingester', '{[100,114)}')
        on conflict (service_name) do update set covered = excluded.covered;
      create table app.block_event_types_p0 partition of app.block_event_types for values from (0) to (1000000);
      insert into app.block_event_types
      select block_height, array_agg(type), array_agg(1) from raw.events group by 1;
      insert into app.event_type_pieces
      select t, block_height / 100, count(*) from app.block_event_types, unnest(types) as t group by 1, 2`)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  for (const path of [
    '/flow/transaction?include_events=true',
    '/flow/events/search?',
    '/flow/events/search?type=A.0000000000000001.C.E',
  ]) {
    it(`end early, and miss none: ${path}`, async () => {
      const found: number[] = []
      let pages = 0
      for (let cursor: string | undefined = ''; cursor !== undefined; pages++) {
        const response = await api.get(`${path}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
        const text = await response.text()
        expect(text.length).to.be.below(maxAnswer)
        const page = JSON.parse(text) as List<Item>
        for (const item of page.data) {
          found.push(item.block_height)
          if (item.events !== undefined) expect(item.events).to.have.length(1)
        }
        cursor = page.has_more ? page.cursor : undefined
      }
      expect(pages).to.be.within(2, heights.length / 2)
      expect(found).to.deep.equal(heights.toReversed())
    })
  }
})
