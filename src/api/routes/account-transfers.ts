import { z } from 'zod'
import { listOf, page } from '../paging/envelope.ts'
import { exampleAccountTransfers } from '../examples/account-transfers.ts'
import { accountParameter } from '../parameters/parameters.ts'
import { accountTransferSchema, presentAccountTransfer } from '../presenters/account-transfer.ts'
import { listAccountTransfers } from '../queries/account-transfers.ts'
import { defineRoute } from '../route.ts'
import { transferCursorOf } from '../paging/transfer-cursor.ts'
import { findTransferScope, transferPageParameters } from '../parameters/transfer-scope.ts'

const accountTransferList = defineRoute({
  path: '/flow/account/{address}/transfer',
  operationId: 'listTransfersOfAccount',
  tag: 'Accounts',
  summary: 'Transfers of fungible tokens and items that an account gave or got, the newest first',
  description: 'The fees of transactions are left out.',
  params: z.object({ address: accountParameter() }),
  query: z.object(transferPageParameters),
  response: listOf(accountTransferSchema, 'AccountTransfer'),
  example: { data: exampleAccountTransfers, has_more: false, cursor: '', _meta: { limit: 20, count: 2 } },
  handler: async ({ params: { address }, query }, services) => {
    const { bounds, before } = await findTransferScope(query, services)
    const rows = await listAccountTransfers(services.database, bounds, address, before, query.limit + 1)
    return {
      body: page(
        rows,
        query.limit,
        (row) => presentAccountTransfer(row, address),
        ({ row }) => transferCursorOf(row),
      ),
    }
  },
})

/** What moved to and from an account, of whatever kind. */
export const accountTransferRoutes = [accountTransferList]
