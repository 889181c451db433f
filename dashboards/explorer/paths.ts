/** The addresses of the page's parts: links are made here and nowhere else. */
export const paths = {
  block: (height: number | string): string => `/block/${height}`,
  /** @param height of its block, since the chain's own transactions have the same id in every block */
  transaction: (id: string, height?: number | null): string =>
    `/transaction/${encodeURIComponent(id)}${typeof height === 'number' ? `?height=${height}` : ''}`,
  account: (address: string): string => `/account/${encodeURIComponent(withPrefix(address))}`,
  token: (id: string): string => `/token/${encodeURIComponent(id)}`,
  collection: (type: string): string => `/nft/${encodeURIComponent(type)}`,
  item: (type: string, id: string): string => `/nft/${encodeURIComponent(type)}/item/${encodeURIComponent(id)}`,
  contract: (identifier: string): string => `/contract/${encodeURIComponent(identifier)}`,
  evmTransaction: (hash: string): string => `/evm/transaction/${encodeURIComponent(hash)}`,
  evmAddress: (address: string): string => `/evm/address/${encodeURIComponent(address)}`,
  evmToken: (address: string): string => `/evm/token/${encodeURIComponent(address)}`,
  publicKey: (digits: string): string => `/key/${encodeURIComponent(digits)}`,
  node: (id: string): string => `/node/${encodeURIComponent(id)}`,
  scheduled: (id: number | string): string => `/scheduled/${id}`,
  search: (text: string): string => `/search?q=${encodeURIComponent(text)}`,
}

function withPrefix(address: string): string {
  return address.startsWith('0x') ? address : `0x${address}`
}
