import { expect } from 'chai'
import { accountsWorker } from '../../jobs/accounts-worker.ts'
import { metaWorker } from '../../jobs/meta-worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto } from '../support/derived-tables.ts'
import { foldDigest, rollBackWorker } from '../support/fold-histories.ts'

const workers = [accountsWorker, metaWorker]

describe('accounts, keys, contracts and EVM accounts', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const derive = async (blocks: readonly DecodedBlock[], range: HeightRange): Promise<void> => {
    for (const worker of workers) {
      expect(await deriveInto(database.pool, worker, blocks, range), worker.name).to.deep.equal([])
    }
  }
  const reset = async (): Promise<void> => {
    const tables = workers.flatMap((worker) => [...worker.tables, ...worker.folds].map(({ name }) => name))
    await database.pool.query(`truncate ${tables.join(', ')}`)
  }
  const digest = async (): Promise<string> => {
    return (await Promise.all(workers.map((worker) => foldDigest(database.pool, worker)))).join('\n')
  }

  it('count the transactions of each account once, and computation by payer', async () => {
    const blocks = (await decodedRecording('base')).map((block) => ({
      ...block,
      transactions: block.transactions.map((transaction) => ({
        ...transaction,
        gasUsed: BigInt(transaction.index + 1),
      })),
    }))
    const expected = new Map<string, { tx_count: number; gas_used: number }>()
    for (const transaction of blocks.flatMap(({ transactions }) => transactions)) {
      const { isSystem, payer, proposer, authorizers, gasUsed } = transaction
      if (isSystem) continue
      for (const address of new Set([payer, proposer, ...authorizers])) {
        const { tx_count: count, gas_used: gas } = expected.get(address ?? '') ?? { tx_count: 0, gas_used: 0 }
        expected.set(address ?? '', { tx_count: count + 1, gas_used: gas + (address === payer ? Number(gasUsed) : 0) })
      }
    }
    await reset()
    for (const [from, to] of [
      [140, 281],
      [0, 100],
      [100, 140],
      [90, 150],
    ] as const)
      await derive(blocks, { from, to })
    const { rows } = await database.pool.query<object>(
      'select address, tx_count::int, gas_used::int from app.address_stats order by address',
    )
    const sorted = [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1))
    expect(rows).to.deep.equal(sorted.map(([address, sums]) => ({ address, ...sums })))
  })

  it('are restored below a rollback: counts, and keys and contracts changed above it', async () => {
    const blocks = await decodedRecording('base')
    await reset()
    await derive(blocks, { from: 0, to: blocks.length })
    for (const height of [179, 72, 70, 69]) {
      for (const worker of workers) await rollBackWorker(database.pool, worker, height)
      const rolledBack = await digest()
      await reset()
      await derive(blocks, { from: 0, to: height })
      expect(await digest(), `below ${height}`).to.equal(rolledBack)
    }
    const {
      rows: [row],
    } = await database.pool.query<{ revoked: number; updated: number; busy: number }>(
      `select (select count(*)::int from app.account_keys where is_revoked) as revoked,
         (select updated_height::int from app.smart_contracts where name = 'Tally') as updated,
         (select max(tx_count)::int from app.address_stats) as busy`,
    )
    expect(row).to.include({ revoked: 1, updated: 15 })
    expect(row?.busy).to.be.greaterThan(5)
  })
})
