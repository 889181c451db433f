import type { RowWriter } from '../src/platform/row-writer.ts'
import { isZeroAddress } from '../src/flow/address.ts'
import { coreContracts } from '../src/flow/core-contracts.ts'
import { utcDay, utcHour } from '../src/flow/decoded-block.ts'
import type { DecodedBlock, DecodedTransaction } from '../src/flow/decoded-block.ts'
import type { Network } from '../src/flow/network.ts'
import { tokenMovesOf } from '../src/flow/tokens/read-token-moves.ts'
import { ufix64Text, ufix64Units, ufix64Zero } from '../src/flow/tokens/ufix64.ts'
import { feeOfTransaction, gasOfTransaction } from '../src/flow/transactions/transaction-fee.ts'
import type { DeriveContext, HeightTable, SqlColumn, SumFold, Worker } from './worker.ts'

const blockStats: HeightTable = {
  name: 'app.block_stats',
  columns: [
    'block_height',
    'gas_used',
    'day',
    'tx_count',
    'system_tx_count',
    'failed_tx_count',
    'evm_tx_count',
    'event_count',
    'ft_transfer_count',
    'nft_transfer_count',
    'new_account_count',
    'new_coa_count',
    'new_contract_count',
    'contract_update_count',
    'hour',
    'fees',
    'accounts',
  ],
  heightColumn: 'block_height',
  partitionHeights: 5_000_000,
}

const inRange = 'block_height >= $1 and block_height < $2'
const day: SqlColumn = { column: 'day', type: 'date' }

const counters = [
  'tx_count',
  'system_tx_count',
  'failed_tx_count',
  'evm_tx_count',
  'event_count',
  'gas_used',
  'fees',
  'ft_transfer_count',
  'nft_transfer_count',
  'new_account_count',
  'new_coa_count',
  'new_contract_count',
  'contract_update_count',
] as const

const hourlyStats: SumFold = {
  kind: 'sum',
  name: 'app.hourly_stats',
  key: [day, { column: 'hour', type: 'smallint' }],
  sums: [
    { column: 'block_count', type: 'bigint' },
    ...counters.map((column) => ({ column, type: column === 'fees' ? 'numeric' : 'bigint' })),
  ],
  presence: 'block_count',
  of: blockStats.name,
  touched: `select distinct day, hour from app.block_stats where ${inRange}`,
  counted: `select day, hour, 1::bigint as block_count, ${counters.join(', ')} from app.block_stats where ${inRange}`,
}

const accountsOfRange = `
    select day, address from app.block_stats cross join lateral unnest(accounts) as address where ${inRange}`

const activeAccounts: SumFold = {
  kind: 'sum',
  name: 'app.daily_active_accounts',
  key: [day, { column: 'address', type: 'text' }],
  sums: [{ column: 'block_count', type: 'bigint' }],
  presence: 'block_count',
  of: blockStats.name,
  touched: `select distinct day, address from (${accountsOfRange}) as seen`,
  counted: `select day, address, 1::bigint as block_count from (${accountsOfRange}) as seen`,
}

/**
 * Counts accounts whose block count in app.daily_active_accounts, folded before, equals their count
 * in the range.
 */
const accountCounts: SumFold = {
  kind: 'sum',
  name: 'app.daily_account_counts',
  key: [day],
  sums: [{ column: 'active_account_count', type: 'bigint' }],
  presence: 'active_account_count',
  of: blockStats.name,
  touched: `select distinct day from app.block_stats where ${inRange} and accounts <> '{}'`,
  counted: `
    select a.day, 1::bigint as active_account_count
    from (select day, address, count(*) as block_count from (${accountsOfRange}) as seen group by day, address) as r
    join app.daily_active_accounts a on a.day = r.day and a.address = r.address and a.block_count = r.block_count`,
}

export const dailyStatsWorker: Worker = {
  name: 'daily_stats_worker',
  description: 'Statistics by block, hour and day: transactions, fees, transfers, active accounts',
  phase: 1,
  follows: [],
  tables: [blockStats],
  folds: [hourlyStats, activeAccounts, accountCounts],
  derive({ blocks }, output, context) {
    const rows = output.rows(blockStats.name)
    for (const block of blocks) write(rows, block, countBlock(block, context))
  },
}

