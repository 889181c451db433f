import { ApiError } from '../../../platform/errors.ts'

const decimals = 18

/** A quantity of JSON-RPC. @throws ApiError 502 `node-failed` */
export function quantityOf(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw new ApiError(502, 'node-failed', 'The EVM node answered what is no number.')
  return BigInt(value)
}

/** 10^18 parts of FLOW as a text without any rounding: `1.5`. */
export function flowText(wei: bigint): string {
  const digits = wei.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`
}
