import { z } from 'zod'
import { addressFormat, countFormat, heightFormat, timestampFormat } from '../formats/formats.ts'
import type { ContractCode } from '../queries/contract-code.ts'

/** The code of a contract, in no envelope. */
export const accountContractSchema = z
  .strictObject({
    address: addressFormat,
    name: z.string(),
    byte_size: countFormat.describe('Length of the code in UTF-8.'),
    code: z.string().describe('Cadence source.'),
    fetched_at: timestampFormat.describe('When this was answered.'),
    source: z.enum(['chain', 'index']),
    as_of_height: heightFormat.nullable().describe('Block that brought this code; null where the chain gave it.'),
    _rpcUnavailable: z
      .literal(true)
      .optional()
      .describe('The chain did not answer, so the code is as indexed. Else left out.'),
  })
  .meta({ id: 'AccountContract' })
export type AccountContract = z.output<typeof accountContractSchema>

/** Code as the chain has it. */
export function presentLiveCode(address: string, name: string, code: Buffer): AccountContract {
  return {
    address,
    name,
    byte_size: code.length,
    code: code.toString('utf8'),
    fetched_at: new Date().toISOString(),
    source: 'chain',
    as_of_height: null,
  }
}

/** Code as it is indexed, where the chain did not answer. @param height the block that brought it */
export function presentIndexedCode(
  address: string,
  name: string,
  { text, bytes }: ContractCode,
  height: number,
): AccountContract {
  return {
    address,
    name,
    byte_size: bytes,
    code: text,
    fetched_at: new Date().toISOString(),
    source: 'index',
    as_of_height: height,
    _rpcUnavailable: true,
  }
}
