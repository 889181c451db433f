/** The networks on which a passkey has accounts. */
export const walletNetworks = ['mainnet', 'testnet'] as const
export type WalletNetwork = (typeof walletNetworks)[number]

export function isWalletNetwork(text: unknown): text is WalletNetwork {
  return typeof text === 'string' && (walletNetworks as readonly string[]).includes(text)
}
