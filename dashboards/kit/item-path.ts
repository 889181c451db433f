/** The explorer's page of a value in a result. Undefined for values without a page. */
export function itemPath(column: string, text: string): string | undefined {
  const name = column.toLowerCase()
  if (/^(0x)?[0-9a-f]{64}$/.test(text)) {
    if (name.includes('block')) return `/block/${text.replace(/^0x/, '')}`
    return /^(tx|transaction|evm)?_?(id|hash)$|tx|transaction/.test(name) ? `/transaction/${text}` : undefined
  }
  if (/^0x[0-9a-f]{16}$/.test(text)) return `/account/${text}`
  if (/^0x[0-9a-f]{40}$/.test(text)) return `/evm/address/${text}`
  if (/^A\.[0-9a-f]{16}\.\w{1,100}$/.test(text)) return `/contract/${text}`
  return /(^|_)height$/.test(name) && /^\d{1,15}$/.test(text) ? `/block/${text}` : undefined
}
