import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { rawDigest, runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import { recordingFolder, startRecordedNode } from '../support/replay.ts'

interface Counts {
  blocks: number
  user_transactions: number
  system_transactions: number
  failed_user_transactions: number
  events_total: number
  events: Record<string, number>
}

interface Manifest {
  transactions: {
    height: number
    index?: number
    tx_id: string
    outcome: string
    error?: string
    payer: string
    proposer: string
    authorizers: string[]
  }[]
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(join(recordingFolder('base'), file), 'utf8')) as T
}

const counts = read<Counts>('counts.json')
const manifest = read<Manifest>('manifest.json')

describe('ingest of a recorded chain', () => {
  let forward: TestDatabase
  let backward: TestDatabase

  before(async () => {
    ;[forward, backward] = await Promise.all([createTestDatabase(), createTestDatabase()])
    await using node = await startRecordedNode('base')
    const runs = await Promise.all([
      runIngest(forward, { CHAIN_ACCESS_NODE: node.endpoint, ENABLE_HISTORY_INGESTER: 'false' }),
      runIngest(backward, { CHAIN_ACCESS_NODE: node.endpoint, ENABLE_FORWARD_INGESTER: 'false' }),
    ])
    await Promise.all([untilStored(forward, 0, 280, runs[0]), untilStored(backward, 0, 280, runs[1])])
    await Promise.all(runs.map((run) => run.stop()))
  })

  after(async () => {
    await Promise.all([forward.drop(), backward.drop()])
  })

  async function value<T>(query: string, values: unknown[] = []): Promise<T> {
    const { rows } = await forward.pool.query<{ value: T }>(query, values)
    return rows[0]?.value as T
  }

  it('stores every block, transaction and event', async () => {
    expect(await value('select count(*)::int as value from raw.blocks')).to.equal(counts.blocks)
    expect(await value('select count(*)::int as value from raw.transactions')).to.equal(
      counts.user_transactions + counts.system_transactions,
    )
    expect(await value('select count(*)::int as value from raw.events')).to.equal(counts.events_total)
    const { rows } = await forward.pool.query<{ type: string; n: number }>(
      'select type, count(*)::int as n from raw.events group by 1',
    )
    expect(Object.fromEntries(rows.map((row) => [row.type, row.n]))).to.deep.equal(counts.events)
    expect(await value('select count(*)::int as value from raw.indexing_errors')).to.equal(0)
    expect(await value('select count(*)::int as value from raw.unavailable')).to.equal(0)
  })

  it('stores the same rows forward and backward, with correct counts', async () => {
    expect(await rawDigest(backward.pool)).to.deep.equal(await rawDigest(forward.pool))
    for (const { pool } of [forward, backward]) {
      expect(await storedHeights(pool)).to.deep.equal([{ from: 0, to: 281 }])
      const { rows } = await pool.query(
        'select sum(block_count)::int as b, sum(tx_count)::int as t, sum(event_count)::int as e from app.indexing_checkpoints',
      )
      expect(rows[0]).to.deep.equal({
        b: counts.blocks,
        t: counts.user_transactions + counts.system_transactions,
        e: counts.events_total,
      })
    }
  })

  it('preserves the chain of parents', async () => {
    expect(
      await value(
        'select count(*)::int as value from raw.blocks b join raw.blocks p on p.height = b.height - 1 and p.id = b.parent_id',
      ),
    ).to.equal(280)
  })

  it('stores each transaction of the manifest in its position, with its accounts and status', async () => {
    const { rows } = await forward.pool.query<{
      id: string
      block_height: number
      tx_index: number
      status: string
      status_code: number
      payer_address: string
      proposer_address: string
      authorizers: string[]
      error_message: string | null
    }>(
      `select encode(id, 'hex') as id, block_height::int, tx_index, status, status_code, payer_address, proposer_address, authorizers, error_message
       from raw.transactions where payer_address is not null and collection_index is not null`,
    )
    const stored = new Map(rows.map((row) => [row.id, row]))
    const expected = manifest.transactions.filter((t) => t.outcome !== 'invalid')
    expect(rows.length).to.equal(expected.length)
    for (const t of expected) {
      const row = stored.get(t.tx_id)
      expect(row, t.tx_id).to.include({
        block_height: t.height,
        status: 'SEALED',
        status_code: t.outcome === 'ok' ? 0 : 1,
        payer_address: t.payer,
        proposer_address: t.proposer,
      })
      if (t.index !== undefined) expect(row?.tx_index, t.tx_id).to.equal(t.index)
      expect(row?.authorizers).to.deep.equal(t.authorizers)
      expect(row?.error_message === null, t.tx_id).to.equal(t.outcome === 'ok')
    }
  })

  it('finds transactions by id and excludes ids that repeat in every block', async () => {
    const repeated = 2 * 280
    const scheduled = counts.system_transactions - repeated
    expect(scheduled).to.be.greaterThan(0)
    expect(await value('select count(*)::int as value from raw.tx_lookup')).to.equal(
      counts.user_transactions + scheduled,
    )
    expect(await value('select count(distinct id)::int as value from raw.tx_lookup')).to.equal(
      counts.user_transactions + scheduled,
    )
    expect(
      await value(
        `select count(*)::int as value from raw.tx_lookup l join raw.transactions t using (block_height, tx_index) where t.id = l.id`,
      ),
    ).to.equal(counts.user_transactions + scheduled)
  })

  it('stores the hash of the EVM transaction executed by a transaction', async () => {
    const expected = await value<number>(
      `select count(distinct (block_height, tx_index))::int as value from raw.events where type like '%.EVM.TransactionExecuted'`,
    )
    expect(expected).to.be.greaterThan(20)
    expect(
      await value(
        `select count(*)::int as value from raw.tx_lookup l where evm_hash is not null and '0x' || encode(evm_hash, 'hex') in (
         select payload->>'hash' from raw.events e where e.block_height = l.block_height and e.tx_index = l.tx_index and e.type like '%.EVM.TransactionExecuted')`,
      ),
    ).to.equal(expected)
  })

  it('stores the imports of scripts, and each script once', async () => {
    expect(
      await value(
        `select count(*)::int as value from raw.transactions t join raw.scripts s using (script_hash) where t.is_evm <> (s.script_text like '%import EVM%')`,
      ),
    ).to.equal(0)
    expect(await value(`select count(*)::int as value from raw.transactions where is_evm`)).to.be.greaterThan(10)
    expect(
      await value(
        'select count(*)::int as value from raw.transactions t left join raw.scripts s using (script_hash) where s.script_hash is null',
      ),
    ).to.equal(0)
    expect(
      await value(
        `select count(*)::int as value from raw.scripts where script_bytes is null and sha256(convert_to(script_text, 'UTF8')) <> script_hash`,
      ),
    ).to.equal(0)
  })

  it('keeps U+0000 visible', async () => {
    const seen = await value<number>(
      String.raw`select count(*)::int as value from raw.transactions where error_message like '%\\u0000%'`,
    )
    expect(seen).to.be.greaterThan(0)
  })
})
