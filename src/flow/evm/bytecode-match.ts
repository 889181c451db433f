/** Contract as compiled: hex digits, with placeholders. */
export interface CompiledCode {
  readonly object: string
  /** Bytes that are set later: immutable values and addresses of libraries. */
  readonly open: readonly { readonly start: number; readonly length: number }[]
}

/** `full`: also the hash of the sources is equal. */
export type CodeMatch = 'full' | 'partial'

/** `PUSH20` and zeros, where a library has its own address. Source: Solidity documentation, "Call Protection". */
const libraryStart = `73${'0'.repeat(40)}3014`

const pushBytes = 1
const addressBytes = 20

/** CBOR `{"ipfs": <34 bytes>`. Also in the code of contracts that the contract creates. */
const sourceHash = /a264697066735822[0-9a-f]{68}/g

/**
 * Compares the code of an address with compiled code.
 *
 * @param code hex digits
 */
export function matchCode(code: string, compiled: CompiledCode): CodeMatch | undefined {
  const open = compiled.object.startsWith(libraryStart)
    ? [...compiled.open, { start: pushBytes, length: addressBytes }]
    : compiled.open
  const [ours, theirs] = [compiled.object, code].map((text) => zeroed(text, open)) as [string, string]
  if (ours === theirs) return hasSourceHash(ours) ? 'full' : 'partial'
  const [own, other] = [ours, theirs].map(withoutMetadata) as [string, string]
  const hashes = [...own.matchAll(sourceHash)].map(({ index, 0: { length } }) => {
    return { start: index / 2, length: length / 2 }
  })
  const [left, right] = [own, other].map((text) => zeroed(text, hashes)) as [string, string]
  return left === right && left !== '' ? 'partial' : undefined
}

/** The part after the compiled creation code in the input of a creation: the constructor's arguments. */
export function constructorArguments(input: string, compiled: CompiledCode): string | undefined {
  const length = compiled.object.length
  return matchCode(input.slice(0, length), compiled) === undefined ? undefined : input.slice(length)
}

function zeroed(text: string, parts: CompiledCode['open']): string {
  let [result, end] = ['', 0]
  for (const { start, length } of parts.toSorted((a, b) => a.start - b.start)) {
    if (2 * start < end) continue
    result += text.slice(end, 2 * start) + '0'.repeat(2 * length)
    end = 2 * (start + length)
  }
  return (result + text.slice(end)).slice(0, text.length)
}

function hasSourceHash(code: string): boolean {
  return code.length > metadataDigits(code) && /a264697066735822/.test(code.slice(-metadataDigits(code)))
}

/** The last two bytes are the length of the metadata before them. */
function metadataDigits(code: string): number {
  const digits = 2 * (Number.parseInt(code.slice(-4), 16) + 2)
  const isMap = /^a[1-4]/.test(code.slice(-digits))
  return isMap && digits < code.length ? digits : 0
}

function withoutMetadata(code: string): string {
  return code.slice(0, code.length - metadataDigits(code))
}
