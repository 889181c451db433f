import { z } from 'zod'
import { decodeEvmLogs } from '../../chain/evm/evm-logs.ts'
import type { EvmLog } from '../../chain/evm/evm-logs.ts'
import { EvmPayloadError } from '../../chain/evm/evm-payload-error.ts'
import { decodeKnownLog } from '../../chain/evm/known-abi.ts'
import { countFormat } from '../formats/formats.ts'
import { decodedLogSchema, presentDecodedLog } from './evm-abi.ts'
import { evmHashFormat, evmPartySchema, presentEvmParty } from './evm-address.ts'
import type { EvmDirectory } from './evm-address.ts'

/** What a contract told while a transaction of the EVM ran. */
export const evmLogSchema = z
  .strictObject({
    index: countFormat.describe('Position in the transaction.'),
    address: evmPartySchema.describe('The contract.'),
    topics: z.array(evmHashFormat),
    data: z.string().regex(/^0x([0-9a-f]{2})*$/),
    decoded: decodedLogSchema.nullable().describe('Of events that many contracts share.'),
  })
  .meta({ id: 'EvmLog' })
export type EvmLogItem = z.output<typeof evmLogSchema>

/** The logs that an event's payload carries; none where they cannot be read, which the worker has logged. */
export function readStoredLogs(hex: string | null): readonly EvmLog[] {
  if (hex === null) return []
  try {
    return decodeEvmLogs(Buffer.from(hex.replace(/^0x/, ''), 'hex'))
  } catch (error) {
    if (!(error instanceof EvmPayloadError)) throw error
    return []
  }
}

export function presentEvmLog(log: EvmLog, index: number, directory: EvmDirectory): EvmLogItem {
  const known = decodeKnownLog(log)
  return {
    index,
    address: presentEvmParty(log.address, directory),
    topics: log.topics.map((topic) => `0x${topic}`),
    data: `0x${Buffer.from(log.data).toString('hex')}`,
    decoded: known === undefined ? null : presentDecodedLog(known),
  }
}
