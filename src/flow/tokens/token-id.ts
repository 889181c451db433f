const maxKnown = 20_000
const known = new Map<string, string | undefined>()

/**
 * `A.1654653399040a61.FlowToken.Vault` gives `A.1654653399040a61.FlowToken`; only `Vault` and `NFT`
 * are omitted.
 *
 * @returns undefined unless it is a contract's type
 */
export function tokenId(resourceType: string): string | undefined {
  const id = known.get(resourceType)
  if (id !== undefined || known.has(resourceType)) return id
  if (known.size >= maxKnown) known.clear()
  const parts = /^(A\.[0-9a-f]{16}\.[^.]+)\.(.+)$/.exec(resourceType)
  const found = parts?.[2] === 'Vault' || parts?.[2] === 'NFT' ? parts[1] : parts?.[0]
  known.set(resourceType, found)
  return found
}

const contracts = new Map<string, string>()

/** `A.<address>.<name>`, from an event type or token id. */
export function contractOf(type: string): string {
  const contract = contracts.get(type)
  if (contract !== undefined) return contract
  if (contracts.size >= maxKnown) contracts.clear()
  const end = type.indexOf('.', type.indexOf('.', 2) + 1)
  const found = end < 0 ? type : type.slice(0, end)
  contracts.set(type, found)
  return found
}