type Meaning = 'evm' | 'new-account' | 'new-coa' | 'new-contract' | 'contract-update'

const meanings: Readonly<Record<Network, ReadonlyMap<string, Meaning>>> = {
  mainnet: meaningsOn('mainnet'),
  testnet: meaningsOn('testnet'),
  emulator: meaningsOn('emulator'),
}

function meaningsOn(network: Network): ReadonlyMap<string, Meaning> {
  const { service } = coreContracts(network)
  return new Map<string, Meaning>([
    [`A.${service}.EVM.TransactionExecuted`, 'evm'],
    [`A.${service}.EVM.CadenceOwnedAccountCreated`, 'new-coa'],
    ['flow.AccountCreated', 'new-account'],
    ['flow.AccountContractAdded', 'new-contract'],
    ['flow.AccountContractUpdated', 'contract-update'],
  ])
}

class BlockCount {
  gasUsed = 0n
  systemTransactions = 0
  failedTransactions = 0
  evmTransactions = 0
  events = 0
  ftTransfers = 0
  nftTransfers = 0
  newAccounts = 0
  newCoas = 0
  newContracts = 0
  contractUpdates = 0
  /** In units of 10^-8 FLOW. */
  fees = 0n
  readonly accounts = new Set<string>()
}

function countBlock({ transactions }: DecodedBlock, { network }: DeriveContext): BlockCount {
  const count = new BlockCount()
  const meaningOf = meanings[network]
  for (const transaction of transactions) {
    const { isSystem, statusCode, events } = transaction
    // tx_metrics_worker records undecodable fees.
    const fee = feeOfTransaction(transaction, network)
    count.events += events.length
    count.fees += ufix64Units(fee.amount ?? ufix64Zero)
    count.gasUsed += gasOfTransaction(transaction, fee).used ?? 0n
    if (isSystem) count.systemTransactions++
    else {
      if (statusCode === 1) count.failedTransactions++
      seeParties(transaction, count.accounts)
    }
    let isEvm = false
    for (const event of events) {
      switch (meaningOf.get(event.type)) {
        case undefined:
          break
        case 'evm':
          isEvm = true
          break
        case 'new-account':
          count.newAccounts++
          break
        case 'new-coa':
          count.newCoas++
          break
        case 'new-contract':
          count.newContracts++
          break
        case 'contract-update':
          count.contractUpdates++
          break
      }
    }
    if (isEvm) count.evmTransactions++
    const { fungible, nonFungible } = tokenMovesOf(transaction, network)
    for (const { type } of fungible) if (type !== 'fee') count.ftTransfers++
    count.nftTransfers += nonFungible.length
  }
  return count
}

/** Some nodes report the zero address for transactions without a payer. */
function seeParties({ payer, proposer, authorizers }: DecodedTransaction, accounts: Set<string>): void {
  for (const address of [payer, proposer, ...authorizers]) {
    if (address !== undefined && !isZeroAddress(address)) accounts.add(address)
  }
}

function write(rows: RowWriter, { height, timestampUs, transactions }: DecodedBlock, count: BlockCount): void {
  rows.row(blockStats.columns.length)
  rows.int8(height)
  rows.int8(count.gasUsed)
  rows.date(utcDay(timestampUs))
  rows.int4(transactions.length)
  rows.int4(count.systemTransactions)
  rows.int4(count.failedTransactions)
  rows.int4(count.evmTransactions)
  rows.int4(count.events)
  rows.int4(count.ftTransfers)
  rows.int4(count.nftTransfers)
  rows.int4(count.newAccounts)
  rows.int4(count.newCoas)
  rows.int4(count.newContracts)
  rows.int4(count.contractUpdates)
  rows.int2(utcHour(timestampUs))
  rows.numeric(ufix64Text(count.fees))
  rows.textArray([...count.accounts].toSorted())
}
