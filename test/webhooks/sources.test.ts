import { expect } from 'chai'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { eventTypeNames } from '../../src/webhooks/events.ts'
import { allSources } from '../../src/webhooks/sources/all-sources.ts'
import type { ChainEvent } from '../../src/webhooks/events.ts'
import { exploredChain } from '../support/explored-chain.ts'

/** Expected rows per type, counted by independent SQL on the whole recording. */
const rowsOf: Readonly<Record<string, string>> = {
  'block.sealed': 'select count(*) from raw.blocks',
  'transaction.sealed': 'select count(*) from raw.transactions where payer_address is not null',
  'address.activity': 'select count(*) from app.address_transactions',
  'ft.transfer': "select count(*) from app.ft_transfers where transfer_type <> 'fee'",
  'nft.transfer': 'select count(*) from app.nft_transfers',
  'account.created': 'select count(*) from app.address_transactions where is_created',
  'account.key.added': 'select count(*) from app.account_key_changes where not is_removed',
  'account.key.removed': 'select count(*) from app.account_key_changes where is_removed',
  'account.contract.added': "select count(*) from app.contract_versions where change = 'added'",
  'account.contract.updated': "select count(*) from app.contract_versions where change = 'updated'",
  'account.contract.removed': "select count(*) from app.contract_versions where change = 'removed'",
  'contract.event': "select count(*) from raw.events where type like 'A.0ae53cb6e3f42a79.FlowToken.%'",
  'evm.transaction': 'select count(*) from app.evm_tx_hashes',
  'defi.event': 'select count(*) from app.defi_events',
  'defi.swap': "select count(*) from app.defi_events where event_type = 'Swap'",
  'staking.event': 'select count(*) from app.staking_events',
}

describe('webhook sources', () => {
  const events: ChainEvent[] = []
  let counts: Record<string, number>
  before(async () => {
    const { database } = await exploredChain()
    await withTransaction(database.pool, async (client) => {
      // In ranges, like the dispatcher.
      for (let from = 0; from <= 300; from += 100) {
        for (const source of allSources)
          events.push(
            ...(await source.read(client, { from, to: from + 100 }, [{ contracts: ['A.0ae53cb6e3f42a79.FlowToken'] }])),
          )
      }
    })
    counts = {}
    for (const [type, text] of Object.entries(rowsOf)) {
      counts[type] = Number((await database.pool.query<{ count: string }>(text)).rows[0]?.count)
    }
  })

  for (const type of Object.keys(rowsOf)) {
    it(`return every ${type} once`, () => {
      const own = events.filter((event) => event.types.includes(type as (typeof event.types)[number]))
      expect(own).to.have.length(counts[type] ?? -1)
      expect(new Set(own.map(({ place }) => JSON.stringify(place))).size).to.equal(own.length)
    })
  }

  it('cover all types that have rows', () => {
    expect(eventTypeNames.filter((type) => !allSources.some((source) => source.types.includes(type)))).to.deep.equal([
      'chain.rollback',
    ])
    expect(Object.values(counts).filter((count) => count > 0)).to.have.length.above(12)
  })

  it('name the transaction of every event', () => {
    for (const { types, data } of events) {
      if (types[0] !== 'block.sealed') expect(data['transaction_id'], types[0]).to.match(/^[0-9a-f]{64}$/)
    }
  })
})
