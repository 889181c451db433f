import type { ListCase, ListKeys } from './list-case.ts'
import { accountCases } from './list-cases/accounts.ts'
import { caseOf, isWithinDays, someDays, transactionIdOf } from './list-cases/cases-of.ts'
import type { Values } from './list-cases/cases-of.ts'
import { nftCases } from './list-cases/nfts.ts'
import { stakeAndTradeCases } from './list-cases/stake-and-trade.ts'
import { tokenCases, transferCursor, transferOrder } from './list-cases/tokens.ts'
import { skewed } from './skewed-world.ts'

const { evmWhale, evmQuiet, evmCoin, evmBadge, evmMethod } = skewed

const transactions = (where: string): ListKeys => ({
  cursor: "t.block_height || ':' || t.tx_index || ':' || t.event_index",
  from: `app.evm_tx_hashes t where ${where}`,
  order: ['-t.block_height', '-t.tx_index', '-t.event_index'],
})

const detailed = (where: string): string =>
  `exists (
    select from app.evm_transactions d
    where (d.block_height, d.tx_index, d.event_index) = (t.block_height, t.tx_index, t.event_index) and ${where}
  )`

const transfers = (where: string): ListKeys => ({
  cursor: "t.block_height || ':' || t.tx_index || ':' || t.event_index || ':' || t.log_index || ':' || t.batch_index",
  from: `app.evm_token_transfers t where ${where}`,
  order: ['-t.block_height', '-t.tx_index', '-t.event_index', '-t.log_index', '-t.batch_index'],
})

const tokens = (where: string): ListKeys => ({
  cursor: "t.holder_count || ':0x' || t.token || ':ERC-' || t.standard",
  from: `app.evm_tokens t where ${where}`,
  order: ['-t.holder_count', '-t.token', '-t.standard'],
})

const holdings = (where: string): ListKeys => ({
  cursor: "'0x' || h.token || ':ERC-' || h.standard",
  from: `app.evm_token_holdings h where h.address = '${evmWhale}' and ${where}`,
  order: ['h.token', 'h.standard'],
})

const holders = (token: string): ListKeys => ({
  cursor: "h.balance || ':0x' || h.address",
  from: `app.evm_token_holdings h where h.token = '${token}' and h.balance > 0`,
  order: ['-h.balance', '-h.address'],
})

/** One of the occasional senders and receivers. */
const someAddress = `1${'0'.repeat(37)}32`

