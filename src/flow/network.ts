/** The networks that differ in addresses, core contracts and sporks. */
export const networks = ['mainnet', 'testnet', 'emulator'] as const
export type Network = (typeof networks)[number]

/**
 * The network of a chain id as nodes report it. Local chains of any kind share the emulator's addresses.
 * Source: onflow/flow-go `model/flow/chain.go`.
 * @returns undefined for a chain that is none of these
 */
export function chainIdToNetwork(chainId: string): Network | undefined {
  switch (chainId) {
    case 'flow-mainnet':
      return 'mainnet'
    case 'flow-testnet':
      return 'testnet'
    case 'flow-emulator':
    case 'flow-localnet':
    case 'flow-benchnet':
    case 'flow-bft-test-net':
      return 'emulator'
    default:
      return undefined
  }
}
