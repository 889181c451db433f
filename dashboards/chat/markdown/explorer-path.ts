/** What a text is taken for, where it could be more than one thing. */
export type IdHint = 'height' | 'transaction'

/** The path of the explorer that an address, an id or a height leads to; undefined where a text is none. */
export function explorerPath(text: string, hint?: IdHint): string | undefined {
  if (/^0x[0-9a-f]{16}$/i.test(text)) return `/account/${text.toLowerCase()}`
  if (/^0x[0-9a-f]{40}$/i.test(text)) return `/evm/address/${text.toLowerCase()}`
  if (/^[0-9a-f]{64}$/i.test(text)) return `/transaction/${text.toLowerCase()}`
  // One of the EVM, or one of Flow as SQL has it: the explorer's search goes on to the one that it is.
  if (/^0x[0-9a-f]{64}$/i.test(text))
    return hint === 'transaction' ? `/transaction/${text.slice(2).toLowerCase()}` : `/search?q=${text.toLowerCase()}`
  const [, contract] = /^(A\.[0-9a-f]{16}\.[A-Za-z_]\w{0,99})(?:\.[A-Za-z_]\w{0,99})?$/.exec(text) ?? []
  if (contract !== undefined) return `/contract/${contract}`
  const height = text.replaceAll(',', '')
  return hint === 'height' && /^\d{1,15}$/.test(height) ? `/block/${height}` : undefined
}

/** What the cells of a column are, by its name. */
export function columnHint(name: string): IdHint | undefined {
  if (/(?:^|[_\s])(?:height|block)$|(?:高度|区块)$/i.test(name)) return 'height'
  return /(?:^|_)(?:transaction|tx)_?(?:id|hash)?$/i.test(name) && !/evm/i.test(name) ? 'transaction' : undefined
}

/** The address of a part of the explorer. */
export function explorerAddress(base: string, path: string): string {
  return `${base.replace(/[/?#]+$/, '')}${path}`
}
