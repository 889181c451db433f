/** A type of the contract ABI. Source: Solidity, "Contract ABI Specification". */
export type AbiType =
  /** One word: `uint8` … `uint256`, `int…`, `address`, `bool`, `bytes1` … `bytes32`. */
  | { readonly kind: 'word'; readonly name: string }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'string' }
  /** @param length undefined: of whatever length */
  | { readonly kind: 'list'; readonly of: AbiType; readonly length: number | undefined }
  | { readonly kind: 'tuple'; readonly of: readonly AbiType[] }

/** Whether values of a type stand behind the words, with a word that says where. */
export function isDynamic(type: AbiType): boolean {
  if (type.kind === 'word') return false
  if (type.kind === 'list') return type.length === undefined || isDynamic(type.of)
  return type.kind === 'tuple' ? type.of.some(isDynamic) : true
}

/** Words that a type takes in the row of the words. */
export function headWords(type: AbiType): number {
  if (isDynamic(type)) return 1
  if (type.kind === 'list') return (type.length ?? 0) * headWords(type.of)
  return type.kind === 'tuple' ? type.of.reduce((sum, part) => sum + headWords(part), 0) : 1
}

/** The type as it stands in a signature that is hashed. */
export function canonicalType(type: AbiType): string {
  if (type.kind === 'word') return type.name
  if (type.kind === 'list') return `${canonicalType(type.of)}[${type.length ?? ''}]`
  return type.kind === 'tuple' ? `(${type.of.map(canonicalType).join(',')})` : type.kind
}
