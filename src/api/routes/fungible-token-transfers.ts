import { z } from 'zod'
import { listOf, page } from '../paging/envelope.ts'
import { exampleFtTransfer, exampleFtTransferOfAccount } from '../examples/fungible-tokens.ts'
import { accountParameter, contractParameter, noParameters, partyParameter } from '../parameters/parameters.ts'
import { ftTransferSchema, presentFtTransfer } from '../presenters/ft-transfer.ts'
import type { FtTransfer } from '../presenters/ft-transfer.ts'
import { listFtTransfers } from '../queries/ft-transfers.ts'
import { defineRoute } from '../route.ts'
import { transferCursorOf } from '../paging/transfer-cursor.ts'
import { findTransferScope, transactionHashParameter, transferPageParameters } from '../parameters/transfer-scope.ts'

const response = listOf(ftTransferSchema, 'FtTransfer')
const description = 'The fees of transactions are left out. The filters can be combined.'
const tokenFilter = contractParameter('tokens')
  .optional()
  .describe('Only transfers of this token: `A.<address>.<name>`.')

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
  summary: 'Transfers of fungible tokens, the newest first',
  description,
  params: noParameters,
  query: z.object({
    ...transferPageParameters,
    address: partyParameter()
      .optional()
      .describe('Only what this account gave or got; 0x and 40 digits for one of Flow EVM.'),
    token: tokenFilter,
    transaction_hash: transactionHashParameter().optional(),
  }),
  response,
  example: exampleOf(exampleFtTransfer),
  handler: async ({ query }, services) => {
    const { address, token, limit } = query
    const { bounds, before, txIndex } = await findTransferScope(query, services)
    const rows = await listFtTransfers(services.database, bounds, { address, token, txIndex }, before, limit + 1)
    return { body: page(rows, limit, (row) => presentFtTransfer(row, address), transferCursorOf) }
  },
})

const accountFtTransfers = defineRoute({
  path: '/flow/account/{address}/ft/transfer',
  operationId: 'listFtTransfersOfAccount',
  tag: 'Fungible tokens',
  summary: 'Transfers of fungible tokens that an account gave or got, the newest first',
  description,
  params: z.object({ address: accountParameter() }),
  query: z.object({ ...transferPageParameters, token: tokenFilter }),
  response,
  example: exampleOf(exampleFtTransferOfAccount),
  handler: async ({ params: { address }, query }, services) => {
    const { bounds, before } = await findTransferScope(query, services)
    const { token, limit } = query
    const rows = await listFtTransfers(services.database, bounds, { address, token }, before, limit + 1)
    return { body: page(rows, limit, (row) => presentFtTransfer(row, address), transferCursorOf) }
  },
})

const accountTokenTransfers = defineRoute({
  path: '/flow/account/{address}/ft/{token}/transfer',
  operationId: 'listFtTransfersOfAccountAndToken',
  tag: 'Fungible tokens',
  summary: 'Transfers of one fungible token that an account gave or got, the newest first',
  params: z.object({ address: accountParameter(), token: contractParameter('tokens') }),
  query: z.object(transferPageParameters),
  response,
  example: exampleOf(exampleFtTransferOfAccount),
  handler: async ({ params: { address, token }, query }, services) => {
    const { bounds, before } = await findTransferScope(query, services)
    const rows = await listFtTransfers(services.database, bounds, { address, token }, before, query.limit + 1)
    return { body: page(rows, query.limit, (row) => presentFtTransfer(row, address), transferCursorOf) }
  },
})

/** Transfers of fungible tokens. */
export const ftTransferRoutes = [ftTransferList, accountFtTransfers, accountTokenTransfers]
