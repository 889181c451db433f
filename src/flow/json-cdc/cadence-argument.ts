export interface CadenceArgument {
  readonly type: string
  readonly value: ArgumentValue
}

type ArgumentValue =
  | string
  | boolean
  | null
  | CadenceArgument
  | readonly CadenceArgument[]
  | Readonly<Record<string, string>>

const maxUint64 = 2n ** 64n - 1n

/**
 * Numbers are validated here, because a node's error for an invalid one looks like a script error.
 * Source: onflow/cadence-lang.org, docs/json-cadence-spec.md.
 */
export const cadence = {
  /** @param text `0x` and 16 hex digits */
  address(text: string): CadenceArgument {
    if (!/^0x[0-9a-f]{16}$/.test(text)) throw new RangeError(`not an address: ${text}`)
    return { type: 'Address', value: text }
  },
  string: (text: string): CadenceArgument => ({ type: 'String', value: text }),
  bool: (value: boolean): CadenceArgument => ({ type: 'Bool', value }),
  int: (value: number | bigint | string): CadenceArgument => ({ type: 'Int', value: BigInt(value).toString() }),
  /** @throws RangeError */
  uint64(value: number | bigint | string): CadenceArgument {
    const number = BigInt(value)
    if (number < 0n || number > maxUint64) throw new RangeError(`not a UInt64: ${value}`)
    return { type: 'UInt64', value: number.toString() }
  },
  array: (values: readonly CadenceArgument[]): CadenceArgument => ({ type: 'Array', value: values }),
  optional: (value: CadenceArgument | null): CadenceArgument => ({ type: 'Optional', value }),
  path: (domain: 'storage' | 'public', identifier: string): CadenceArgument => ({
    type: 'Path',
    value: { domain, identifier },
  }),
} as const

export function encodeArgument(argument: CadenceArgument): Buffer {
  return Buffer.from(JSON.stringify(argument))
}
