import { keccak256 } from '../../../flow/evm/keccak256.ts'
import { ApiError } from '../../../platform/errors.ts'

/** Source: Solidity, "Contract ABI Specification". */
export type AbiType =
  /** `uint8` … `uint256`, `int…`, `address`, `bool`, `bytes1` … `bytes32`. */
  | { readonly kind: 'word'; readonly name: string }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'string' }
  /** @param length undefined: dynamic */
  | { readonly kind: 'list'; readonly of: AbiType; readonly length: number | undefined }
  | { readonly kind: 'tuple'; readonly of: readonly AbiType[] }

/** Dynamic types are encoded after the head, by offset. */
export function isDynamic(type: AbiType): boolean {
  if (type.kind === 'word') return false
  if (type.kind === 'list') return type.length === undefined || isDynamic(type.of)
  return type.kind === 'tuple' ? type.of.some(isDynamic) : true
}

export function headWords(type: AbiType): number {
  if (isDynamic(type)) return 1
  if (type.kind === 'list') return (type.length ?? 0) * headWords(type.of)
  return type.kind === 'tuple' ? type.of.reduce((sum, part) => sum + headWords(part), 0) : 1
}

export function canonicalType(type: AbiType): string {
  if (type.kind === 'word') return type.name
  if (type.kind === 'list') return `${canonicalType(type.of)}[${type.length ?? ''}]`
  return type.kind === 'tuple' ? `(${type.of.map(canonicalType).join(',')})` : type.kind
}

export function abiError(code: 'bad-signature' | 'bad-argument', message: string, field: string): ApiError {
  return new ApiError(400, code, message, { field })
}

export interface AbiParameter {
  readonly type: AbiType
  readonly name: string
  readonly isIndexed: boolean
}

export interface Signature {
  readonly name: string
  /** `transfer(address,uint256)` */
  readonly canonical: string
  /** Keccak-256 of `canonical`, 64 hex digits. */
  readonly hash: string
  readonly inputs: readonly AbiParameter[]
  readonly outputs: readonly AbiParameter[] | undefined
}

const maxCharacters = 1000
const maxNesting = 8
/** Total of all fixed-size lists. */
const maxWords = 1024

const tokenPattern = /\s*([A-Za-z_$][\w$]*|\d+|[()[\],])/y
const modifiers: ReadonlySet<string> = new Set(['memory', 'calldata', 'storage', 'payable'])
const functionWords: ReadonlySet<string> = new Set([
  'external',
  'public',
  'view',
  'pure',
  'payable',
  'nonpayable',
  'virtual',
  'override',
  'anonymous',
])

/**
 * Reads `balanceOf(address) returns (uint256)`, or a Solidity declaration.
 * @throws ApiError 400 `bad-signature`
 */
export function readSignature(text: string, field: string): Signature {
  return new SignatureReader(text, field).read()
}

class SignatureReader {
  readonly #tokens: readonly string[]
  readonly #field: string
  #at = 0

  constructor(text: string, field: string) {
    this.#field = field
    if (text.length > maxCharacters) this.#refuse(`has more than ${maxCharacters} characters`)
    const tokens: string[] = []
    const source = text.trim().replace(/;$/, '').trimEnd()
    tokenPattern.lastIndex = 0
    while (tokenPattern.lastIndex < source.length) {
      const at = tokenPattern.lastIndex
      const token = tokenPattern.exec(source)?.[1]
      if (token === undefined) this.#refuse(`has a syntax error at "${source.slice(at, at + 20)}"`)
      tokens.push(token)
    }
    this.#tokens = tokens
  }

  read(): Signature {
    if (this.#peek() === 'function' || this.#peek() === 'event') this.#at++
    const name = this.#next()
    if (!/^[A-Za-z_$]/.test(name)) this.#refuse('does not start with a name')
    const inputs = this.#parameters(0)
    while (functionWords.has(this.#peek())) this.#at++
    let outputs: readonly AbiParameter[] | undefined
    if (this.#peek() === 'returns') {
      this.#at++
      outputs = this.#parameters(0)
    }
    if (this.#at < this.#tokens.length) this.#refuse(`has an unexpected "${this.#peek()}" at the end`)
    const canonical = `${name}(${inputs.map(({ type }) => canonicalType(type)).join(',')})`
    return { name, canonical, hash: keccak256(Buffer.from(canonical)).toString('hex'), inputs, outputs }
  }

  #parameters(depth: number): AbiParameter[] {
    if (depth > maxNesting) this.#refuse(`is nested deeper than ${maxNesting} levels`)
    this.#expect('(')
    const parameters: AbiParameter[] = []
    if (this.#peek() === ')') {
      this.#at++
      return parameters
    }
    for (;;) {
      const type = this.#type(depth)
      let isIndexed = false
      let name = ''
      while (/^[A-Za-z_$]/.test(this.#peek())) {
        const word = this.#next()
        if (word === 'indexed') isIndexed = true
        else if (!modifiers.has(word)) name = word
      }
      parameters.push({ type, name, isIndexed })
      const mark = this.#next()
      if (mark === ')') break
      if (mark !== ',') this.#refuse(`has "${mark}" instead of , or )`)
    }
    if (parameters.reduce((sum, { type }) => sum + headWords(type), 0) > maxWords)
      this.#refuse('has fixed-size arrays that are too long')
    return parameters
  }

  #type(depth: number): AbiType {
    if (this.#peek() === 'tuple') this.#at++
    let type: AbiType =
      this.#peek() === '('
        ? { kind: 'tuple', of: this.#parameters(depth + 1).map(({ type }) => type) }
        : this.#elementary(this.#next())
    for (let nested = depth; this.#peek() === '['; nested++) {
      if (nested > maxNesting) this.#refuse(`is nested deeper than ${maxNesting} levels`)
      this.#at++
      const length = this.#peek() === ']' ? undefined : Number(this.#next())
      if (length !== undefined && !(Number.isSafeInteger(length) && length >= 1 && length <= maxWords))
        this.#refuse(`has an array length outside 1 to ${maxWords}`)
      this.#expect(']')
      type = { kind: 'list', of: type, length }
    }
    return type
  }

  #elementary(word: string): AbiType {
    if (word === 'bytes' || word === 'string') return { kind: word }
    const name = word === 'uint' || word === 'int' ? `${word}256` : word === 'byte' ? 'bytes1' : word
    const [, kind, digits = ''] = /^(uint|int|bytes)([1-9]\d*)$/.exec(name) ?? []
    const size = Number(digits)
    const isRight =
      kind === undefined
        ? name === 'address' || name === 'bool'
        : kind === 'bytes'
          ? size <= 32
          : size <= 256 && size % 8 === 0
    if (!isRight)
      this.#refuse(
        `has the unknown type "${word}". Supported: address, bool, string, bytes, bytes1 to bytes32, uint8 to ` +
          'uint256, int8 to int256, tuples (…) and arrays of them',
      )
    return { kind: 'word', name }
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? ''
  }

  #next(): string {
    const token = this.#tokens[this.#at++]
    if (token === undefined) this.#refuse('is incomplete')
    return token
  }

  #expect(mark: string): void {
    const token = this.#next()
    if (token !== mark) this.#refuse(`has "${token}" instead of ${mark}`)
  }

  #refuse(problem: string): never {
    throw abiError(
      'bad-signature',
      `The signature ${problem}. Example: balanceOf(address) returns (uint256).`,
      this.#field,
    )
  }
}