const evmCases: readonly ListCase[] = [
  caseOf('/flow/evm/transaction', {}, transactions('true')),
  caseOf('/flow/evm/transaction', someDays, transactions(isWithinDays)),
  ...(
    [
      [{ status: 'error' }, 't.evm_status = 0'],
      [{ type: 0 }, detailed('d.tx_type = 0')],
      [{ method: `0x${evmMethod}` }, detailed(`d.method_id = '${evmMethod}'`)],
    ] as const
  ).flatMap(([filter, where]) => [
    caseOf('/flow/evm/transaction', filter, transactions(where)),
    caseOf(
      '/flow/evm/address/{address}/transactions',
      { address: `0x${evmWhale}`, ...filter },
      transactions(`'${evmWhale}' in (t.evm_from, t.evm_to) and ${where}`),
      true,
    ),
  ]),
  ...[evmWhale, evmQuiet].flatMap((address) =>
    ([{ direction: 'sent' }, { direction: 'received' }, { direction: 'sent', ...someDays }, someDays] as const).flatMap(
      (filter) => {
        const days = 'from' in filter ? ` and ${isWithinDays}` : ''
        const side = 'direction' in filter ? filter.direction : undefined
        const isSideOf = (sent: string, received: string): string =>
          side === undefined
            ? `'${address}' in (${sent}, ${received})`
            : `'${address}' = ${side === 'sent' ? sent : received}`
        return [
          caseOf(
            '/flow/evm/address/{address}/transactions',
            { address: `0x${address}`, ...filter },
            transactions(`${isSideOf('t.evm_from', 't.evm_to')}${days}`),
          ),
          caseOf(
            '/flow/evm/address/{address}/token-transfers',
            { address: `0x${address}`, ...filter },
            transfers(`${isSideOf('t.from_address', 't.to_address')}${days}`),
          ),
        ]
      },
    ),
  ),
  // No transaction of this chain calls a built-in contract.
  caseOf(
    '/flow/evm/address/{address}/internal-transactions',
    { address: `0x${evmQuiet}`, direction: 'sent', ...someDays },
    transactions('false'),
    true,
  ),
  caseOf(
    '/flow/evm/token/{address}/token-transfers',
    { address: `0x${evmCoin}`, ...someDays },
    transfers(`t.token = '${evmCoin}' and ${isWithinDays}`),
  ),
  ...[evmWhale, evmQuiet, someAddress].flatMap((address) => [
    caseOf(
      '/flow/evm/address/{address}/transactions',
      { address: `0x${address}` },
      transactions(`'${address}' in (t.evm_from, t.evm_to)`),
    ),
    caseOf(
      '/flow/evm/address/{address}/token-transfers',
      { address: `0x${address}` },
      transfers(`'${address}' in (t.from_address, t.to_address)`),
    ),
  ]),
  caseOf(
    '/flow/evm/block',
    {},
    {
      cursor: "t.block_height || ':' || t.tx_index || ':' || t.event_index",
      from: `raw.events t where t.type = '${skewed.evmBlockType}'`,
      order: ['-t.block_height', '-t.tx_index', '-t.event_index'],
    },
  ),
  caseOf(
    '/flow/evm/block/{number}/transactions',
    { number: 400 },
    {
      cursor: "t.tx_index || ':' || t.event_index",
      from: 'app.evm_transactions t where t.evm_block_height = 400',
      order: ['t.tx_index', 't.event_index'],
    },
  ),
  caseOf(
    '/flow/evm/token/{address}/instances',
    { address: `0x${evmBadge}`, type: 'ERC-721' },
    {
      cursor: 't.token_id',
      from: `app.evm_item_metadata t where t.token = '${evmBadge}'`,
      order: ['t.token_id'],
    },
  ),
  caseOf('/flow/evm/token', {}, tokens('true')),
  caseOf('/flow/evm/token', { type: 'ERC-721' }, tokens('t.standard = 721')),
  caseOf('/flow/evm/token', { type: 'ERC-1155' }, tokens('t.standard = 1155')),
  caseOf('/flow/evm/token/{address}/holding', { address: `0x${evmCoin}` }, holders(evmCoin)),
  caseOf('/flow/evm/token/{address}/holding', { address: `0x${evmCoin}`, type: 'ERC-20' }, holders(evmCoin)),
  caseOf('/flow/evm/token/{address}/token-transfers', { address: `0x${evmCoin}` }, transfers(`t.token = '${evmCoin}'`)),
  caseOf(
    '/flow/evm/token/{address}/token-transfers',
    { address: `0x${evmBadge}`, type: 'ERC-721' },
    transfers(`t.token = '${evmBadge}'`),
  ),
  caseOf('/flow/evm/address/{address}/token', { address: `0x${evmWhale}` }, holdings('true')),
  caseOf(
    '/flow/evm/address/{address}/token',
    { address: `0x${evmWhale}`, type: 'ERC-20' },
    holdings('h.standard = 20'),
  ),
  caseOf(
    '/flow/evm/address/{address}/nft',
    { address: `0x${evmWhale}` },
    {
      cursor: "'0x' || i.token || ':ERC-' || i.standard || ':' || i.token_id",
      from: `app.evm_token_items i where i.address = '${evmWhale}'`,
      order: ['i.token', 'i.standard', 'i.token_id'],
    },
  ),
]

const { whale, occasional, quiet, late, relay, guest, nobody } = skewed
const order = ['-t.block_height', '-t.tx_index']

function keys(
  where: string,
  cursor = `t.block_height || ':' || t.tx_index || ':' || ${transactionIdOf('t.block_height')}`,
): ListKeys {
  return { cursor, from: `raw.transactions t where ${where}`, order }
}

