import { z } from 'zod'
import { keccak256 } from './keccak256.ts'

export const abiSignatureSchema = z.object({
  name: z.string(),
  /** `transfer(address,uint256)` */
  canonical: z.string(),
  /** Keccak-256, 64 hex digits: an event's first topic; the first 8 digits select a function. */
  hash: z.string(),
  parameters: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      /** A topic of an event. */
      isIndexed: z.boolean(),
    }),
  ),
})
export type AbiSignature = z.output<typeof abiSignatureSchema>
type AbiParameter = AbiSignature['parameters'][number]

export function signatureOf(name: string, parameters: AbiParameter[]): AbiSignature {
  const canonical = `${name}(${parameters.map(({ type }) => type).join(',')})`
  return { name, canonical, hash: keccak256(Buffer.from(canonical)).toString('hex'), parameters }
}

/** @param declaration as in Solidity, without tuples */
export function abiSignature(declaration: string): AbiSignature {
  const [, name = '', list = ''] = /^(\w+)\((.*)\)$/.exec(declaration) ?? []
  const parameters = list === '' ? [] : list.split(', ').map(parameterOf)
  return signatureOf(name, parameters)
}

function parameterOf(declaration: string): AbiParameter {
  const words = declaration.split(' ')
  return { type: words[0] ?? '', name: words.at(-1) ?? '', isIndexed: words.includes('indexed') }
}

interface AbiInput {
  readonly name?: string | undefined
  readonly type: string
  readonly indexed?: boolean | undefined
  readonly components?: readonly AbiInput[] | undefined
}

export const abiInput: z.ZodType<AbiInput> = z.lazy(() =>
  z.object({
    name: z.string().optional(),
    type: z.string(),
    indexed: z.boolean().optional(),
    components: z.array(abiInput).optional(),
  }),
)

/** Entry of an ABI in JSON. */
const abiEntry = z.object({
  type: z.enum(['function', 'event', 'constructor']),
  name: z.string().default(''),
  anonymous: z.boolean().default(false),
  inputs: z.array(abiInput).default([]),
})

const maxTypeLength = 2000

/** Functions, events and the constructor. Others, and entries with very long types, are omitted. */
export function signaturesOfAbi(
  abi: readonly unknown[],
): readonly { readonly kind: 'function' | 'event' | 'constructor'; readonly signature: AbiSignature }[] {
  return abi.flatMap((each) => {
    const { data: entry } = abiEntry.safeParse(each)
    if (entry === undefined || entry.anonymous) return []
    const signature = signatureOf(
      entry.name,
      entry.inputs.map((input) => ({
        name: input.name ?? '',
        type: canonicalType(input),
        isIndexed: input.indexed ?? false,
      })),
    )
    return signature.canonical.length > maxTypeLength ? [] : [{ kind: entry.type, signature }]
  })
}

export function canonicalType({ type, components = [] }: AbiInput): string {
  return type.replace(/^tuple/, () => `(${components.map(canonicalType).join(',')})`)
}
