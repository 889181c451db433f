import { EvmPayloadError } from './evm-payload.ts'
import { decodeRlpList, hexOf } from './rlp-fields.ts'
import type { RlpList } from './rlp-fields.ts'

/** A call of a contract that is built into Flow, such as Cadence Arch. */
export interface PrecompiledCall {
  /** 40 hex digits. */
  readonly address: string
  readonly output: Uint8Array
  /** Empty if it succeeded. */
  readonly error: string
}

const version = 1
const maxErrorLength = 500

/**
 * In the order of the event, which is by contract.
 *
 * @param bytes `precompiledCalls` of the event: empty, or a version and a list. Source:
 * onflow/flow-go `fvm/evm/types/precompiled.go`.
 *
 * @throws EvmPayloadError
 */
export function decodePrecompiledCalls(bytes: Buffer): readonly PrecompiledCall[] {
  if (bytes.length === 0) return []
  if (bytes[0] !== version) throw new EvmPayloadError(`unknown version ${bytes[0]} of precompiled calls`)
  return decodeRlpList(bytes.subarray(1)).flatMap(callsOfContract)
}

function callsOfContract(contract: Uint8Array | RlpList): readonly PrecompiledCall[] {
  const [address, , calls] = Array.isArray(contract) ? contract : []
  if (address === undefined || Array.isArray(address) || address.length !== 20 || !Array.isArray(calls))
    throw new EvmPayloadError('precompiled calls without a contract')
  return calls.map((call) => {
    // Early events have the input before both.
    const [output, error] = Array.isArray(call) ? call.slice(-2) : []
    if (output === undefined || error === undefined || Array.isArray(output) || Array.isArray(error))
      throw new EvmPayloadError('a precompiled call without an output')
    return { address: hexOf(address), output, error: Buffer.from(error).toString('utf8').slice(0, maxErrorLength) }
  })
}
