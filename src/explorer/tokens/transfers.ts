import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { listOf, page } from '../paging/pages.ts'
import { accountParameter, contractParameter, partyParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { HeightParameters } from '../transactions/derived-details.ts'
import { priceAt } from '../transactions/prices.ts'
import { blockOf, transactionIdOf } from '../transactions/queries.ts'
import {
  exampleFtTransfer,
  exampleFtTransferOfAccount,
  ftTransferRow,
  ftTransferSchema,
  presentFtTransfer,
} from './schema.ts'
import type { FtTransfer } from './schema.ts'
import {
  directionParameter,
  ftTransfers,
  partyOf,
  transferCursorOf,
  transferReader,
  findTransferScope,
  transactionHashParameter,
  transferPageParameters,
} from './transfer-lists.ts'

/** Excludes fees. */
export const listFtTransfers = transferReader(
  ftTransfers,
  (rows, heights) => sql.prepared('FT transfers', ftTransferRow)`${completed(rows, heights)}`,
)

export function completed(page: FragmentSqlToken, { low, high }: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${page})
    select t.block_height, t.tx_index, t.event_index, t.leg, encode(r.id, 'hex') as transaction_hash, b.timestamp,
    t.token,
      t.from_address, t.to_address, t.transfer_type, t.amount::text as amount, m.name, m.symbol, m.decimals, m.logo,
      p.price::text as usd_price, trim_scale(t.amount * p.price)::text as usd_value
    from page t
    cross join lateral ${blockOf(sql.fragment`t.block_height`, low, high)} b
    cross join lateral ${transactionIdOf(sql.fragment`t`, low, high)} r
    left join app.ft_token_metadata m on m.token = t.token
    left join lateral (${priceAt(sql.fragment`t.token`, sql.fragment`b.timestamp`)}) p on true
    order by t.block_height desc, t.tx_index desc, t.event_index desc, t.leg desc
  `
}

const response = listOf(ftTransferSchema, 'FtTransfer')
const description = 'Excludes transaction fees. Filters are combined with AND.'
const tokenFilter = contractParameter().optional().describe('Token, `A.<address>.<name>`.')

const exampleOf = (transfer: FtTransfer): z.output<typeof response> => ({
  data: [transfer],
  has_more: true,
  cursor: transferCursorOf(transfer),
  _meta: { limit: 1, count: 1 },
})

const ftTransferList = defineRoute({
  path: '/flow/ft/transfer',
  operationId: 'listFtTransfers',
  tag: 'Fungible tokens',
  summary: 'Fungible token transfers, newest first',
  description,
  query: z.object({
    ...transferPageParameters,
    address: partyParameter()
      .optional()
      .describe('Sender or receiver: Flow account (16 hex digits) or EVM address (40).'),
    direction: directionParameter,
    token: tokenFilter,
    transaction_hash: transactionHashParameter().optional(),
  }),
  response,
  example: exampleOf(exampleFtTransfer),
  handler: async ({ query }, services) => {
    const { address, direction, token, limit } = query
    const { bounds, before, txIndex } = await findTransferScope(query, services)
    const selection = { ...partyOf(address, direction), token, txIndex }
    const rows = await listFtTransfers(services.database, bounds, selection, before, limit + 1)
    return { body: page(rows, limit, (row) => presentFtTransfer(row, address), transferCursorOf) }
  },
})

const accountFtTransfers = defineRoute({
  path: '/flow/account/{address}/ft/transfer',
  operationId: 'listFtTransfersOfAccount',
  tag: 'Fungible tokens',
  summary: 'Fungible token transfers of an account, newest first',
  description,
  params: z.object({ address: accountParameter() }),
  query: z.object({ ...transferPageParameters, direction: directionParameter, token: tokenFilter }),
  response,
  example: exampleOf(exampleFtTransferOfAccount),
  handler: async ({ params: { address }, query }, services) => {
    const { bounds, before } = await findTransferScope(query, services)
    const { direction, token, limit } = query
    const selection = { ...partyOf(address, direction), token }
    const rows = await listFtTransfers(services.database, bounds, selection, before, limit + 1)
    return { body: page(rows, limit, (row) => presentFtTransfer(row, address), transferCursorOf) }
  },
})

const accountTokenTransfers = defineRoute({
  path: '/flow/account/{address}/ft/{token}/transfer',
  operationId: 'listFtTransfersOfAccountAndToken',
  tag: 'Fungible tokens',
  summary: 'Transfers of one fungible token of an account, newest first',
  params: z.object({ address: accountParameter(), token: contractParameter() }),
  query: z.object(transferPageParameters),
  response,
  example: exampleOf(exampleFtTransferOfAccount),
  handler: async ({ params: { address, token }, query }, services) => {
    const { bounds, before } = await findTransferScope(query, services)
    const rows = await listFtTransfers(services.database, bounds, { address, token }, before, query.limit + 1)
    return { body: page(rows, query.limit, (row) => presentFtTransfer(row, address), transferCursorOf) }
  },
})

export const ftTransferRoutes = [ftTransferList, accountFtTransfers, accountTokenTransfers]
