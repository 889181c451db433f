import type { Pool } from 'pg'

/**
 * Sample parameters with which every declared API route returns data on a derived chain: path
 * parameters, and required query parameters. `null`: the chain has no such object.
 */
export type ApiSamples = Readonly<Record<SampleName, string | null>>

/** One value for each, by SQL. All orders are total, so the same chain yields the same values. */
const statements = {
  height:
    'select block_height::text as value from raw.transactions where not is_evm order by event_count desc, block_height limit 1',
  serviceEventHeight:
    "select block_height::text as value from app.epoch_events where event_type like 'Epoch%' order by block_height limit 1",
  labelled: 'select address as value from app.account_labels where length(address) = 18 order by address limit 1',
  transaction: `
    select encode(t.id, 'hex') as value from raw.transactions t
    join app.ft_transfers f using (block_height, tx_index) join app.nft_transfers n using (block_height, tx_index)
    where f.transfer_type = 'transfer' and t.payer_address is not null
    order by t.event_count desc, t.block_height, t.tx_index limit 1`,
  account: `
    select address as value from app.nft_holdings join app.ft_holdings using (address) join app.address_stats using (address)
    where address not in (select address from app.smart_contracts) group by address order by count(*) desc, address limit 1`,
  token: 'select token as value from app.ft_token_totals order by transfer_count desc, token limit 1',
  collection: 'select token as value from app.nft_collection_totals order by transfer_count desc, token limit 1',
  item: `
    select nft_id::text as value from app.nft_ownership
    where token = (select token from app.nft_collection_totals order by transfer_count desc, token limit 1) and not is_burned
    order by nft_id limit 1`,
  itemOwner: `
    select owner as value from app.nft_ownership
    where token = (select token from app.nft_collection_totals order by transfer_count desc, token limit 1) and not is_burned
    order by nft_id limit 1`,
  contract: `
    select contract as value from (select unnest(contracts) as contract from app.block_analytics) c
    join app.smart_contracts s on 'A.' || substr(s.address, 3) || '.' || s.name = contract
    group by contract order by count(*) desc, contract limit 1`,
  script:
    "select encode(script_hash, 'hex') as value from raw.scripts order by length(script_text) desc, script_hash limit 1",
  publicKey: `
    select encode(public_key, 'hex') as value from app.account_keys where public_key is not null
    group by public_key order by bool_or(is_revoked) desc, count(*) desc, public_key limit 1`,
  coaOwner:
    'select flow_address as value from app.coa_accounts where flow_address is not null order by block_height, event_index limit 1',
  evmHash: `
    select evm_hash as value from app.evm_tx_hashes join app.evm_transactions using (block_height, tx_index, event_index)
    where evm_status = 1 and evm_to is not null and gas_price > 0
    order by (select count(*) from app.evm_token_transfers t where t.block_height = evm_tx_hashes.block_height) desc, block_height, tx_index, event_index limit 1`,
  evmBlock:
    'select evm_block_height::text as value from app.evm_transactions where evm_block_height > 1 group by 1 order by count(*) desc, 1 limit 1',
  evmToken: "select '0x' || token as value from app.evm_tokens order by transfer_count desc, token limit 1",
  evmAddress: `
    select '0x' || address as value from app.evm_token_holdings
    join (select evm_from as address, count(*) as sent from app.evm_tx_hashes group by 1) s using (address)
    order by sent desc, address limit 1`,
  node: 'select node_id as value from app.staking_nodes order by delegator_count desc, node_id limit 1',
  epoch: 'select epoch::text as value from app.epoch_nodes order by epoch desc limit 1',
  scheduled:
    'select scheduled_id::text as value from app.scheduled_transactions order by ended_height nulls last, scheduled_id limit 1',
  handlerOwner:
    'select handler_owner as value from app.scheduled_transactions where handler_owner is not null order by scheduled_id limit 1',
  handler:
    'select handler_uuid::text as value from app.scheduled_transactions where handler_uuid is not null order by scheduled_id limit 1',
  pair: 'select pair as value from app.defi_pairs order by pair limit 1',
  ownWorker: 'select substr(name, 5) as value from app.own_workers where replaces is null order by name limit 1',
  ownTable:
    "select declaration #>> '{tables,0,name}' as value from app.own_workers where replaces is null order by name limit 1",
} as const

