import type { ByteWriter } from '../../platform/byte-writer.ts'
import { payloadLimits } from '../payload-value.ts'
import type { PayloadValue } from '../payload-value.ts'
import { major } from './ccf-input.ts'
import type { CcfInput } from './ccf-input.ts'
import { maxDecimalBytes, putFixed8, putInteger, formatFixed, formatInteger } from './decimal.ts'
import { quote, writeString } from './json-text.ts'
import type { PlanKind, TypePlan } from './type-plan.ts'
import { WordTexts } from './text-caches.ts'

const minus = 0x2d
const integerTexts = new WordTexts(formatInteger)
const fixedTexts = new WordTexts(formatFixed)

type Put = (target: Uint8Array, at: number, high: number, low: number) => number
type Spell = (high: number, low: number) => string

export function unsignedPlan(typeId: string, bits: number, kind: PlanKind = 'other'): TypePlan {
  return unsigned64Plan(typeId, bits, putInteger, integerText, kind)
}

/** UFix64: an unsigned integer scaled by 10^8. */
export function unsignedFixedPlan(typeId: string): TypePlan {
  return unsigned64Plan(typeId, 64, putFixed8, fixedText, 'other')
}

export function signedPlan(typeId: string, bits: number): TypePlan {
  return signed64Plan(typeId, bits, putInteger, integerText)
}

/** Fix64: a signed integer scaled by 10^8. */
export function signedFixedPlan(typeId: string): TypePlan {
  return signed64Plan(typeId, 64, putFixed8, fixedText)
}

/** Integers above 64 bits or unbounded: a CBOR bignum. */
export function bigIntegerPlan(typeId: string, options: { signed: boolean; bits?: number }): TypePlan {
  const maxBytes = options.bits === undefined ? payloadLimits.integerBytes : options.bits / 8
  const read = (input: CcfInput): string => readBigInteger(input, options.signed, maxBytes)
  const write = (input: CcfInput, out: ByteWriter): void => writeString(out, read(input))
  return { typeId, kind: 'other', write, read }
}

/** Fix128 and UFix128: two 64-bit words of an integer scaled by 10^24. */
export function fixed128Plan(typeId: string, signed: boolean): TypePlan {
  const read = (input: CcfInput): PayloadValue => {
    input.expectArray(2)
    const scaled = (readWord(input) << 64n) | readWord(input)
    const value = signed ? BigInt.asIntN(128, scaled) : scaled
    const digits = (value < 0n ? -value : value).toString().padStart(25, '0')
    return `${value < 0n ? '-' : ''}${digits.slice(0, -24)}.${digits.slice(-24)}`
  }
  const write = (input: CcfInput, out: ByteWriter): void => writeString(out, read(input) as string)
  return { typeId, kind: 'other', write, read }
}

function unsigned64Plan(typeId: string, bits: number, put: Put, spell: Spell, kind: PlanKind): TypePlan {
  const maxHigh = bits > 32 ? 0xffff_ffff : 0
  const maxLow = bits >= 32 ? 0xffff_ffff : 2 ** bits - 1
  const check = (input: CcfInput): void => {
    if (input.readHead() !== major.unsigned || input.high > maxHigh || input.low > maxLow) {
      throw input.fail(`not a value of ${typeId}`)
    }
  }
  return {
    typeId,
    kind,
    write(input, out) {
      check(input)
      out.reserve(maxDecimalBytes + 2)
      const target = out.bytes
      target[out.position] = quote
      const end = put(target, out.position + 1, input.high, input.low)
      target[end] = quote
      out.position = end + 1
    },
    read(input) {
      check(input)
      return spell(input.high, input.low)
    },
  }
}

function signed64Plan(typeId: string, bits: number, put: Put, spell: Spell): TypePlan {
  const maxHigh = bits > 32 ? 0x7fff_ffff : 0
  const maxLow = bits > 32 ? 0xffff_ffff : 2 ** (bits - 1) - 1
  /** Leaves the magnitude in the input. @returns whether the value is negative */
  const readMagnitude = (input: CcfInput): boolean => {
    const kind = input.readHead()
    if (kind > major.negative || input.high > maxHigh || input.low > maxLow) {
      throw input.fail(`not a value of ${typeId}`)
    }
    if (kind === major.unsigned) return false
    // CBOR encodes a negative n as -1 - n.
    input.low = (input.low + 1) >>> 0
    if (input.low === 0) input.high++
    return true
  }
  return {
    typeId,
    kind: 'other',
    write(input, out) {
      const negative = readMagnitude(input)
      out.reserve(maxDecimalBytes + 3)
      const target = out.bytes
      let to = out.position
      target[to++] = quote
      if (negative) target[to++] = minus
      to = put(target, to, input.high, input.low)
      target[to++] = quote
      out.position = to
    },
    read(input) {
      const negative = readMagnitude(input)
      const text = spell(input.high, input.low)
      return negative ? `-${text}` : text
    },
  }
}

function readBigInteger(input: CcfInput, signed: boolean, maxBytes: number): string {
  const kind = input.readHead()
  if (kind === major.tag && input.high === 0 && (input.low === 2 || input.low === 3)) {
    const negative = input.low === 3
    const bytes = input.readBytes()
    if (bytes.length > maxBytes) throw input.fail(`an integer of ${bytes.length} bytes`, 'payload-too-large')
    if (negative && !signed) throw input.fail('negative value of an unsigned type')
    const value = bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`)
    return (negative ? -1n - value : value).toString()
  }
  if (kind === major.unsigned) return integerText(input.high, input.low)
  if (kind === major.negative && signed) return (-1n - word(input.high, input.low)).toString()
  throw input.fail('not an integer')
}

function readWord(input: CcfInput): bigint {
  if (input.readHead() !== major.unsigned) throw input.fail('not an unsigned integer')
  return word(input.high, input.low)
}

function word(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low)
}

function integerText(high: number, low: number): string {
  return high === 0 ? String(low) : integerTexts.of(high, low)
}

function fixedText(high: number, low: number): string {
  return fixedTexts.of(high, low)
}