/** The accounts' transactions come from another table, which finds these keys faster. */
function keysOfAccount(address: string, where: string): ListKeys {
  return {
    cursor: `t.block_height || ':' || ${transactionIdOf('t.block_height')}`,
    from: `app.address_transactions t where t.address = '${address}' and ${where}`,
    order,
  }
}

function keysOfContract(contract: string, where: string): ListKeys {
  return {
    cursor: `t.block_height || ':0:' || ${transactionIdOf('t.block_height')}`,
    from: `app.tx_contracts t where t.contract = '${contract}' and ${where}`,
    order: ['-t.block_height'],
  }
}

const all = (values: Values, where: string, isCut = false): ListCase =>
  caseOf('/flow/transaction', values, keys(where), isCut)
const ofAccount = (address: string, more: Values = {}, where = 'true', isCut = false): ListCase =>
  caseOf('/flow/account/{address}/transaction', { address, ...more }, keysOfAccount(address, where), isCut)
const ofContract = (identifier: string, more: Values = {}, where = 'true', isCut = false): ListCase =>
  caseOf('/flow/contract/{identifier}/transaction', { identifier, ...more }, keysOfContract(identifier, where), isCut)

const hasTag = (tag: string): string =>
  `exists (select from app.tx_tags g where g.tag = '${tag}' and g.block_height = t.block_height)`
const imports = (contract: string): string =>
  `exists (select from app.tx_contracts c where c.contract = '${contract}' and c.block_height = t.block_height)`
const hasFailed = 'exists (select from raw.transactions x where x.block_height = t.block_height and x.status_code <> 0)'

function events(values: Values, where: string): ListCase {
  return caseOf('/flow/events/search', values, {
    cursor: `t.block_height || ':' || t.tx_index || ':' || t.event_index`,
    from: `raw.events t where ${where}`,
    order: [...order, '-t.event_index'],
  })
}

/** A contract that some scripts import. */
const someApp = 'A.000000000001000a.App'

const transactionCases: readonly ListCase[] = [
  caseOf('/flow/block', {}, { cursor: 't.height', from: 'raw.blocks t', order: ['-t.height'] }),
  caseOf('/flow/block', someDays, {
    cursor: 't.block_height',
    from: `(select height as block_height from raw.blocks) as t where ${isWithinDays}`,
    order: ['-t.block_height'],
  }),
  all({}, 'true'),
  all({ include_events: 'true' }, 'true'),
  all({ payer: whale }, `t.payer_address = '${whale}'`),
  all({ payer: occasional }, `t.payer_address = '${occasional}'`),
  all({ payer: quiet }, `t.payer_address = '${quiet}'`),
  all({ payer: late }, `t.payer_address = '${late}'`),
  all({ payer: nobody }, 'false'),
  all({ proposer: relay }, `t.proposer_address = '${relay}'`),
  all({ authorizers: guest }, `t.authorizers @> array['${guest}']`),
  all({ status: 'SUCCESS' }, 't.status_code = 0', true),
  all({ status: 'FAILURE' }, 't.status_code <> 0'),
  all({ status: 'UNKNOWN' }, 't.status_code is null'),
  all({ status: 'SEALED' }, `t.status = 'SEALED'`, true),
  all({ payer: whale, status: 'FAILURE' }, `t.payer_address = '${whale}' and t.status_code <> 0`, true),
  all({ payer: whale, status: 'UNKNOWN' }, `t.payer_address = '${whale}' and t.status_code is null`, true),
  all({ payer: occasional, status: 'FAILURE' }, `t.payer_address = '${occasional}' and t.status_code <> 0`, true),
  all(
    { payer: whale, authorizers: guest },
    `t.payer_address = '${whale}' and t.authorizers @> array['${guest}']`,
    true,
  ),
  all(
    { payer: whale, proposer: relay, authorizers: guest, status: 'SUCCESS' },
    `
    t.payer_address = '${whale}' and t.proposer_address = '${relay}' and t.authorizers @> array['${guest}'] and t.status_code = 0`,
    true,
  ),
  all({ proposer: guest }, 'false', true),
  all(someDays, isWithinDays),
  all({ payer: occasional, ...someDays }, `t.payer_address = '${occasional}' and ${isWithinDays}`),
  all({ status: 'FAILURE', ...someDays }, `t.status_code <> 0 and ${isWithinDays}`),
  ...[skewed.contract, skewed.rareContract].map((contract) => all({ contract }, imports(contract))),
  ...['FT_TRANSFER', 'STAKING', 'SWAP'].map((tag) => all({ tag }, hasTag(tag))),
  all({ tag: 'STAKING', ...someDays }, `${hasTag('STAKING')} and ${isWithinDays}`),
  all({ contract: skewed.contract, tag: 'STAKING' }, hasTag('STAKING'), true),
  all({ tag: 'FT_TRANSFER', status: 'FAILURE' }, 't.status_code <> 0', true),
  all({ payer: whale, contract: skewed.rareContract }, 'false', true),
  ofAccount(occasional, someDays, isWithinDays),
  ofAccount(whale, { tag: 'FT_TRANSFER', status: 'FAILURE' }, hasFailed, true),
  ofContract(someApp, someDays, isWithinDays),
  ofContract(skewed.contract, { tag: 'STAKING', status: 'SUCCESS' }, `${hasTag('STAKING')} and not ${hasFailed}`, true),
  ...[whale, occasional, quiet, late, relay].map((address) => ofAccount(address)),
  ofAccount(occasional, { include_events: 'true' }),
  ...[skewed.contract, skewed.rareContract, someApp].map((contract) => ofContract(contract)),
  ofContract(skewed.contract, { include_events: 'true' }),
  events({ type: skewed.eventType }, `t.type = '${skewed.eventType}'`),
  events({ type: skewed.evmEventType }, `t.type = '${skewed.evmEventType}'`),
  events({ type: skewed.rareEventType }, `t.type = '${skewed.rareEventType}'`),
  events({ name: someApp.slice(2, 18) }, 'false'),
  events({ type: skewed.eventType, ...someDays }, `t.type = '${skewed.eventType}' and ${isWithinDays}`),
  events({ name: 'RareContract' }, `t.type = '${skewed.rareEventType}'`),
  events({ name: 'FlowToken.' }, `t.type = '${skewed.eventType}'`),
]

