/** The explorer's page of a value in a result. Undefined for values without a page. */
export function itemPath(column: string, text: string): string | undefined {
  const name = column.toLowerCase()
  if (/^(0x)?[0-9a-f]{64}$/.test(text)) {
    if (name.includes('block')) return `/block/${text.replace(/^0x/, '')}`
    if (/(^|_)node(_id)?$/.test(name)) return `/node/${text.replace(/^0x/, '')}`
    if (/^evm_.*hash$/.test(name)) return `/evm/transaction/${text}`
    return /^(tx|transaction|evm)?_?(id|hash)$|tx|transaction/.test(name) ? `/transaction/${text}` : undefined
  }
  if (/^0x[0-9a-f]{16}$/.test(text)) return `/account/${text}`
  if (/^0x[0-9a-f]{40}$/.test(text)) return `/evm/address/${text}`
  const [, contract] = /^(A\.[0-9a-f]{16}\.\w{1,100})(?:\.\w{1,100})?$/.exec(text) ?? []
  // A column named token may hold tokens or collections.
  if (contract !== undefined) return name === 'collection' ? `/nft/${text}` : `/contract/${contract}`
  return /(^|_)height$/.test(name) && /^\d{1,15}$/.test(text) ? `/block/${text}` : undefined
}
