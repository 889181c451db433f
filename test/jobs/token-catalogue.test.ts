import { expect } from 'chai'
import { tokenWorker } from '../../jobs/token-worker.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { ufix64Text, ufix64Units } from '../../src/flow/tokens/ufix64.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto, rollBackDerived } from '../support/derived-tables.ts'
import { truthOf } from '../support/recording-annotations.ts'

const flow = 'A.0ae53cb6e3f42a79.FlowToken'
const [pebble, moss] = ['A.179b6b1cb6755e31.PebbleCoin', 'A.179b6b1cb6755e31.MossPoints']
const stones = 'A.179b6b1cb6755e31.RiverStones'

describe('token catalogue', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
    await deriveInto(database.pool, tokenWorker, blocks, { from: 0, to: blocks.length })
  })

  after(() => database.drop())

  const rowsOf = async <T>(sql: string): Promise<T[]> => (await database.pool.query<T & object>(sql)).rows

  it('has every moved token and collection, with first transfer and count, without fees', async () => {
    for (const [table, totals, transfers, condition] of [
      ['app.ft_tokens', 'app.ft_token_totals', 'app.ft_transfers', "transfer_type <> 'fee'"],
      ['app.nft_collections', 'app.nft_collection_totals', 'app.nft_transfers', 'token is not null'],
    ] as const) {
      const expected = await rowsOf(
        `select token, min(block_height)::bigint as first_height, count(*) as transfer_count from ${transfers}
         where ${condition} group by token order by token`,
      )
      const found = await rowsOf(
        `select token, first_height, transfer_count from ${table} join ${totals} using (token) order by token`,
      )
      expect(found).to.deep.equal(expected)
      expect(found.length).to.be.greaterThan(1)
    }
  })

  it('has mints less burns equal to the supply of the chain', async () => {
    const { total_supply: supplies } = await truthOf('base')
    const totals = await rowsOf<{ token: string; supply: string }>(
      'select token, (minted - burned)::text as supply from app.ft_token_totals order by token',
    )
    // The initial supply has no event.
    const before: Readonly<Record<string, string>> = { [flow]: '1000000000', [pebble]: '1000000' }
    expect(
      Object.fromEntries(totals.map(({ token, supply }) => [`${token}.Vault`, plus(supply, before[token] ?? '0')])),
    ).to.deep.equal({
      ...supplies,
      // This contract does not subtract burns from its total supply.
      [`${moss}.Vault`]: '312.39534286',
    })
  })

  it('counts mints and burns of items', async () => {
    const [row] = await rowsOf<object>(
      `select mint_count::int, burn_count::int from app.nft_collection_totals where token = '${stones}'`,
    )
    const minted = blocks
      .flatMap(({ transactions }) => transactions.flatMap(({ events }) => events))
      .filter(({ type }) => type === `${stones}.Minted`)
    const burned = blocks
      .flatMap(({ transactions }) => transactions.flatMap(({ events }) => events))
      .filter(({ type }) => type.endsWith('.NonFungibleToken.NFT.ResourceDestroyed'))
    expect(row).to.deep.equal({ mint_count: minted.length, burn_count: burned.length })
  })

  it('follows a rollback', async () => {
    const {
      rows: [first],
    } = await database.pool.query<{ height: string }>(
      `select first_height as height from app.ft_tokens where token = '${pebble}'`,
    )
    await rollBackDerived(database.pool, Number(first?.height))
    for (const table of ['app.ft_tokens', 'app.ft_token_totals']) {
      expect(await rowsOf(`select token from ${table} where token in ('${pebble}', '${moss}')`), table).to.deep.equal(
        [],
      )
    }
  })
})

/** Adds whole tokens to an amount with 8 decimals. */
function plus(amount: string, whole: string): string {
  return ufix64Text(ufix64Units(amount) + BigInt(whole) * ufix64Units('1.00000000'))
}
