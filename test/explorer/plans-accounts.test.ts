import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { listKeysByPublicKey, readIndexedAccount, listCoas } from '../../src/explorer/accounts/queries.ts'
import { listAccounts } from '../../src/explorer/accounts/routes.ts'
import { readBlockTimes } from '../../src/explorer/blocks/queries.ts'
import { listContractVersions } from '../../src/explorer/contracts/routes.ts'
import { listContracts, readContracts } from '../../src/explorer/contracts/queries.ts'
import { readTransactionIds } from '../../src/explorer/transactions/queries.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { generateContracts, storeContracts } from '../support/contract-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'

const flow = 'A.1654653399040a61.FlowToken'
const key = Buffer.from('ab'.repeat(64), 'hex')
const coa = `0x${'0'.repeat(24)}${'ab'.repeat(8)}`

/** Most accounts have one transaction and the same FLOW balance, as on mainnet. */
const fill = `
  create temp table made as
  select '0x' || lpad(to_hex(i), 16, '0') as address, i, case when i % 50 = 0 then i else 1 end as skewed
  from generate_series(1, 20000) as i;
  insert into app.accounts select address, 100 + i % 400, 500 + skewed / 100, 100 + i % 400, 0 from made;
  insert into app.address_stats select address, skewed, 1 from made;
  insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
    select address, '${flow}', skewed * 0.001, 1, 1, 0, 1 from made;
  insert into app.account_keys (address, key_index, public_key, is_revoked)
    select address, 0, decode('${key.toString('hex')}', 'hex'), i % 2 = 0 from made;
  insert into app.coa_accounts (block_height, tx_index, event_index, coa_address, flow_address)
    select 100 + i % 400, i, 0, '${coa}', '0x0000000000000001' from made;
  insert into app.contract_versions (block_height, tx_index, event_index, change, address, name, code_hash)
    select i, 0, 0, 'updated', '0x' || lpad(to_hex(i % 2000), 16, '0'), 'C', '\\x00' from made;
`

describe('queries of accounts and contracts', () => {
  let database: TestDatabase
  let plans: QueryPlans
  const contracts = generateContracts(3000)

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 499, { partitionStep: 50 })
    await database.pool.query(fill)
    await storeContracts(database.pool, contracts)
    await database.pool.query('analyze')
    plans = await queryPlans(database)
  })

  after(async () => {
    await plans.end()
    await database.drop()
  })

  type Case = readonly [name: string, maxRows: number, query: (pool: DatabasePool) => Promise<unknown>]
  const address = '0x0000000000002710'
  const page = { isDescending: true, count: 21, withBody: true, after: undefined }
  const at = (numbers: readonly number[]) => ({ numbers, contract: contracts[1500]?.contract ?? '' })
  const cases: readonly Case[] = [
    ...(['block_height', 'first_seen', 'tx_count', 'flow_balance'] as const).flatMap((order): Case[] => {
      // Nearly all accounts share this value.
      const value = { block_height: '500', first_seen: '300', tx_count: '1', flow_balance: '0.001' }[order]
      return [
        [`the first accounts by ${order}`, 100, (pool) => listAccounts(pool, 'mainnet', order, undefined, 21)],
        [
          `accounts by ${order} amid those that share a value`,
          130,
          (pool) => listAccounts(pool, 'mainnet', order, { value, address }, 21),
        ],
      ]
    }),
    ['one account', 10, (pool) => readIndexedAccount(pool, 'mainnet', address)],
    ['the first accounts of a key', 25, (pool) => listKeysByPublicKey(pool, key, undefined, 21)],
    [
      'the last accounts of a key',
      25,
      (pool) => listKeysByPublicKey(pool, key, { isRevoked: true, address, index: 0 }, 21),
    ],
    [
      'the creations of an EVM account',
      25,
      (pool) => listCoas(pool, coa, { height: 300, txIndex: 5, eventIndex: 0 }, 21),
    ],
    [
      'the EVM accounts of an account',
      25,
      (pool) => listCoas(pool, '0x0000000000000001', { height: 300, txIndex: 5, eventIndex: 0 }, 21),
    ],
    ['contracts by address', 80, (pool) => listContracts(pool, {}, { ...page, order: 'address', after: at([]) })],
    ['contracts by name', 80, (pool) => listContracts(pool, {}, { ...page, order: 'name', after: at([]) })],
    [
      'contracts by their last change',
      80,
      (pool) => listContracts(pool, {}, { ...page, order: 'updated_at', after: at([3000, 2, 9]) }),
    ],
    [
      'contracts by their creation',
      90,
      (pool) => listContracts(pool, {}, { ...page, order: 'created_at', after: at([1500, 1]) }),
    ],
    [
      'contracts by their creation, oldest first',
      90,
      (pool) => listContracts(pool, {}, { ...page, isDescending: false, order: 'created_at', after: at([1500, 1]) }),
    ],
    [
      'contracts whose creation is not indexed',
      80,
      (pool) => listContracts(pool, {}, { ...page, order: 'created_at', after: at([]) }),
    ],
    [
      'the contracts of an account',
      20,
      (pool) => listContracts(pool, { address: '0x0000000000001050' }, { ...page, order: 'name' }),
    ],
    [
      'contracts of a kind, of which one in ten is',
      900,
      (pool) => listContracts(pool, { kind: 'NFT' }, { ...page, order: 'name', after: at([]) }),
    ],
    [
      'contracts by identifier',
      70,
      (pool) =>
        readContracts(
          pool,
          contracts.slice(0, 20).map(({ contract }) => contract),
          true,
        ),
    ],
    ['the versions of a contract', 25, (pool) => listContractVersions(pool, 'A.0000000000000064.C', undefined, 21)],
  ]

  for (const [name, max, query] of cases) {
    it(`reads ${name} by an index, and few rows`, async () => {
      const plan = await plans.of(query)
      expect(plan.rowsTouched, plan.statements.join('\n')).to.be.at.most(max)
    })
  }

  it('reads block times and transaction ids only from their partitions', async () => {
    const times = await plans.of((pool) => readBlockTimes(pool, [120, null, 480]))
    expect(times.partitions).to.have.length(2)
    expect(times.rowsTouched).to.equal(2)
    const ids = await plans.of((pool) =>
      readTransactionIds(pool, [
        { block_height: 120, tx_index: 1 },
        { block_height: 480, tx_index: 0 },
      ]),
    )
    expect(ids.partitions).to.have.length(2)
    expect(ids.rowsTouched).to.be.at.most(12)
  })
})
