import { z } from 'zod'
import { abiInput, abiSignature, canonicalType, signatureOf } from './abi-signature.ts'
import type { AbiSignature } from './abi-signature.ts'
import { decodeParameters } from './known-abi.ts'

/** A function that changes no state. */
export interface ReadFunction {
  readonly signature: AbiSignature
  readonly outputs: ReadonlyArray<{ readonly name: string; readonly type: string }>
}

const functionEntry = z.object({
  type: z.literal('function'),
  name: z.string(),
  inputs: z.array(abiInput).default([]),
  outputs: z.array(abiInput).default([]),
  stateMutability: z.enum(['pure', 'view']),
})

const errorEntry = z.object({ type: z.literal('error'), name: z.string(), inputs: z.array(abiInput).default([]) })

const maxSignatureLength = 2000

const parameters = (inputs: z.output<typeof functionEntry>['inputs']): AbiSignature['parameters'] =>
  inputs.map((input) => ({ name: input.name ?? '', type: canonicalType(input), isIndexed: false }))

/** In the order of the ABI. */
export function readFunctionsOfAbi(abi: readonly unknown[]): readonly ReadFunction[] {
  return abi.flatMap((each) => {
    const { data: entry } = functionEntry.safeParse(each)
    if (entry === undefined) return []
    const signature = signatureOf(entry.name, parameters(entry.inputs))
    const outputs = parameters(entry.outputs).map(({ name, type }) => ({ name, type }))
    return signature.canonical.length > maxSignatureLength ? [] : [{ signature, outputs }]
  })
}

function standardFunction(declaration: string): ReadFunction {
  const [, call = '', type = ''] = /^(.*\)) returns \((.*)\)$/.exec(declaration) ?? []
  return { signature: abiSignature(call), outputs: [{ name: '', type }] }
}

const erc165 = 'supportsInterface(bytes4 interfaceId) returns (bool)'
const names = ['name() returns (string)', 'symbol() returns (string)']

const standards: Readonly<Record<number, readonly ReadFunction[]>> = {
  20: [
    ...names,
    'decimals() returns (uint8)',
    'totalSupply() returns (uint256)',
    'balanceOf(address account) returns (uint256)',
    'allowance(address owner, address spender) returns (uint256)',
  ].map(standardFunction),
  721: [
    ...names,
    'balanceOf(address owner) returns (uint256)',
    'ownerOf(uint256 tokenId) returns (address)',
    'tokenURI(uint256 tokenId) returns (string)',
    'getApproved(uint256 tokenId) returns (address)',
    'isApprovedForAll(address owner, address operator) returns (bool)',
    erc165,
  ].map(standardFunction),
  1155: [
    'uri(uint256 id) returns (string)',
    'balanceOf(address account, uint256 id) returns (uint256)',
    'balanceOfBatch(address[] accounts, uint256[] ids) returns (uint256[])',
    'isApprovedForAll(address account, address operator) returns (bool)',
    erc165,
  ].map(standardFunction),
}

/** @param standard ERC number: 20, 721 or 1155 */
export function readFunctionsOfStandard(standard: number): readonly ReadFunction[] {
  return standards[standard] ?? []
}

/** Source: Solidity documentation, "Panic via assert and Error via require". */
const panics: Readonly<Record<string, string>> = {
  1: 'failed assertion',
  17: 'arithmetic overflow',
  18: 'division by zero',
  33: 'invalid enum value',
  34: 'invalid storage encoding',
  49: 'pop of an empty array',
  50: 'index out of range',
  65: 'too much memory',
  81: 'call of an uninitialized function',
}

const textError = abiSignature('Error(string reason)')
const panicError = abiSignature('Panic(uint256 code)')
const maxReasonLength = 300

/**
 * Reason of a revert; undefined if the data has none.
 *
 * @param abi of the contract, with its errors
 */
export function revertReason(data: Uint8Array, abi: readonly unknown[] = []): string | undefined {
  const selector = Buffer.from(data.subarray(0, 4)).toString('hex')
  const own = abi.flatMap((each) => {
    const { data: entry } = errorEntry.safeParse(each)
    return entry === undefined ? [] : [signatureOf(entry.name, parameters(entry.inputs))]
  })
  const error = [textError, panicError, ...own].find(({ hash }) => hash.startsWith(selector) && selector.length === 8)
  const decoded = error && decodeParameters(error, data.subarray(4))
  if (decoded === undefined) return undefined
  const [first] = decoded.parameters
  if (error === textError) return cleaned(String(first?.value))
  if (error === panicError) return `panic ${String(first?.value)}, ${panics[String(first?.value)] ?? 'unknown code'}`
  return cleaned(`${decoded.name}(${decoded.parameters.map(({ value }) => JSON.stringify(value)).join(', ')})`)
}

/** Contracts can return any text. */
function cleaned(text: string): string {
  const shown = text.replaceAll(/[\p{Cc}\p{Cf}\uFFFD]+/gu, ' ').trim()
  return shown.length > maxReasonLength ? `${shown.slice(0, maxReasonLength)}…` : shown
}
