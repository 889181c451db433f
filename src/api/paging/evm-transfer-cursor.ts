import { keyCursor, keyParts } from './key-cursor.ts'
import type { EvmTransferKey } from '../queries/evm-token-transfers.ts'

/** Cursors of lists of EVM token transfers: a log of a batch moves several. */
export const evmTransferCursor = keyCursor({
  block_height: keyParts.height,
  tx_index: keyParts.index,
  event_index: keyParts.index,
  log_index: keyParts.index,
  batch_index: keyParts.index,
})

/** @param cursor a text that the parameter of `evmTransferCursor` accepts */
export function parseEvmTransferCursor(cursor: string | undefined): EvmTransferKey | undefined {
  const key = evmTransferCursor.parse(cursor)
  return key === undefined
    ? undefined
    : {
        height: Number(key.block_height),
        txIndex: Number(key.tx_index),
        eventIndex: Number(key.event_index),
        logIndex: Number(key.log_index),
        batchIndex: Number(key.batch_index),
      }
}
