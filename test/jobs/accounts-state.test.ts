import { expect } from 'chai'
import * as fc from 'fast-check'
import { accountsWorker } from '../../jobs/accounts-worker.ts'
import { metaWorker } from '../../jobs/meta-worker.ts'
import type { HeightRange } from '../../src/base/ranges.ts'
import type { DecodedBlock } from '../../src/chain/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto } from '../support/derived-tables.ts'
import { foldDigest, inAnyOrder, partitions, rollBackWorker } from '../support/fold-histories.ts'
import { truthOf } from '../support/recording-notes.ts'
import type { Truth } from '../support/recording-notes.ts'

const workers = [accountsWorker, metaWorker]

/** What accounts have, as lines of text. */
interface Belongings {
  readonly keys: readonly string[]
  readonly contracts: readonly string[]
  readonly coas: readonly string[]
}

type ByAccount = ReadonlyMap<string, Belongings>

function trueBelongings({ accounts }: Truth): ByAccount {
  return new Map(Object.entries(accounts).map(([address, { keys, contracts, coas }]) => [address, {
    keys: keys.map((key) => [
      key.index, key.public_key, key.sign_algo, key.hash_algo, key.weight, key.revoked ? 'revoked' : 'valid',
    ].join(' ')),
    contracts: Object.entries(contracts).map(([name, { sha3_256: hash }]) => `${name} ${hash}`).toSorted(),
    coas: coas.map((coa) => `0x${coa.evm_address}`).toSorted(),
  }]))
}

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
  const linesOf = async (text: string): Promise<ReadonlyMap<string, readonly string[]>> => {
    const { rows } = await database.pool.query<{ address: string; line: string }>(text)
    const byAddress = Map.groupBy(rows, ({ address }) => address)
    return new Map([...byAddress].map(([address, lines]) => [address, lines.map(({ line }) => line)]))
  }
  const indexed = async (): Promise<{ belongings: (address: string) => Belongings; created: ReadonlySet<string> }> => {
    const keys = await linesOf(`
      select address, concat_ws(' ', key_index, encode(public_key, 'hex'), signing_algorithm, hashing_algorithm, weight,
        case when is_revoked then 'revoked' else 'valid' end) as line
      from app.account_keys order by address, key_index`)
    const contracts = await linesOf(`
      select address, name || ' ' || encode(code_hash, 'hex') as line from app.smart_contracts
      where not is_removed order by address, name collate "C"`)
    const coas = await linesOf(`
      select flow_address as address, coa_address as line from app.coa_accounts
      where flow_address is not null order by 1, 2`)
    const { rows } = await database.pool.query<{ address: string }>(
      'select address from app.accounts where created_height is not null',
    )
    return {
      belongings: (address) => ({
        keys: keys.get(address) ?? [], contracts: contracts.get(address) ?? [], coas: coas.get(address) ?? [],
      }),
      created: new Set(rows.map(({ address }) => address)),
    }
  }
  /** Accounts that the chain began with may have what no event tells of; of all others everything is known. */
  const expectTruth = async (truth: Truth, what: string): Promise<void> => {
    const { belongings, created } = await indexed()
    expect(created.size, what).to.be.greaterThan(5)
    for (const [address, expected] of trueBelongings(truth)) {
      const found = belongings(address)
      if (created.has(address)) {
        expect(found, `${address} ${what}`).to.deep.equal(expected)
        continue
      }
      for (const kind of ['keys', 'contracts', 'coas'] as const) {
        expect(expected[kind], `${address} ${what}`).to.include.members([...found[kind]])
      }
    }
  }

  it('are those of the chain at its end, by any ranges in any order', async () => {
    const blocks = await decodedRecording('base')
    const truth = await truthOf('base')
    await derive(blocks, { from: 0, to: blocks.length })
    await expectTruth(truth, 'in one pass')
    const inOnePass = await digest()
    await fc.assert(
      fc.asyncProperty(inAnyOrder(partitions(blocks.length)), async (ranges) => {
        await reset()
        for (const range of ranges) await derive(blocks, range)
        await expectTruth(truth, 'by ranges')
        expect(await digest()).to.equal(inOnePass)
      }),
      { numRuns: 6 },
    )
  }).timeout(120_000)

  it('have the transactions of each account counted once, and computation by who paid', async () => {
    const blocks = (await decodedRecording('base')).map((block) => ({
      ...block, transactions: block.transactions.map((transaction) => ({ ...transaction, gasUsed: BigInt(transaction.index + 1) })),
    }))
    const expected = new Map<string, { tx_count: number; gas_used: number }>()
    for (const { isSystem, payer, proposer, authorizers, gasUsed } of blocks.flatMap(({ transactions }) => transactions)) {
      if (isSystem) continue
      for (const address of new Set([payer, proposer, ...authorizers])) {
        const { tx_count: count, gas_used: gas } = expected.get(address ?? '') ?? { tx_count: 0, gas_used: 0 }
        expected.set(address ?? '', { tx_count: count + 1, gas_used: gas + (address === payer ? Number(gasUsed) : 0) })
      }
    }
    await reset()
    for (const [from, to] of [[140, 281], [0, 100], [100, 140], [90, 150]] as const) await derive(blocks, { from, to })
    const { rows } = await database.pool.query<object>(
      'select address, tx_count::int, gas_used::int from app.address_stats order by address',
    )
    expect(rows).to.deep.equal([...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([address, sums]) => ({ address, ...sums })))
  })

  it('keep what they had below a rollback: counts, keys that were revoked above, contracts that were changed above', async () => {
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
    const { rows: [row] } = await database.pool.query<{ revoked: number; updated: number; busy: number }>(
      `select (select count(*)::int from app.account_keys where is_revoked) as revoked,
         (select updated_height::int from app.smart_contracts where name = 'Tally') as updated,
         (select max(tx_count)::int from app.address_stats) as busy`,
    )
    expect(row).to.include({ revoked: 1, updated: 15 })
    expect(row?.busy).to.be.greaterThan(5)
  })

  it('are those of each version of a chain that is rolled back twice', async () => {
    await reset()
    for (const [version, from] of [['a', 0], ['b', 13], ['c', 25]] as const) {
      const blocks = await decodedRecording('fork', { version })
      for (const worker of workers) await rollBackWorker(database.pool, worker, from)
      await derive(blocks, { from, to: blocks.length })
      await expectTruth(await truthOf('fork', version), `in version ${version}`)
    }
  })

  it('are right for what is seen where history starts in the middle', async () => {
    const blocks = await decodedRecording('base')
    const truth = trueBelongings(await truthOf('base'))
    await reset()
    await derive(blocks, { from: 60, to: blocks.length })
    const { rows } = await database.pool.query<{ address: string; line: string; is_revoked: boolean }>(`
      select address, concat_ws(' ', key_index, encode(public_key, 'hex'), signing_algorithm, hashing_algorithm, weight,
        case when is_revoked then 'revoked' else 'valid' end) as line
      from app.account_keys where public_key is not null`)
    expect(rows.length).to.be.greaterThan(10)
    for (const { address, line } of rows) expect(truth.get(address)?.keys).to.include(line)
    const { rows: [tally] } = await database.pool.query<object>(
      `select created_height, updated_height::int from app.smart_contracts where name = 'Tally'`,
    )
    expect(tally).to.deep.equal({ created_height: null, updated_height: 71 })
  })
})