const hour = "date_trunc('hour', p.price_time, 'UTC')"
const prices = (where: string): ListKeys => ({
  cursor: 'extract(epoch from p.hour)::bigint',
  from: `(select distinct ${hour} as hour from app.prices p where p.token = '${skewed.token}' and ${where}) as p`,
  order: ['-p.hour'],
})

/** Prices are 0.5 dollars, and exist only for frequently used tokens. */
const isWorth = (dollars: number): string => `t.amount * 0.5 >= ${dollars} and exists (
  select from app.prices p join raw.blocks b on b.height = t.block_height
  where p.token = t.token and p.price_time <= b.timestamp and p.price_time >= b.timestamp - interval '48 hours'
)`
const bigTransfers = (values: Values, where: string): ListCase =>
  caseOf(
    '/insights/big-transfers',
    values,
    {
      cursor: transferCursor,
      from: `app.big_transfers t where ${where}`,
      order: transferOrder,
    },
    true,
  )
const isSwap = `exists (select from app.defi_events d where d.block_height = t.block_height and d.event_type = 'Swap')`

const numberCases: readonly ListCase[] = [
  caseOf('/status/price/history', { asset: 'S1' }, prices('true')),
  caseOf(
    '/status/price/history',
    { asset: 'S1', from: '2023-06-10', to: '2023-07-10' },
    prices("p.price_time >= '2023-06-10Z' and p.price_time < '2023-07-10Z'"),
  ),
  bigTransfers({}, isWorth(10_000)),
  bigTransfers({ min_usd: 500 }, isWorth(500)),
  bigTransfers({ min_usd: 500, type: 'swap' }, `${isWorth(500)} and ${isSwap}`),
  bigTransfers({ type: 'mint' }, 'false'),
]

/**
 * Every paginated API list, with each of its filters: for frequent, rare and nearly absent values.
 */
export const listCases: readonly ListCase[] = [
  ...transactionCases,
  ...tokenCases,
  ...nftCases,
  ...evmCases,
  ...accountCases,
  ...numberCases,
  ...stakeAndTradeCases,
]
