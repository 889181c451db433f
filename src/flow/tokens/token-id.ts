const maxKnown = 20_000
const known = new Map<string, string | undefined>()

/**
 * The identifier of a token by the type of its vault or item: `A.1654653399040a61.FlowToken.Vault` is the token
 * `A.1654653399040a61.FlowToken`. The last part is left out where it is the usual one, `Vault` or `NFT`; a second kind
 * of either in a contract keeps it in the identifier, so that two tokens never become one.
 * @returns undefined where the text is no type of a contract
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

/** The contract of an event or token, `A.<address>.<name>`: the first three parts of its type or identifier. */
export function contractOf(type: string): string {
  const contract = contracts.get(type)
  if (contract !== undefined) return contract
  if (contracts.size >= maxKnown) contracts.clear()
  const end = type.indexOf('.', type.indexOf('.', 2) + 1)
  const found = end < 0 ? type : type.slice(0, end)
  contracts.set(type, found)
  return found
}
