/** `now`: the current value only, as one period that starts with the newest indexed day. */
export type Grain = 'hour' | 'day' | 'week' | 'month' | 'now'
export type Dimension = 'token' | 'collection'
type Unit = 'count' | 'accounts' | 'addresses' | 'FLOW' | 'USD' | 'tokens' | 'computation' | 'gas'

export interface Measure {
  readonly title: string
  readonly definition: string
  readonly unit: Unit
  readonly source: SourceName
  /** SQL of the value, over the rows of a period. */
  readonly value: string
  /** Null, not 0, without a row or value. */
  readonly isNullable?: true
  /** Default: those of the source. */
  readonly grains?: readonly Grain[]
}

interface Source {
  /** Table, or FROM items with a column `day`. */
  readonly table: string
  /** Distinct accounts of several days cannot be added up. */
  readonly grains: readonly Grain[]
  /** A series is about one token or collection. */
  readonly dimension?: Dimension
}

/** Last price in US dollars of a day, up to 48 hours before its end. */
export function lastPriceSql(token: string, day: string): string {
  return [
    `select price from app.prices where token = ${token} and currency = 'USD'`,
    `    and price_time < (${day} + 1)::timestamp at time zone 'UTC'`,
    `    and price_time >= (${day} - 1)::timestamp at time zone 'UTC'`,
    '  order by price_time desc limit 1',
  ].join('\n')
}

const tokenDays = [
  "(select day, name, sum(amount) as amount from app.hourly_activity where kind = 'token' group by day, name) t",
  `  left join lateral (${lastPriceSql('t.name', 't.day')}) p on true`,
].join('\n')

const epochDays = [
  '(select distinct day from app.hourly_stats) d',
  '  left join lateral (select total_staked from app.epoch_stats',
  "    where start_time < (d.day + 1)::timestamp at time zone 'UTC' order by start_time desc limit 1) e on true",
].join('\n')

export const sources = {
  hours: { table: 'app.hourly_stats', grains: ['hour', 'day', 'week', 'month'] },
  days: { table: 'app.daily_analytics', grains: ['day', 'week', 'month'] },
  accounts: { table: 'app.daily_account_counts', grains: ['day'] },
  actors: { table: 'app.daily_actor_counts', grains: ['day'] },
  volumes: { table: tokenDays, grains: ['day', 'week', 'month'] },
  stakes: { table: epochDays, grains: ['day'] },
  token: { table: 'app.hourly_activity', grains: ['day'], dimension: 'token' },
  collection: { table: 'app.hourly_activity', grains: ['day'], dimension: 'collection' },
  tokenHolders: { table: 'app.ft_token_holders', grains: ['now'], dimension: 'token' },
  collectionHolders: { table: 'app.nft_collection_stats', grains: ['now'], dimension: 'collection' },
} as const satisfies Readonly<Record<string, Source>>
export type SourceName = keyof typeof sources

function sumOf(
  source: 'hours' | 'days',
  column: string,
  title: string,
  definition: string,
  unit: Unit = 'count',
): Measure {
  const isExact = unit === 'FLOW'
  return { title, definition, unit, source, value: `sum(${column})${isExact ? '' : '::bigint'}` }
}

const system = 'including scheduled transactions'

