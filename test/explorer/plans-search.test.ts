import { expect } from 'chai'
import { readHeightsOf } from '../../src/explorer/paging/bounds.ts'
import { findShortIds } from '../../src/explorer/search/short-ids.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'

const blocks = 60_000
const bounds = { min: 0, max: blocks - 1 }

/** Identifiers compared with the end of a shortened one. */
const maxScanned = 20_000

describe('query plans of the search', () => {
  let database: TestDatabase
  let plans: QueryPlans

  before(async () => {
    database = await createTestDatabase()
    for (const table of ['raw.blocks', 'raw.transactions', 'app.evm_tx_hashes'])
      await ensurePartitions(database.pool, table, 10_000, { from: 0, to: blocks })
    await database.pool.query(`
      insert into app.accounts (address, first_seen_height, last_seen_height)
        select '0x' || left(md5(n::text), 16), 1, 1 from generate_series(1, 100000) as n
        union all select '0xabcdef' || lpad(n::text, 10, '0'), 1, 1 from generate_series(1, 50000) as n;
      insert into raw.block_lookup select sha256(n::text::bytea), n from generate_series(0, ${blocks - 1}) as n;
      insert into app.account_keys (address, key_index, public_key, is_revoked)
        select '0x' || left(md5(n::text), 16), 0, sha512(n::text::bytea), false from generate_series(1, 50000) as n;
      insert into app.evm_token_holdings (address, token, standard, balance)
        select left(md5(n::text) || md5(n::text), 40), repeat('a', 40), 20, 1 from generate_series(1, 50000) as n;
      insert into raw.blocks (height, id, parent_id, timestamp, collection_count, tx_count, event_count, collection_ids)
        select n, sha256(n::text::bytea), '', '2026-01-01Z'::timestamptz + n * interval '1 second' + case when n > 50000
          then interval '90 days' else interval '0' end, 0, 0, 0, '{}'
        from generate_series(0, ${blocks - 1}) as n;
      insert into raw.transactions (block_height, gas_limit, tx_index, event_count, is_evm, id, status, authorizers, script_hash)
        select n, 0, 0, 0, false, sha256(('transaction ' || n)::bytea), 'SEALED', '{}', ''
        from generate_series(0, ${blocks - 1}) as n;
      analyze`)
    plans = await queryPlans(database)
  })

  after(async () => {
    await plans.end()
    await database.drop()
  })

  it('resolve a shortened id by index ranges and the newest transactions', async () => {
    const { rows } = await database.pool.query<{ address: string; key: string; block: string; transaction: string }>(`
      select '0x' || left(md5('7'), 16) as address, encode(sha512('7'), 'hex') as key, encode(sha256('7'), 'hex') as block,
        encode(sha256('transaction ${blocks - 7}'), 'hex') as transaction`)
    const ids = Object.values(rows[0] ?? {}).map((id) => id.replace(/^0x/, ''))
    for (const id of ids) {
      const part = { start: id.slice(0, 4), end: id.slice(-4) }
      const { rowsTouched } = await plans.of(async (pool) => {
        const found = await findShortIds(pool, part, bounds)
        expect(found.map((row) => row.id)).to.deep.equal([id])
      })
      expect(rowsTouched).to.be.below(maxScanned + 100)
    }
  })

  it('stop after a limit of ids with the same start', async () => {
    const { rowsTouched } = await plans.of(async (pool) => {
      const found = await findShortIds(pool, { start: 'abcdef', end: '7' }, bounds)
      expect(found).to.have.length(5)
    })
    expect(rowsTouched).to.be.below(2 * maxScanned + 100)
  })

  it('find the block of a time in few reads, also across a gap', async () => {
    const at = (height: number): string =>
      new Date(Date.parse('2026-01-01') + height * 1000 + (height > 50_000 ? 90 * 86_400_000 : 0)).toISOString()
    for (const height of [0, 1, 777, 31_234, 50_000, 50_001, blocks - 1]) {
      const { rowsTouched, statements } = await plans.of(async (pool) => {
        const heights = await readHeightsOf(pool, bounds, { from: at(height) })
        expect(heights).to.deep.equal({ min: height, max: bounds.max })
      })
      expect(statements.length).to.be.at.most(17)
      expect(rowsTouched).to.be.at.most(statements.length)
    }
  })
})
