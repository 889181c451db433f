export const networkNames = { mainnet: 'Mainnet', testnet: 'Testnet', emulator: 'Emulator' } as const

/** `flow-testnet` → `Testnet`. Other chains keep their id. */
export function networkName(chainId: string): string {
  const name = Object.entries(networkNames).find(([network]) => chainId === `flow-${network}`)
  return name?.[1] ?? chainId
}
