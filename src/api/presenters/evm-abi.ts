import { z } from 'zod'
import type { DecodedAbi } from '../../chain/evm/known-abi.ts'

const valueFormat = z
  .union([z.string(), z.boolean(), z.array(z.string())])
  .describe('Integers are decimal; addresses and bytes 0x and hex digits.')

/** A call by a function that many contracts share. */
export const decodedCallSchema = z
  .strictObject({
    method_call: z.string().describe('The function: transfer(address,uint256).'),
    method_id: z.string().regex(/^0x[0-9a-f]{8}$/),
    parameters: z.array(z.strictObject({ name: z.string(), type: z.string(), value: valueFormat })),
  })
  .meta({ id: 'EvmDecodedCall' })
export type DecodedCallItem = z.output<typeof decodedCallSchema>

/** A log of an event that many contracts share. */
export const decodedLogSchema = z
  .strictObject({
    name: z.string(),
    method_call: z.string().describe('The event: Transfer(address,address,uint256).'),
    parameters: z.array(
      z.strictObject({ name: z.string(), type: z.string(), indexed: z.boolean(), value: valueFormat }),
    ),
  })
  .meta({ id: 'EvmDecodedLog' })
export type DecodedLogItem = z.output<typeof decodedLogSchema>

type Value = z.output<typeof valueFormat>

export function presentDecodedCall({ signature, parameters }: DecodedAbi, selector: string): DecodedCallItem {
  return {
    method_call: signature,
    method_id: selector,
    parameters: parameters.map(({ name, type, value }) => ({ name, type, value: presentValue(value) })),
  }
}

export function presentDecodedLog({ name, signature, parameters }: DecodedAbi): DecodedLogItem {
  return {
    name,
    method_call: signature,
    parameters: parameters.map(({ name: parameter, type, isIndexed, value }) => {
      return { name: parameter, type, indexed: isIndexed, value: presentValue(value) }
    }),
  }
}

function presentValue(value: DecodedAbi['parameters'][number]['value']): Value {
  return typeof value === 'object' ? [...value] : value
}
