import { z } from 'zod'
import { readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { transferCursorForm, transferCursorPattern } from '../paging/cursors.ts'
import { hashPattern } from '../formats/formats.ts'
import { cursorParameter, heightParameter, limitParameter } from './parameters.ts'
import type { TransferKey } from '../queries/transfer-pages.ts'
import { findTransaction, findTransactionInBlock } from '../queries/transactions.ts'
import type { Services } from '../route.ts'
import { findTransferKey } from '../paging/transfer-cursor.ts'

/** Parameters that all lists of transfers have. */
export const transferPageParameters = {
  limit: limitParameter({ default: 20, max: 100 }),
  cursor: cursorParameter(transferCursorPattern, transferCursorForm),
  height: heightParameter().optional().describe('Only transfers of this block.'),
}

/** `transaction_hash` of a list of transfers. */
export function transactionHashParameter(): z.ZodString {
  return z
    .string()
    .regex(hashPattern, 'must be a transaction id: 64 hex digits, with or without 0x')
    .describe(
      'Only transfers of this transaction; the hash of an EVM transaction that it executed is taken too. A system ' +
        'transaction, whose id repeats in every block, needs `height`.',
    )
}

/** Which part of the chain a list of transfers is about, and where its page begins. */
export interface TransferScope {
  /** Undefined: no part. */
  readonly bounds: Bounds | undefined
  readonly before: TransferKey | undefined
  /** Only this transaction of the block, which is all there is within the bounds. */
  readonly txIndex: number | undefined
}

/** @throws ApiError 400 for a cursor that names no transaction of its block */
export async function findTransferScope(
  {
    cursor,
    height,
    transaction_hash: id,
  }: {
    readonly cursor?: string | undefined
    readonly height?: number | undefined
    readonly transaction_hash?: string | undefined
  },
  { database }: Services,
): Promise<TransferScope> {
  const [bounds, before, place] = await Promise.all([
    readBounds(database),
    findTransferKey(database, cursor),
    id === undefined ? undefined : findPlace(database, id, height),
  ])
  const isElsewhere = id !== undefined && (place === undefined || (height !== undefined && place.height !== height))
  return { bounds: isElsewhere ? undefined : atHeight(bounds, place?.height ?? height), before, txIndex: place?.index }
}

async function findPlace(
  database: Services['database'],
  id: string,
  height: number | undefined,
): Promise<{ height: number; index: number } | undefined> {
  const known = await findTransaction(database, id)
  return known ?? (height === undefined ? undefined : findTransactionInBlock(database, id, height))
}

/** The part of the stored heights that is one block. */
function atHeight(bounds: Bounds | undefined, height: number | undefined): Bounds | undefined {
  if (bounds === undefined || height === undefined) return bounds
  return height < bounds.min || height > bounds.max ? undefined : { min: height, max: height }
}
