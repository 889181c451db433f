/** Which chain a transaction is for: the contracts that it imports are at other addresses on each. */
export type FlowChain = 'mainnet' | 'testnet' | 'emulator'

/** Where the contracts are that hold FLOW: 16 hex digits without 0x. Source: onflow/flow-go `fvm/systemcontracts/system_contracts.go`. */
export const flowContracts: Readonly<
  Record<FlowChain, { readonly fungibleToken: string; readonly flowToken: string }>
> = {
  mainnet: { fungibleToken: 'f233dcee88fe0abe', flowToken: '1654653399040a61' },
  testnet: { fungibleToken: '9a0766d93b6608b7', flowToken: '7e60df042a9c0868' },
  emulator: { fungibleToken: 'ee82856bf20e2aa6', flowToken: '0ae53cb6e3f42a79' },
}