/** The names are those of the fields of the explorer API. */
export const measures = {
  indexed_days: {
    title: 'Indexed days',
    definition: 'Days with indexed blocks.',
    unit: 'count',
    source: 'hours',
    value: 'count(distinct day)',
  },
  block_count: sumOf('hours', 'block_count', 'Blocks', 'Indexed blocks.'),
  tx_count: sumOf('hours', 'tx_count', 'Transactions', 'Transactions, including system transactions.'),
  system_tx_count: sumOf('hours', 'system_tx_count', 'System transactions', `System transactions, ${system}.`),
  cadence_tx_count: sumOf(
    'hours',
    'tx_count - evm_tx_count',
    'Cadence transactions',
    'Transactions without EVM transactions.',
  ),
  failed_tx_count: sumOf('hours', 'failed_tx_count', 'Failed transactions', 'Failed user transactions.'),
  evm_tx_count: sumOf(
    'hours',
    'evm_tx_count',
    'Transactions with EVM',
    'Flow transactions that executed EVM transactions.',
  ),
  event_count: sumOf('hours', 'event_count', 'Events', 'Events of all transactions.'),
  total_gas_used: sumOf('hours', 'gas_used', 'Computation', 'Computation used.', 'computation'),
  fees: sumOf('hours', 'fees', 'Fees', 'Deducted transaction fees.', 'FLOW'),
  ft_transfers: sumOf('hours', 'ft_transfer_count', 'Token transfers', 'Fungible token transfers, excluding fees.'),
  nft_transfers: sumOf('hours', 'nft_transfer_count', 'NFT transfers', 'NFT transfers.'),
  new_accounts: sumOf('hours', 'new_account_count', 'New accounts', 'Created accounts.'),
  coa_new_accounts: sumOf('hours', 'new_coa_count', 'New COAs', 'Created Cadence-owned accounts (COAs).'),
  new_contracts: sumOf('hours', 'new_contract_count', 'Deployed contracts', 'Deployed contracts.'),
  contract_updates: sumOf('hours', 'contract_update_count', 'Contract updates', 'Updated contracts.'),
  active_accounts: {
    title: 'Daily active accounts',
    definition: 'Accounts that proposed, paid for or authorized a user transaction on the day.',
    unit: 'accounts',
    source: 'accounts',
    value: 'sum(active_account_count)::bigint',
  },
  account_days: {
    title: 'Account days',
    definition: 'Daily active accounts, added up over the days of the period.',
    unit: 'accounts',
    source: 'accounts',
    value: 'sum(active_account_count)::bigint',
    grains: ['day', 'week', 'month'],
  },
  evm_execution_count: sumOf(
    'days',
    'evm_execution_count',
    'EVM transactions',
    'Executed EVM transactions; a Flow transaction may contain several.',
  ),
  evm_failed_count: sumOf('days', 'evm_failed_count', 'Failed EVM transactions', 'Failed EVM transactions.'),
  evm_gas_used: sumOf('days', 'evm_gas_used', 'EVM gas', 'Gas used by EVM transactions.', 'gas'),
  evm_active_addresses: {
    title: 'Daily active EVM addresses',
    definition: 'Senders and receivers of EVM transactions on the day.',
    unit: 'addresses',
    source: 'actors',
    value: "coalesce(sum(actor_count) filter (where kind = 'evm'), 0)::bigint",
  },
  defi_swap_count: sumOf('days', 'swap_count', 'Swaps', 'Swaps on decentralized exchanges.'),
  defi_unique_traders: {
    title: 'Daily traders',
    definition: 'Accounts with a swap on the day.',
    unit: 'accounts',
    source: 'actors',
    value: "coalesce(sum(actor_count) filter (where kind = 'trader'), 0)::bigint",
  },
  epoch_payout_total: sumOf('days', 'epoch_payout', 'Staking rewards', 'Rewards paid to nodes and delegators.', 'FLOW'),
  staked: {
    title: 'Staked FLOW',
    definition:
      'FLOW staked in the last epoch that began by the end of the day, excluding access nodes; null if unknown.',
    unit: 'FLOW',
    source: 'stakes',
    value: 'max(e.total_staked)',
    isNullable: true,
  },
  usd_volume: {
    title: 'Token volume in US dollars',
    definition: 'Sum of token_usd_volume of all fungible tokens with a known price.',
    unit: 'USD',
    source: 'volumes',
    value: 'sum(round(t.amount * p.price, 2))',
  },
  bridge_to_evm_txs: sumOf(
    'days',
    'bridge_to_evm_tx_count',
    'Bridge to EVM',
    'Transactions that moved FLOW, tokens or NFTs into EVM.',
  ),
  bridge_from_evm_txs: sumOf(
    'days',
    'bridge_from_evm_tx_count',
    'Bridge from EVM',
    'Transactions that moved FLOW, tokens or NFTs out of EVM.',
  ),
  token_transfers: {
    title: 'Transfers of a token',
    definition: 'Transfers of the fungible token, excluding fees and bridge escrow.',
    unit: 'count',
    source: 'token',
    value: 'm.activity_count',
  },
  token_volume: {
    title: 'Volume of a token',
    definition: 'Amount of these transfers.',
    unit: 'tokens',
    source: 'token',
    value: 'm.amount',
  },
  token_usd_volume: {
    title: 'Volume of a token in US dollars',
    definition: 'Volume at the last price of that day or the day before; null if unknown.',
    unit: 'USD',
    source: 'token',
    value: 'round(m.amount * p.price, 2)',
  },
  token_holders: {
    title: 'Holders of a token',
    definition: 'Accounts with a balance above zero now.',
    unit: 'accounts',
    source: 'tokenHolders',
    value: 'holder_count',
  },
  collection_holders: {
    title: 'Owners in a collection',
    definition: 'Accounts that own an NFT of the collection now.',
    unit: 'accounts',
    source: 'collectionHolders',
    value: 'holder_count',
  },
  collection_transfers: {
    title: 'Transfers of a collection',
    definition: 'Transfers of NFTs of the collection, excluding bridge escrow.',
    unit: 'count',
    source: 'collection',
    value: 'm.activity_count',
  },
} as const satisfies Readonly<Record<string, Measure>>
export type MeasureName = keyof typeof measures

export const measureNames: readonly MeasureName[] = Object.keys(measures).filter(isMeasureName)

function isMeasureName(name: string): name is MeasureName {
  return Object.hasOwn(measures, name)
}

export function measureOf(name: MeasureName): Measure & Source {
  const measure: Measure = measures[name]
  return { ...sources[measure.source], ...measure }
}

/** The day, or the only one. */
export function defaultGrain(name: MeasureName): Grain {
  return measureOf(name).grains.includes('day') ? 'day' : 'now'
}
