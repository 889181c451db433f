/** The contract of a token as scripts are told of it. */
export interface TokenParts {
  /** `0x` and 16 hex digits. */
  readonly address: string
  readonly name: string
  /** The type of its vaults or items. */
  readonly resourceType: string
  /** What the types of the contract begin with, `A.<address>.<name>.`. */
  readonly contractPrefix: string
}

/**
 * Takes the identifier of a token apart (see `tokenId`).
 * @param usualName `Vault` or `NFT`: what is left out of the identifier
 * @returns undefined for a text that is no identifier
 */
export function tokenParts(token: string, usualName: 'Vault' | 'NFT'): TokenParts | undefined {
  const parts = /^A\.([0-9a-f]{16})\.([^.]+)(?:\.(.+))?$/.exec(token)
  const [, address, name, resource = usualName] = parts ?? []
  if (address === undefined || name === undefined) return undefined
  const contractPrefix = `A.${address}.${name}.`
  return { address: `0x${address}`, name, resourceType: contractPrefix + resource, contractPrefix }
}
