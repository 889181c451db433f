import type { ByteWriter } from '../../platform/byte-writer.ts'
import { payloadText } from '../payload-value.ts'
import { major, simple } from './ccf-input.ts'
import type { CcfInput } from './ccf-input.ts'
import { writeHex, writeRaw, writeString, writeText } from './json-text.ts'
import { ShortTexts, WordTexts } from './text-caches.ts'
import { readFunctionText, readTypeText } from './type-value.ts'
import type { TypePlan } from './type-plan.ts'

const json = { null: Buffer.from('null'), true: Buffer.from('true'), false: Buffer.from('false') }

const addresses = new WordTexts((high, low) => `0x${hexWord(high)}${hexWord(low)}`)
const texts = new ShortTexts()

/** Source: onflow/cadence, common.PathDomain. */
const pathDomains: readonly (string | undefined)[] = [undefined, 'storage', 'private', 'public']

export function writeNull(out: ByteWriter): void {
  writeRaw(out, json.null)
}

export const voidPlan: TypePlan = {
  typeId: 'Void',
  kind: 'other',
  write(input, out) {
    expectNil(input)
    writeNull(out)
  },
  read(input) {
    expectNil(input)
    return null
  },
}

export const boolPlan: TypePlan = {
  typeId: 'Bool',
  kind: 'other',
  write: (input, out) => writeRaw(out, readBool(input) ? json.true : json.false),
  read: readBool,
}

export function textPlan(typeId: string): TypePlan {
  return { typeId, kind: 'other', write: writeText, read: readText }
}

function readText(input: CcfInput): string {
  const length = input.readLength(major.text)
  const start = input.position
  const end = start + length
  input.position = end
  return texts.of(input.bytes, start, end) ?? payloadText(input.bytes.toString('utf8', start, end))
}

export const addressPlan: TypePlan = {
  typeId: 'Address',
  kind: 'other',
  write: writeAddress,
  read: readAddress,
}

export function writeAddress(input: CcfInput, out: ByteWriter): void {
  expectAddress(input)
  writeHex(input, out, 8)
}

export function readAddress(input: CcfInput): string {
  expectAddress(input)
  const { bytes, position } = input
  input.position = position + 8
  return addresses.of(bytes.readUInt32BE(position), bytes.readUInt32BE(position + 4))
}

/** Built-in functions only. */
export const bytesPlan: TypePlan = {
  typeId: 'Bytes',
  kind: 'other',
  write: (input, out) => writeHex(input, out, input.readLength(major.bytes)),
  read: (input) => `0x${input.readBytes().toString('hex')}`,
}

export function pathPlan(typeId: string): TypePlan {
  const read = (input: CcfInput): string => {
    input.expectArray(2)
    const domain = pathDomains[input.readSmall()]
    if (domain === undefined) throw input.fail('unknown path domain')
    return payloadText(`/${domain}/${input.readText()}`)
  }
  return { typeId, kind: 'other', write: (input, out) => writeString(out, read(input)), read }
}

/** Null for a type unknown to its node. */
export const metaTypePlan: TypePlan = {
  typeId: 'Type',
  kind: 'other',
  write(input, out) {
    const text = readType(input)
    if (text === null) writeNull(out)
    else writeString(out, text)
  },
  read: readType,
}

/** A function value has only its type. */
export const functionPlan: TypePlan = {
  typeId: 'Function',
  kind: 'other',
  write: (input, out) => writeString(out, payloadText(readFunctionText(input))),
  read: (input) => payloadText(readFunctionText(input)),
}

function readType(input: CcfInput): string | null {
  return input.takeNil() ? null : payloadText(readTypeText(input))
}

function hexWord(word: number): string {
  return word.toString(16).padStart(8, '0')
}

function expectNil(input: CcfInput): void {
  if (!input.takeNil()) throw input.fail('expected nil')
}

function readBool(input: CcfInput): boolean {
  const item = input.peek()
  if (item !== simple.true && item !== simple.false) throw input.fail('expected a boolean')
  input.position++
  return item === simple.true
}

function expectAddress(input: CcfInput): void {
  if (input.readLength(major.bytes) !== 8) throw input.fail('an address must have 8 bytes')
}
