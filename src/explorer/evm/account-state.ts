import { z } from 'zod'
import { cadence } from '../../flow/json-cdc/cadence-argument.ts'
import { readAnswer } from '../present-chain.ts'
import type { PresentChain } from '../present-chain.ts'

const digits = z.string().regex(/^\d+$/)
const accountState = z.object({
  balance: digits,
  nonce: digits,
  codeSize: digits.transform(Number),
  code: z.string().regex(/^([0-9a-f]{2})*$/),
  height: digits.transform(Number),
})

/** `balance` in attoflow, `code` in hex digits. */
export type EvmAccountState = z.output<typeof accountState>

/** FLOW. */
export const attoflow = '0.000000000000000001'

/** EIP-170 limits contracts to 24,576. */
export const maxCodeBytes = 49_152

/**
 * @param address 40 hex digits
 *
 * @param maxCode bytes; longer code is omitted
 *
 * @throws ChainUnavailableError, ScriptFailedError
 */
export async function readEvmAccountState(
  chain: PresentChain,
  address: string,
  maxCode: number,
): Promise<EvmAccountState> {
  return readAnswer(accountState, await chain.run('evm_account', [cadence.string(address), cadence.int(maxCode)]))
}
