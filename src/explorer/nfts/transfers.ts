import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { listOf, page } from '../paging/pages.ts'
import { accountParameter, contractParameter, partyParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import {
  nftTransfers,
  newestFirst,
  directionParameter,
  partyOf,
  selectTransfers,
  transferCursorOf,
  transferReader,
  within,
  findTransferScope,
  transactionHashParameter,
  transferPageParameters,
} from '../tokens/transfer-lists.ts'
import type { HeightParameters } from '../transactions/derived-details.ts'
import { blockOf, transactionIdOf } from '../transactions/queries.ts'
import { exampleNftTransfer, nftTransferRow, nftTransferSchema, presentNftTransfer } from './schema.ts'
import { nftIdParameter, nftTypeParameters, requireCollectionOfId, requireNftItem, unknownNftItem } from './queries.ts'

/** A burn event may name only id and uuid of its item, so its transfer has no collection. */
export const listNftTransfers = transferReader(
  nftTransfers,
  (rows, heights) => sql.prepared('NFT transfers', nftTransferRow)`${completed(rows, heights)}`,
  (table, { nftUuid, ...selection }, span) => {
    const ofSelection = selectTransfers(table, selection, span)
    if (nftUuid === undefined || selection.nftId === undefined) return ofSelection
    // An item is burned once: `offset 0` keeps the planner from the index in the order of the page.
    return sql.fragment`
      (${ofSelection})
      union all
      (
        select * from (
          select * from app.nft_transfers
          where token is null and nft_uuid = ${nftUuid}::int8 and nft_id = ${selection.nftId}::numeric
            and ${within(span)}
          offset 0
        ) as burned
        order by ${newestFirst}
        limit ${span.count}
      )
      order by ${newestFirst}
      limit ${span.count}
    `
  },
)

/**
 * `limit` keeps the planner to key lookups. A transfer without a collection gets that of the burned
 * item, if no other item has the same uuid and id.
 */
function completed(page: FragmentSqlToken, { low, high }: HeightParameters): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${page})
    select t.block_height, t.tx_index, t.event_index, t.leg, encode(r.id, 'hex') as transaction_hash, b.timestamp,
      k.token, t.from_address, t.to_address, t.transfer_type, t.nft_id::text as nft_id, i.name as item_name,
      case when not starts_with(i.thumbnail, 'data:') then i.thumbnail end as thumbnail,
      case when c.checked_height >= coalesce(o.block_height, 0) then c.owner else o.owner end as current_owner,
      m.name as collection_name, m.square_image as collection_image, m.description as collection_description
    from page t
    cross join lateral ${blockOf(sql.fragment`t.block_height`, low, high)} b
    cross join lateral ${transactionIdOf(sql.fragment`t`, low, high)} r
    left join lateral (
      select min(e.token) as token from app.nft_ownership e
      where t.token is null and e.nft_uuid = t.nft_uuid and e.nft_id = t.nft_id
      having count(*) = 1
    ) e on true
    cross join lateral (select coalesce(t.token, e.token) as token) k
    left join app.nft_ownership o on o.token = k.token and o.nft_id = t.nft_id
    left join app.nft_ownership_corrections c on c.token = k.token and c.nft_id = t.nft_id
    left join app.nft_items i on i.token = k.token and i.nft_id = t.nft_id
    left join app.nft_collection_metadata m on m.token = k.token
    order by t.block_height desc, t.tx_index desc, t.event_index desc, t.leg desc
  `
}

const response = listOf(nftTransferSchema, 'NftTransfer')
const example = {
  data: [exampleNftTransfer],
  has_more: true,
  cursor: transferCursorOf(exampleNftTransfer),
  _meta: { limit: 1, count: 1 },
}

const filters = {
  nft_type: contractParameter()
    .optional()
    .describe('Collection, `A.<address>.<name>`. Excludes burns by events without a collection.'),
  nft_id: nftIdParameter().optional().describe('Item id; requires `nft_type`.'),
}

const nftTransferList = defineRoute({
  path: '/flow/nft/transfer',
  operationId: 'listNftTransfers',
  tag: 'NFTs',
  summary: 'NFT transfers, newest first',
  description: 'Filters are combined with AND.',
  query: z.object({
    ...transferPageParameters,
    address: partyParameter()
      .optional()
      .describe('Sender or receiver: Flow account (16 hex digits) or EVM address (40).'),
    direction: directionParameter,
    ...filters,
    transaction_hash: transactionHashParameter().optional(),
  }),
  response,
  example,
  handler: async ({ query }, services) => {
    const { address, direction, nft_type: token, nft_id: nftId, limit } = query
    requireCollectionOfId(query)
    const { bounds, before, txIndex } = await findTransferScope(query, services)
    const selection = { ...partyOf(address, direction), token, nftId, txIndex }
    const rows = await listNftTransfers(services.database, bounds, selection, before, limit + 1)
    return { body: page(rows, limit, (row) => presentNftTransfer(row, address), transferCursorOf) }
  },
})

const accountNftTransfers = defineRoute({
  path: '/flow/account/{address}/nft/transfer',
  operationId: 'listNftTransfersOfAccount',
  tag: 'NFTs',
  summary: 'NFT transfers of an account, newest first',
  description: 'Filters are combined with AND.',
  params: z.object({ address: accountParameter() }),
  query: z.object({ ...transferPageParameters, direction: directionParameter, ...filters }),
  response,
  example: { ...example, data: [{ ...exampleNftTransfer, address: exampleNftTransfer.receiver }] },
  handler: async ({ params: { address }, query }, services) => {
    const { direction, nft_type: token, nft_id: nftId, limit } = query
    requireCollectionOfId(query)
    const { bounds, before } = await findTransferScope(query, services)
    const selection = { ...partyOf(address, direction), token, nftId }
    const rows = await listNftTransfers(services.database, bounds, selection, before, limit + 1)
    return { body: page(rows, limit, (row) => presentNftTransfer(row, address), transferCursorOf) }
  },
})

const itemTransfers = defineRoute({
  path: '/flow/nft/{nft_type}/item/{id}/transfer',
  operationId: 'listNftTransfersOfItem',
  tag: 'NFTs',
  summary: 'Transfers of an NFT item, newest first',
  params: nftTypeParameters.extend({ id: nftIdParameter() }),
  query: z.object(transferPageParameters),
  response,
  problems: unknownNftItem,
  example,
  handler: async ({ params: { nft_type, id }, query }, services) => {
    const [item, { bounds, before }] = await Promise.all([
      requireNftItem(services.database, nft_type, id),
      findTransferScope(query, services),
    ])
    const selection = { token: item.token, nftId: item.nft_id, nftUuid: item.uuid ?? undefined }
    const rows = await listNftTransfers(services.database, bounds, selection, before, query.limit + 1)
    return { body: page(rows, query.limit, (row) => presentNftTransfer(row), transferCursorOf) }
  },
})

export const nftTransferRoutes = [nftTransferList, accountNftTransfers, itemTransfers]
