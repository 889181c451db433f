import { hash } from 'node:crypto'
import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { createFeedReader } from '../../src/explorer/feed/reader.ts'
import type { TransactionSummary } from '../../src/explorer/transactions/schema.ts'
import { describeTransactions } from '../../src/explorer/transactions/descriptions.ts'
import { readTransactions } from '../../src/explorer/transactions/queries.ts'
import { scriptTemplate } from '../../src/flow/code/script-template.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm, untilDerived } from '../support/farm.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

const last = 280
const workers = ['token_worker', 'tx_contracts_worker', 'tx_metrics_worker']

interface TagRow {
  readonly tag: string
  readonly place: string
}

/** The whole recording, from the live feed and from the workers. */
describe('transaction summaries', () => {
  let database: TestDatabase
  let reads: DatabasePool
  /** By `height.index`. */
  const reported = new Map<string, TransactionSummary>()
  let derived: ReadonlyMap<string, readonly string[]>

  before(async () => {
    database = await createTestDatabase()
    await using node = await startRecordedNode('base', { head: last })
    const ingest = await runIngest(database, {
      CHAIN_ACCESS_NODE: node.endpoint,
      ENABLE_HISTORY_INGESTER: 'false',
      START_BLOCK: '0',
    })
    await untilStored(database, 0, last, ingest)
    await ingest.stop()
    const farm = await runFarm(database, {})
    await untilDerived(database, workers, [{ from: 0, to: last + 1 }], farm)
    await farm.stop()
    reads = await createReadPool({ url: database.url })
    for (const { block, transactions } of await createFeedReader(reads, () => 'emulator').read(0, last + 1)) {
      for (const [index, { summary }] of transactions.entries()) reported.set(`${block.height}.${index}`, summary)
    }
    const { rows } = await database.pool.query<TagRow>(
      `select tag, block_height || '.' || unnest(tx_indexes) as place from app.tx_tags`,
    )
    const byPlace = Map.groupBy(rows, ({ place }) => place)
    derived = new Map([...byPlace].map(([place, tags]) => [place, tags.map(({ tag }) => tag).toSorted()]))
  })

  after(async () => {
    await reads.end()
    await database.drop()
  })

  const placesWith = (tag: string): string[] =>
    [...derived].filter(([, tags]) => tags.includes(tag)).map(([place]) => place)
  const placesOf = async (statement: string): Promise<string[]> => {
    const { rows } = await database.pool.query<{ place: string }>(statement)
    return [...new Set(rows.map(({ place }) => place))]
  }

  it('is the same in the live feed and in the derived tables, for every transaction', () => {
    expect(reported.size).to.equal(712 + 2 * 280 + 6)
    for (const [place, { tags, is_evm: isEvm }] of reported) {
      expect(tags.toSorted(), place).to.deep.equal(derived.get(place) ?? [])
      expect(isEvm, place).to.equal(tags.includes('EVM'))
    }
    expect([...derived.keys()].filter((place) => !reported.has(place))).to.deep.equal([])
  })

  it('uses the transfers of the same transaction, independent of the order of workers', async () => {
    const moved = (where: string): string =>
      `select block_height || '.' || tx_index as place from app.ft_transfers where amount > 0 and ${where}`
    for (const [tag, statement] of [
      ['FT_TRANSFER', moved(`transfer_type <> 'fee'`)],
      ['NFT_TRANSFER', `select block_height || '.' || tx_index as place from app.nft_transfers`],
    ] as const) {
      expect(placesWith(tag), tag).to.have.members(await placesOf(statement))
    }
    for (const [tag, type] of [
      ['TOKEN_MINT', 'mint'],
      ['TOKEN_BURN', 'burn'],
      ['EVM_BRIDGE', 'bridge'],
    ] as const) {
      const places = await placesOf(moved(`transfer_type = '${type}'`))
      expect(places.length, tag).to.be.greaterThan(2)
      expect(placesWith(tag), tag).to.include.members(places)
    }
  })

  it('identifies the script by the hash of its exact text, including outer white space', async () => {
    const { rows } = await database.pool.query<{ place: string; script: string; text: string }>(`
      select t.block_height || '.' || t.tx_index as place, encode(t.script_hash, 'hex') as script, s.script_text as text
      from raw.transactions t join raw.scripts s using (script_hash)`)
    expect(rows.length).to.equal(reported.size)
    expect(rows.filter(({ text }) => text !== text.trim()).length).to.be.greaterThan(100)
    for (const { place, script, text } of rows) {
      expect(script, place).to.equal(hash('sha256', text))
      expect(reported.get(place)?.script_hash, place).to.equal(script)
    }
  })

  it('has the same fee in lists as in the derived tables', async () => {
    const described = await describeTransactions(reads, 'emulator', await readTransactions(reads, 0, last, 'none'))
    const { rows } = await database.pool.query<{ place: string; fee: string; gas: string }>(
      `select block_height || '.' || tx_index as place, fee::text, gas_used::text as gas from app.tx_metrics`,
    )
    const kept = new Map(rows.map(({ place, fee, gas }) => [place, `${fee} ${gas}`]))
    for (const { row, fee, gasUsed } of described) {
      const place = `${row.block_height}.${row.tx_index}`
      expect(kept.get(place) ?? '0.00000000 0', place).to.equal(`${fee} ${gasUsed}`)
    }
  })

  it("has a template of the same kind everywhere, and the operator's template at once", async () => {
    const transfers = [...reported.values()].filter(({ template_label: label }) => label === 'Transfer FLOW')
    expect(transfers.length).to.be.greaterThan(200)
    expect(new Set(transfers.map(({ template_category: category }) => category))).to.deep.equal(
      new Set(['FT_TRANSFER']),
    )
    const rows = await readTransactions(reads, 9, 9, 'none')
    await database.pool.query(`insert into app.script_templates values (sha256('another'), 'OTHER', 'Not this one')`)
    const [before] = await describeTransactions(reads, 'emulator', rows)
    expect(before?.template.label).to.equal('Transfer FLOW')
    const {
      rows: [script],
    } = await database.pool.query<{ script_text: string }>(
      `select script_text from raw.scripts where script_hash = decode($1, 'hex')`,
      [before?.row.script_hash],
    )
    await database.pool.query(
      `insert into app.script_templates values (decode($1, 'hex'), 'FT_TRANSFER', 'Pay a friend')`,
      [scriptTemplate(script?.script_text ?? '', 'emulator').normalHash],
    )
    const [after] = await describeTransactions(reads, 'emulator', rows)
    expect(after?.template).to.deep.equal({ category: 'FT_TRANSFER', label: 'Pay a friend' })
  })
})
