import { canonicalType } from './abi/abi-type.ts'
import type { AbiValue } from './abi/decode-values.ts'
import type { AbiParameter } from './abi/read-signature.ts'

/** A value that a contract gave. */
export interface ShownValue {
  readonly name: string | null
  readonly type: string
  readonly value: AbiValue
  /** Of a number, whose `value` is decimal. */
  readonly hex?: string
}

export function showValue({ name, type }: AbiParameter, value: AbiValue): ShownValue {
  const shown = { name: name === '' ? null : name, type: canonicalType(type), value }
  const isNumber = type.kind === 'word' && /^u?int/.test(type.name) && typeof value === 'string'
  if (!isNumber) return shown
  const number = BigInt(value)
  return { ...shown, hex: number < 0n ? `-0x${(-number).toString(16)}` : `0x${number.toString(16)}` }
}