export type SampleName = keyof typeof statements

export async function readApiSamples(pool: Pool): Promise<ApiSamples> {
  const found = await Promise.all(
    Object.entries(statements).map(async ([name, text]) => {
      const {
        rows: [row],
      } = await pool.query<{ value: string }>(text)
      return [name, row?.value ?? null] as const
    }),
  )
  return Object.fromEntries(found) as ApiSamples
}

/** The value of each path parameter. */
const meanings: Readonly<Record<string, SampleName>> = {
  height: 'height',
  id: 'transaction',
  address: 'account',
  token: 'token',
  nft_type: 'collection',
  identifier: 'contract',
  hash: 'script',
  publicKey: 'publicKey',
  node_id: 'node',
  epoch: 'epoch',
  number: 'evmBlock',
}

/** Overrides at and below these paths. */
const specialMeanings: readonly (readonly [path: string, parameter: string, sample: SampleName])[] = [
  ['/flow/block/{height}/service-event', 'height', 'serviceEventHeight'],
  ['/flow/account/{address}/labels', 'address', 'labelled'],
  ['/flow/nft/{nft_type}/item/{id}', 'id', 'item'],
  ['/flow/scheduled-transaction/{id}', 'id', 'scheduled'],
  ['/flow/scheduled-handler/{id}', 'id', 'handler'],
  ['/flow/account/{address}/nft/{nft_type}', 'address', 'itemOwner'],
  ['/flow/account/{address}/scheduled-transaction', 'address', 'handlerOwner'],
  ['/flow/coa/{address}', 'address', 'coaOwner'],
  ['/flow/evm/address/{address}', 'address', 'evmAddress'],
  ['/flow/evm/token/{address}', 'address', 'evmToken'],
  ['/flow/evm/transaction/{hash}', 'hash', 'evmHash'],
  ['/own/{workerName}', 'workerName', 'ownWorker'],
  ['/own/{workerName}', 'tableName', 'ownTable'],
]

const words: Readonly<Record<string, string>> = { module: 'evm', timescale: 'daily', version: '1', metric: 'fees' }

/**
 * Query parameters, by path, that are required, or without which most of a response would cover
 * days before the chain.
 */
const queries: Readonly<Record<string, string>> = {
  '/flow/account/{address}/balance/history': 'days=1',
  '/flow/account/{address}/storage/item': 'path=/storage/flowTokenVault',
  '/flow/events/search': 'name=TokensDeposited',
  '/flow/evm/search': 'q=coin',
  '/flow/nft/search': 'q=pebble',
  '/flow/search': 'q=flow',
  '/flow/search/preview': 'q=0xf8d6e0586b0a20c7',
  '/insights/daily': 'from=2026-03-14&to=2026-03-15',
  '/insights/daily/module/{module}': 'from=2026-03-14&to=2026-03-15',
  '/insights/metrics/{metric}': 'from=2026-03-14&to=2026-03-15',
  '/insights/transfers/daily': 'from=2026-03-14&to=2026-03-15',
  '/status/price/at': 'ts=2026-03-01T00:00:00Z',
}

/** A request for a declared path with data on the sample chain. */
export function sampleCall(path: string, samples: ApiSamples): string {
  if (path === '/flow/account/{address}/contract/{name}') {
    const [, address, name] = samples.contract?.split('.') ?? []
    return `/flow/account/0x${address}/contract/${name}`
  }
  const target = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => words[name] ?? samples[sampleOf(path, name)] ?? 'none',
  )
  const query = queries[path]
  return query === undefined ? target : `${target}?${query}`
}

function sampleOf(path: string, parameter: string): SampleName {
  const special = specialMeanings.find(
    ([place, name]) => name === parameter && (path === place || path.startsWith(`${place}/`)),
  )
  const sample = special?.[2] ?? meanings[parameter]
  if (sample === undefined) throw new Error(`no sample for {${parameter}} of ${path}`)
  return sample
}
