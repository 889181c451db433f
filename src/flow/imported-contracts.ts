import { coreContractAddress } from './core-contracts.ts'
import type { DecodedTransaction } from './decoded-block.ts'
import type { Network } from './network.ts'
import { scriptImports } from './script-imports.ts'

/** Scripts repeat: a few thousand make up nearly all transactions. */
const maxKnownScripts = 10_000
const knownScripts = new Map<string, readonly string[]>()

/**
 * The contracts that a transaction's script imports, `A.<address>.<name>` each, once. A system transaction gives none:
 * the chain's own scripts are the same in every block and say nothing.
 */
export function importedContracts(transaction: DecodedTransaction, network: Network): readonly string[] {
  if (transaction.isSystem) return []
  const key = `${network} ${transaction.scriptHash.toString('latin1')}`
  let imported = knownScripts.get(key)
  if (imported !== undefined) return imported
  if (knownScripts.size >= maxKnownScripts) knownScripts.clear()
  const names = new Set<string>()
  for (const { name, address = coreContractAddress(name, network) } of scriptImports(transaction.script)) {
    // Names without a place are resolved before a script is sent, or else it fails; but for those that the chain knows.
    if (address !== undefined) names.add(`A.${address}.${name}`)
  }
  imported = [...names]
  knownScripts.set(key, imported)
  return imported
}
