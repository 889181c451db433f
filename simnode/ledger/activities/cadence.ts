import { systemAccounts } from '../world/tokens.ts'

/** Parts of Cadence source that several transactions share. */
export const tokenImports = `import FungibleToken from 0x${systemAccounts.fungibleToken.hex}
import FlowToken from 0x${systemAccounts.flowToken.hex}
`
const flowVault = 'auth(FungibleToken.Withdraw) &FlowToken.Vault'
export const ownFlowVault = `let vault = signer.storage.borrow<${flowVault}>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")`

/** The error message of a transaction whose code failed. */
export function executionError(reason: string): string {
  return `[Error Code: 1101] error caused by: 1 error occurred:
\t* transaction execute failed: [Error Code: 1101] cadence runtime error: Execution failed:
error: ${reason}
`
}
