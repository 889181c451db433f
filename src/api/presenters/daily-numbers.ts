import { z } from 'zod'
import { dayFormat } from '../parameters/day-range.ts'
import { amountFormat, countFormat } from '../formats/formats.ts'
import { percentOf, ratioOf } from '../formats/percent.ts'

const parts = {
  accounts: {
    active_accounts: countFormat.describe('Accounts that proposed, paid for or authorized a transaction.'),
    new_accounts: countFormat.describe('Accounts that were created.'),
    coa_new_accounts: countFormat.describe('EVM accounts that Flow accounts made for themselves.'),
  },
  evm: {
    evm_tx_count: countFormat.describe('Transactions that executed EVM transactions.'),
    evm_execution_count: countFormat.describe('EVM transactions that were executed: a transaction can hold many.'),
    evm_failed_count: countFormat.describe('Those of them that failed.'),
    evm_gas_used: countFormat.describe('Gas of the EVM transactions.'),
    evm_active_addresses: countFormat.describe('Senders and receivers of EVM transactions.'),
  },
  defi: {
    defi_swap_count: countFormat.describe('Swaps.'),
    defi_unique_traders: countFormat.describe('Accounts that swapped.'),
  },
  epoch: {
    epoch: z.int().nullable().describe('The last epoch that ran on the day; null where none is known.'),
    epoch_payout_total: amountFormat.describe('Rewards that were paid to nodes and delegators, in FLOW.'),
  },
  bridge: {
    bridge_to_evm_txs: countFormat.describe('Transactions that moved FLOW, tokens or items into EVM.'),
    bridge_from_evm_txs: countFormat.describe('Transactions that moved some out of EVM.'),
  },
  contracts: {
    new_contracts: countFormat.describe('Contracts that were deployed.'),
    contract_updates: countFormat.describe('Contracts that were replaced by a new version.'),
  },
}

/** Parts of the chain with daily numbers of their own. */
export const modules = ['accounts', 'evm', 'defi', 'epoch', 'bridge', 'contracts'] as const
export type Module = (typeof modules)[number]

/** The numbers of one day. */
export const dailyNumbersSchema = z
  .strictObject({
    date: dayFormat,
    block_count: countFormat.describe('Blocks that are indexed; 0 for a day of which none is.'),
    tx_count: countFormat.describe('Transactions, system transactions included.'),
    system_tx_count: countFormat.describe('Those that the chain made itself, scheduled ones included.'),
    cadence_tx_count: countFormat.describe('Transactions that executed no EVM transaction.'),
    failed_tx_count: countFormat.describe('Transactions of users that failed.'),
    error_rate: z.number().min(0).describe("Part of users' transactions that failed, in percent, 2 decimals."),
    event_count: countFormat,
    total_gas_used: countFormat.describe('Computation used.'),
    avg_gas_per_tx: z.number().min(0).describe('Computation of a transaction in the mean, 2 decimals.'),
    fees: amountFormat.describe('Fees that were deducted, in FLOW.'),
    ft_transfers: countFormat.describe('Movements of fungible tokens, fees aside.'),
    nft_transfers: countFormat.describe('Movements of items of collections.'),
    ...parts.accounts,
    ...parts.evm,
    ...parts.defi,
    ...parts.epoch,
    ...parts.bridge,
    ...parts.contracts,
  })
  .meta({ id: 'DailyNumbers' })
export type DailyNumbers = z.output<typeof dailyNumbersSchema>

/** The numbers of one day for one part of the chain. */
export const moduleNumbersSchema = z.union([
  z.strictObject({ date: dayFormat, ...parts.accounts }).meta({ id: 'DailyAccountNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.evm }).meta({ id: 'DailyEvmNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.defi }).meta({ id: 'DailyDefiNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.epoch }).meta({ id: 'DailyEpochNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.bridge }).meta({ id: 'DailyBridgeNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.contracts }).meta({ id: 'DailyContractNumbers' }),
])
export type ModuleNumbers = z.output<typeof moduleNumbersSchema>

/** A day as it is read. */
export const dailyNumbersRow = z.object({
  day: z.string(),
  block_count: z.number(),
  tx_count: z.number(),
  system_tx_count: z.number(),
  failed_tx_count: z.number(),
  evm_tx_count: z.number(),
  event_count: z.number(),
  gas_used: z.number(),
  fees: z.string(),
  ft_transfer_count: z.number(),
  nft_transfer_count: z.number(),
  new_account_count: z.number(),
  new_coa_count: z.number(),
  new_contract_count: z.number(),
  contract_update_count: z.number(),
  active_account_count: z.number(),
  evm_execution_count: z.number(),
  evm_failed_count: z.number(),
  evm_gas_used: z.number(),
  swap_count: z.number(),
  bridge_to_evm_tx_count: z.number(),
  bridge_from_evm_tx_count: z.number(),
  epoch_payout: z.string(),
  evm_address_count: z.number(),
  trader_count: z.number(),
  epoch: z.number().nullable(),
})
export type DailyNumbersRow = z.output<typeof dailyNumbersRow>

export function presentDailyNumbers(row: DailyNumbersRow): DailyNumbers {
  return {
    date: row.day,
    block_count: row.block_count,
    tx_count: row.tx_count,
    system_tx_count: row.system_tx_count,
    cadence_tx_count: row.tx_count - row.evm_tx_count,
    failed_tx_count: row.failed_tx_count,
    error_rate: percentOf(row.failed_tx_count, row.tx_count - row.system_tx_count),
    event_count: row.event_count,
    total_gas_used: row.gas_used,
    avg_gas_per_tx: ratioOf(row.gas_used, row.tx_count),
    fees: row.fees,
    ft_transfers: row.ft_transfer_count,
    nft_transfers: row.nft_transfer_count,
    ...moduleFields.accounts(row),
    ...moduleFields.evm(row),
    ...moduleFields.defi(row),
    ...moduleFields.epoch(row),
    ...moduleFields.bridge(row),
    ...moduleFields.contracts(row),
  }
}

export function presentModuleNumbers(module: Module, row: DailyNumbersRow): ModuleNumbers {
  return { date: row.day, ...moduleFields[module](row) }
}

type PartOf<M extends Module> = z.output<z.ZodObject<(typeof parts)[M]>>

const moduleFields: { readonly [M in Module]: (row: DailyNumbersRow) => PartOf<M> } = {
  accounts: (row) => ({
    active_accounts: row.active_account_count,
    new_accounts: row.new_account_count,
    coa_new_accounts: row.new_coa_count,
  }),
  evm: (row) => ({
    evm_tx_count: row.evm_tx_count,
    evm_execution_count: row.evm_execution_count,
    evm_failed_count: row.evm_failed_count,
    evm_gas_used: row.evm_gas_used,
    evm_active_addresses: row.evm_address_count,
  }),
  defi: (row) => ({ defi_swap_count: row.swap_count, defi_unique_traders: row.trader_count }),
  epoch: (row) => ({ epoch: row.epoch, epoch_payout_total: row.epoch_payout }),
  bridge: (row) => ({
    bridge_to_evm_txs: row.bridge_to_evm_tx_count,
    bridge_from_evm_txs: row.bridge_from_evm_tx_count,
  }),
  contracts: (row) => ({ new_contracts: row.new_contract_count, contract_updates: row.contract_update_count }),
}
