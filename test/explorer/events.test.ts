import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { EventType } from '../../src/explorer/transactions/event-types.ts'
import type { Event } from '../../src/explorer/transactions/schema.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'

describe('event search on a recorded chain', () => {
  let chain: ExploredChain

  before(async () => {
    chain = await exploredChain()
  })

  async function all(query: string, limit: number): Promise<Event[]> {
    const items: Event[] = []
    let cursor = ''
    do {
      const list = await chain.api.json<List<Event>>(`/flow/events/search?${query}&limit=${limit}&cursor=${cursor}`)
      items.push(...list.data)
      expect(list.has_more).to.equal(list.cursor !== '')
      cursor = list.cursor
    } while (cursor !== '')
    return items
  }

  async function stored(condition: string): Promise<unknown[]> {
    const { rows } = await chain.database.pool.query<Record<string, unknown>>(`
      select type, encode(transaction_id, 'hex') as transaction, event_index, block_height::int as block_height, payload
      from raw.events_with_id where ${condition} order by block_height desc, tx_index desc, event_index desc`)
    return rows
  }

  function contentsOf(events: readonly Event[]): unknown[] {
    return events.map(({ type, transaction, event_index, block_height, payload }) => ({
      type,
      transaction,
      event_index,
      block_height,
      payload,
    }))
  }

  it('pages through all events of a full type, newest first', async () => {
    const { rows } = await chain.database.pool.query<{ type: string; count: number }>(
      'select type, count(*)::int as count from raw.events group by type order by count(*) desc',
    )
    expect(rows.length).to.be.greaterThan(40)
    for (const { type, count } of [...rows.slice(0, 3), ...rows.slice(20, 24), ...rows.slice(-6)]) {
      const events = await all(`type=${type}`, count > 500 ? 100 : 7)
      expect(contentsOf(events), type).to.deep.equal(await stored(`type = '${type}'`))
    }
  })

  it('lists events of all types, and of some days', async () => {
    const items = contentsOf((await chain.api.json<List<Event>>('/flow/events/search?limit=100')).data)
    expect(items).to.deep.equal((await stored('true')).slice(0, 100))
    const day = String((await all('name=flow.', 100)).at(-1)?.timestamp).slice(0, 10)
    const { data } = await chain.api.json<List<Event>>(`/flow/events/search?to=${day}&limit=20`)
    expect(data.map(({ timestamp }) => timestamp.slice(0, 10))).to.deep.equal(Array.from({ length: 20 }, () => day))
  })

  it('lists the types of the newest blocks', async () => {
    const { rows } = await chain.database.pool.query<{ type: string }>(`
      select type, count(*)::int as count, max(block_height)::int as last_seen_height from raw.events
      where block_height > (select max(height) from raw.blocks) - 1000
      group by type order by count(*) desc, type collate "C"`)
    const { data } = await chain.api.json<List<EventType>>('/flow/events/type?limit=500')
    expect(data.map(({ type, count, last_seen_height }) => ({ type, count, last_seen_height }))).to.deep.equal(rows)
    const totals = await chain.database.pool.query<{ count: number }>(
      'select count(*)::int as count from raw.events where type = $1',
      [data[3]?.type],
    )
    expect(data[3]?.total_count).to.equal(totals.rows[0]?.count)
    expect(data.find(({ type }) => type === 'flow.AccountCreated')).to.include({
      contract_address: null,
      contract_name: null,
      event_name: 'AccountCreated',
    })
    expect((await chain.api.json<List<EventType>>('/flow/events/type?limit=3')).data).to.deep.equal(data.slice(0, 3))
    expect((await chain.api.get('/flow/events/type?limit=501')).status).to.equal(400)
  })

  it('counts the events of each type', async () => {
    const { rows } = await chain.database.pool.query(
      'select type, event_count::int as count from app.event_types order by type',
    )
    const { rows: counted } = await chain.database.pool.query(
      'select type, count(*)::int as count from raw.events group by type order by type collate "C"',
    )
    expect(rows).to.deep.equal(counted)
  })

  it('matches partial contract and event names, case-insensitive', async () => {
    expect(contentsOf(await all('name=tokensdeposited', 50))).to.deep.equal(
      await stored("type ilike '%TokensDeposited%'"),
    )
    expect(contentsOf(await all('name=NFTStorefrontV2.', 5))).to.deep.equal(
      await stored("type like '%.NFTStorefrontV2.%'"),
    )
    const [type = ''] = (await all('name=NFTStorefrontV2.', 5)).map((event) => event.type)
    expect(contentsOf(await all(`name=${type}`, 9))).to.deep.equal(await stored(`type = '${type}'`))
    // The address is not searched, and pattern characters have no effect.
    for (const name of ['f8d6e0586b0a20c7', '___', 'Nothing.OfThisName', 'A.0000000000000001.No.Event']) {
      expect(await all(`name=${name}`, 9), name).to.deep.equal([])
    }
  })

  it('rejects empty and invalid names', async () => {
    for (const [query, field] of [
      ['?limit=0', 'limit'],
      ['?from=2026-01-02&to=2026-01-01', 'from'],
      ['?name=ab', 'name'],
      ["?name=a'b--", 'name'],
      ['?type=%25%25%25', 'type'],
      ['?name=swap&cursor=1:2', 'cursor'],
      ['?type=flow.AccountCreated&limit=101', 'limit'],
    ] as const) {
      const response = await chain.api.get(`/flow/events/search${query}`)
      expect(response.status, query).to.equal(400)
      expect(await response.json(), query).to.include({ field })
    }
  })

  it('reloads event shapes after a database restore', async () => {
    const [type = ''] = (await all('name=NFTStorefrontV2.', 50)).map((event) => event.type)
    const client = await chain.database.pool.connect()
    const events = async (): Promise<string[]> => {
      const list = await chain.api.json<List<Event>>(`/flow/events/search?type=${type}&limit=5`)
      return list.data.flatMap(({ payload }) => Object.keys(payload as object)).toSorted()
    }
    const before = await events()
    const rewrite = async (values: string): Promise<void> => {
      await client.query('begin read write')
      await client.query('create temporary table restored on commit drop as select * from raw.event_shapes')
      await client.query('truncate raw.event_shapes')
      await client.query(`insert into raw.event_shapes overriding system value select ${values} from restored`)
      await client.query('commit')
    }
    try {
      await rewrite(
        `id, hash, type, array(select n || '_restored' from unnest(fields) with ordinality f (n, i) order by i)`,
      )
      expect(await events()).to.deep.equal(before.map((name) => `${name}_restored`))
    } finally {
      await rewrite(
        `id, hash, type, array(select replace(n, '_restored', '') from unnest(fields) with ordinality f (n, i) order by i)`,
      )
      client.release()
    }
  })
})
