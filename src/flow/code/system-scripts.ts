import { coreContractAddress } from '../core-contracts.ts'
import type { DecodedTransaction } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import { scriptImports } from './script-imports.ts'

/**
 * In each block one transaction emits `PendingExecution` for each due one, then one transaction
 * follows for each in the same order. Source: onflow/flow-go
 * `fvm/blueprints/scheduled_callback.go`.
 */
export type SchedulerScript = 'process' | 'execute'

/** There are a few, each in use for months. */
const maxKnownScripts = 1000
const known = new Map<string, SchedulerScript | undefined>()

export function schedulerScript(transaction: DecodedTransaction, network: Network): SchedulerScript | undefined {
  if (!transaction.isSystem) return undefined
  const key = `${network} ${transaction.scriptHash.toString('latin1')}`
  if (known.has(key)) return known.get(key)
  if (known.size >= maxKnownScripts) known.clear()
  const found = read(transaction.script, network)
  known.set(key, found)
  return found
}

export function isScheduledExecution(transaction: DecodedTransaction, network: Network): boolean {
  return schedulerScript(transaction, network) === 'execute'
}

function read(script: string, network: Network): SchedulerScript | undefined {
  const scheduler = coreContractAddress('FlowTransactionScheduler', network)
  const isAbout = scriptImports(script).some(
    ({ name, address = scheduler }) => name === 'FlowTransactionScheduler' && address === scheduler,
  )
  if (!isAbout) return undefined
  if (/\.\s*executeTransaction\s*\(/.test(script)) return 'execute'
  return /\.\s*process\s*\(/.test(script) ? 'process' : undefined
}
