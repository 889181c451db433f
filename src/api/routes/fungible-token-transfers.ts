import { z } from 'zod'
import { readBounds } from '../bounds.ts'
import type { Bounds } from '../bounds.ts'
import { transferCursorForm, transferCursorPattern } from '../cursors.ts'
import { listOf, page } from '../envelope.ts'
import { hashPattern } from '../formats.ts'
import { exampleFtTransfer, exampleFtTransferOfAccount } from '../ft-examples.ts'
import {
  accountParameter, contractParameter, cursorParameter, heightParameter, limitParameter, noParameters, partyParameter,
} from '../parameters.ts'
import { ftTransferSchema, presentFtTransfer } from '../presenters/ft-transfer.ts'
import { listFtTransfers } from '../queries/ft-transfers.ts'
import { findTransaction, findTransactionInBlock } from '../queries/transactions.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { findTransferKey, transferCursorOf } from '../transfer-cursor.ts'

const pageParameters = {
  limit: limitParameter({ default: 20, max: 100 }),
  cursor: cursorParameter(transferCursorPattern, transferCursorForm),
  height: heightParameter().optional().describe('Only transfers of this block.'),
}

const response = listOf(ftTransferSchema, 'FtTransfer')
const example = {
  data: [exampleFtTransfer],
  has_more: true,
  cursor: transferCursorOf(exampleFtTransfer),
  _meta: { limit: 1, count: 1 },
}

const description = 'The fees of transactions are left out. The filters can be combined.'

const ftTransferList = defineRoute({
  path: '/flow/ft/transfer',
  operationId: 'listFtTransfers',
  tag: 'Fungible tokens',
  summary: 'Transfers of fungible tokens, the newest first',
  description,
  params: noParameters,
  query: z.object({
    ...pageParameters,
    address: partyParameter().optional().describe('Only what this account gave or got; 0x and 40 digits for one of Flow EVM.'),
    token: contractParameter('tokens').optional().describe('Only transfers of this token: `A.<address>.<name>`.'),
    transaction_hash: transactionHashParameter().optional(),
  }),
  response,
  example,
  handler: async ({ query: { limit, cursor, height, address, token, transaction_hash: id } }, services) => {
    const { database } = services
    const [bounds, before, place] = await Promise.all([
      readBounds(database), findTransferKey(database, cursor), id === undefined ? undefined : findPlace(id, height, services),
    ])
    const isElsewhere = id !== undefined && (place === undefined || (height !== undefined && place.height !== height))
    const within = isElsewhere ? undefined : atHeight(bounds, place?.height ?? height)
    const rows = await listFtTransfers(database, within, { address, token, txIndex: place?.index }, before, limit + 1)
    return { body: page(rows, limit, (row) => presentFtTransfer(row, address), transferCursorOf) }
  },
})

/** `transaction_hash` of a list. */
function transactionHashParameter(): z.ZodString {
  return z.string().regex(hashPattern, 'must be a transaction id: 64 hex digits, with or without 0x').describe(
    'Only transfers of this transaction; the hash of an EVM transaction that it executed is taken too. A system ' +
    'transaction, whose id repeats in every block, needs `height`.',
  )
}

async function findPlace(
  id: string, height: number | undefined, { database }: Services,
): Promise<{ height: number; index: number } | undefined> {
  const known = await findTransaction(database, id)
  return known ?? (height === undefined ? undefined : findTransactionInBlock(database, id, height))
}

/** The part of the stored heights that is one block. */
function atHeight(bounds: Bounds | undefined, height: number | undefined): Bounds | undefined {
  if (bounds === undefined || height === undefined) return bounds
  return height < bounds.min || height > bounds.max ? undefined : { min: height, max: height }
}

const accountFtTransfers = defineRoute({
  path: '/flow/account/{address}/ft/transfer',
  operationId: 'listFtTransfersOfAccount',
  tag: 'Fungible tokens',
  summary: 'Transfers of fungible tokens that an account gave or got, the newest first',
  description,
  params: z.object({ address: accountParameter() }),
  query: z.object({
    ...pageParameters,
    token: contractParameter('tokens').optional().describe('Only transfers of this token: `A.<address>.<name>`.'),
  }),
  response,
  example: { ...example, data: [exampleFtTransferOfAccount] },
  handler: async ({ params: { address }, query: { limit, cursor, height, token } }, { database }) => {
    const [bounds, before] = await Promise.all([readBounds(database), findTransferKey(database, cursor)])
    const rows = await listFtTransfers(database, atHeight(bounds, height), { address, token }, before, limit + 1)
    return { body: page(rows, limit, (row) => presentFtTransfer(row, address), transferCursorOf) }
  },
})

const accountTokenTransfers = defineRoute({
  path: '/flow/account/{address}/ft/{token}/transfer',
  operationId: 'listFtTransfersOfAccountAndToken',
  tag: 'Fungible tokens',
  summary: 'Transfers of one fungible token that an account gave or got, the newest first',
  description,
  params: z.object({ address: accountParameter(), token: contractParameter('tokens') }),
  query: z.object(pageParameters),
  response,
  example: { ...example, data: [exampleFtTransferOfAccount] },
  handler: async ({ params: { address, token }, query: { limit, cursor, height } }, { database }) => {
    const [bounds, before] = await Promise.all([readBounds(database), findTransferKey(database, cursor)])
    const rows = await listFtTransfers(database, atHeight(bounds, height), { address, token }, before, limit + 1)
    return { body: page(rows, limit, (row) => presentFtTransfer(row, address), transferCursorOf) }
  },
})

/** Transfers of fungible tokens. */
export const ftTransferRoutes = [ftTransferList, accountFtTransfers, accountTokenTransfers]
