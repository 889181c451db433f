import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { ftHoldingsWorker } from '../../jobs/ft-holdings-worker.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto, derivedDigest, derivedTables, rollBackDerived } from '../support/derived-tables.ts'
import { namedAccounts, truthOf } from '../support/recording-annotations.ts'

/** Versions of the chain. Each forks from the one before at a shared height. */
const versions = [
  { version: 'a', from: 0 },
  { version: 'b', from: 13 },
  { version: 'c', from: 25 },
] as const

describe('state of a chain that is rolled back twice', () => {
  let database: TestDatabase
  let users: readonly string[]

  before(async () => {
    database = await createTestDatabase()
    const named = await namedAccounts('fork')
    users = Object.entries(named).flatMap(([name, address]) => (name.startsWith('user') ? [address] : []))
    expect(users.length).to.equal(8)
  })

  after(() => database.drop())

  const derive = async (blocks: readonly DecodedBlock[], from: number): Promise<void> => {
    for (const worker of workers) {
      const problems = await deriveInto(database.pool, worker, blocks, { from, to: blocks.length })
      expect(problems, worker.name).to.deep.equal([])
    }
  }
  const stored = async (): Promise<{ balances: object; items: object }> => {
    const balances = await database.pool.query<{ key: string; balance: string }>(
      `select address || ' ' || token as key, balance::text from app.ft_holdings
       where address = any ($1) order by 1`,
      [users],
    )
    const items = await database.pool.query<{ item: string; owner: string }>(
      `select * from (
         select distinct on (token, nft_id) token || '.NFT ' || nft_id as item, to_address as owner
         from app.nft_transfers
         order by token, nft_id, block_height desc, tx_index desc, event_index desc, leg desc
       ) as last where owner = any ($1) order by item`,
      [users],
    )
    return {
      balances: Object.fromEntries(balances.rows.map(({ key, balance }) => [key, balance])),
      items: Object.fromEntries(items.rows.map(({ item, owner }) => [item, owner])),
    }
  }
  const trueState = async (version: string): Promise<{ balances: object; items: object }> => {
    const { accounts } = await truthOf('fork', version)
    const ofUsers = users.flatMap((address) => {
      const account = accounts[address]
      if (account === undefined) throw new Error(`the notes of ${version} do not know ${address}`)
      return [{ address, ...account }]
    })
    const balances = ofUsers.flatMap(({ address, vaults }) =>
      vaults.map(({ type, balance }) => [`${address} ${type.replace(/\.Vault$/, '')}`, balance] as const),
    )
    const items = ofUsers.flatMap(({ address, nfts }) =>
      nfts.map(({ type, id }) => [`${type} ${id}`, address] as const),
    )
    return { balances: Object.fromEntries(balances), items: Object.fromEntries(items) }
  }

  it('matches each version of the chain at its end', async () => {
    for (const { version, from } of versions) {
      const blocks = await decodedRecording('fork', { version })
      await rollBackDerived(database.pool, from)
      await derive(blocks, from)
      expect(await stored(), version).to.deep.equal(await trueState(version))
    }
  })

  it('is the same as if only the last version had existed', async () => {
    const rolledBack = await derivedDigest(database.pool)
    await database.pool.query(`truncate ${derivedTables.join(', ')}`)
    await derive(await decodedRecording('fork', { version: 'c' }), 0)
    expect(await derivedDigest(database.pool)).to.deep.equal(rolledBack)
  })

  it('is the same if one version is derived over another without a rollback', async () => {
    const inOnePass = await derivedDigest(database.pool)
    const end = (await decodedRecording('fork', { version: 'c' })).length
    for (const version of ['a', 'b', 'a', 'c'] as const) {
      const blocks = await decodedRecording('fork', { version })
      for (let from = 0; from < blocks.length; from += 7) {
        const range = { from, to: Math.min(from + 7, blocks.length) }
        for (const worker of workers.filter(({ phase }) => phase === 1)) {
          await deriveInto(database.pool, worker, blocks, range)
        }
      }
      // Rows of the other version above the end of this one remain, as these heights were not
      // derived again.
      for (let from = 0; from < end; from += 5) {
        await deriveInto(database.pool, ftHoldingsWorker, blocks, { from, to: Math.min(from + 5, end) })
      }
    }
    expect(await derivedDigest(database.pool)).to.deep.equal(inOnePass)
    for (const worker of workers) await deriveInto(database.pool, worker, await emptied('c'), { from: 0, to: end })
    const { rows } = await database.pool.query('select address from app.ft_holdings')
    expect(rows, 'nothing is left of a chain without transactions').to.deep.equal([])
  })

  async function emptied(version: string): Promise<readonly DecodedBlock[]> {
    return (await decodedRecording('fork', { version })).map((block) => ({ ...block, transactions: [] }))
  }
})
