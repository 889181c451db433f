import { z } from 'zod'
import { listOf, page } from '../paging/envelope.ts'
import { exampleNftTransfer } from '../examples/nfts.ts'
import {
  nftIdParameter,
  nftTypeParameters,
  requireCollectionOfId,
  requireNftItem,
  unknownNftItem,
} from '../parameters/nft-type.ts'
import { accountParameter, contractParameter, noParameters, partyParameter } from '../parameters/parameters.ts'
import { nftTransferSchema, presentNftTransfer } from '../presenters/nft-transfer.ts'
import { listNftTransfers, listNftTransfersOfItem } from '../queries/nft-transfers.ts'
import { defineRoute } from '../route.ts'
import { transferCursorOf } from '../paging/transfer-cursor.ts'
import { findTransferScope, transactionHashParameter, transferPageParameters } from '../parameters/transfer-scope.ts'

const response = listOf(nftTransferSchema, 'NftTransfer')
const example = {
  data: [exampleNftTransfer],
  has_more: true,
  cursor: transferCursorOf(exampleNftTransfer),
  _meta: { limit: 1, count: 1 },
}

const filters = {
  nft_type: contractParameter('collections')
    .optional()
    .describe(
      'Only transfers of this collection: `A.<address>.<name>`. Items whose destruction names no collection are not found by it.',
    ),
  nft_id: nftIdParameter().optional().describe('Only transfers of the item with this id; asks for `nft_type`.'),
}

const nftTransferList = defineRoute({
  path: '/flow/nft/transfer',
  operationId: 'listNftTransfers',
  tag: 'NFTs',
  summary: 'Transfers of items, the newest first',
  description: 'The filters can be combined.',
  params: noParameters,
  query: z.object({
    ...transferPageParameters,
    address: partyParameter()
      .optional()
      .describe('Only what this account gave or got; 0x and 40 digits for one of Flow EVM.'),
    ...filters,
    transaction_hash: transactionHashParameter().optional(),
  }),
  response,
  example,
  handler: async ({ query }, services) => {
    const { address, nft_type: token, nft_id: nftId, limit } = query
    requireCollectionOfId(query)
    const { bounds, before, txIndex } = await findTransferScope(query, services)
    const rows = await listNftTransfers(
      services.database,
      bounds,
      { address, token, nftId, txIndex },
      before,
      limit + 1,
    )
    return { body: page(rows, limit, (row) => presentNftTransfer(row, address), transferCursorOf) }
  },
})

const accountNftTransfers = defineRoute({
  path: '/flow/account/{address}/nft/transfer',
  operationId: 'listNftTransfersOfAccount',
  tag: 'NFTs',
  summary: 'Transfers of items that an account gave or got, the newest first',
  description: 'The filters can be combined.',
  params: z.object({ address: accountParameter() }),
  query: z.object({ ...transferPageParameters, ...filters }),
  response,
  example: { ...example, data: [{ ...exampleNftTransfer, address: exampleNftTransfer.receiver }] },
  handler: async ({ params: { address }, query }, services) => {
    const { nft_type: token, nft_id: nftId, limit } = query
    requireCollectionOfId(query)
    const { bounds, before } = await findTransferScope(query, services)
    const rows = await listNftTransfers(services.database, bounds, { address, token, nftId }, before, limit + 1)
    return { body: page(rows, limit, (row) => presentNftTransfer(row, address), transferCursorOf) }
  },
})

const itemTransfers = defineRoute({
  path: '/flow/nft/{nft_type}/item/{id}/transfer',
  operationId: 'listNftTransfersOfItem',
  tag: 'NFTs',
  summary: 'Transfers of one item, the newest first',
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
    const rows = await listNftTransfersOfItem(services.database, bounds, item, before, query.limit + 1)
    return { body: page(rows, query.limit, (row) => presentNftTransfer(row), transferCursorOf) }
  },
})

/** Transfers of items of collections. */
export const nftTransferRoutes = [nftTransferList, accountNftTransfers, itemTransfers]
