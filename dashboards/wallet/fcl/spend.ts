import { contractOfType } from '../../../clients/signing/transactions/make-transaction.ts'
import { flowContracts } from '../../../clients/signing/transactions/transaction-scripts.ts'
import type { FlowChain } from '../../../clients/signing/transactions/transaction-scripts.ts'
import type { Spend } from '../chain/app-policies.ts'
import { minimumUnits } from '../chain/balance-changes.ts'
import type { TransactionSummary } from './transaction-summary.ts'

type Transaction = Pick<TransactionSummary, 'known' | 'accounts' | 'imports'>

/** From the wallet's own scripts; the amount of other code is unknown. The fee is not counted. */
export function spendOf({ known, accounts, imports }: Transaction, chain: FlowChain): Spend {
  if (!accounts.some(({ isOwn }) => isOwn)) return { kind: 'nothing' }
  const ofFlow = (units: bigint): Spend => ({ kind: 'payment', asset: 'FLOW', units: String(units) })
  switch (known?.name) {
    case undefined:
      return { kind: 'code', contracts: contractsOf(imports) }
    case 'send-flow':
    case 'send-flow-to-evm':
    case 'fund-evm-account':
      return ofFlow(known.amount)
    case 'create-account':
      return ofFlow(known.startBalance + minimumUnits)
    case 'send-token':
      return contractOfType(known.type)?.address === `0x${flowContracts[chain].flowToken}` &&
        contractOfType(known.type)?.name === 'FlowToken'
        ? ofFlow(known.amount)
        : { kind: 'payment', asset: known.type, units: String(known.amount) }
    case 'send-erc20':
      return { kind: 'payment', asset: known.token, units: String(erc20LimitUnits(known)) }
    case 'enable-token':
    case 'enable-collection':
    case 'create-evm-account':
    case 'withdraw-evm-account':
      return { kind: 'nothing' }
    case 'send-nft':
    case 'add-key':
    case 'revoke-key':
    case 'add-contract':
    case 'update-contract':
      return { kind: 'known' }
  }
}

const maxUnits = 2n ** 64n - 1n

/** Limits count 10^-8 of each asset: rounded up, and at most what fits. */
function erc20LimitUnits({ amount, decimals }: { readonly amount: bigint; readonly decimals: number }): bigint {
  const one = 10n ** BigInt(decimals)
  const units = (amount * 100_000_000n + one - 1n) / one
  return units < maxUnits ? units : maxUnits
}

/** Null unless each import names its contracts and an address. */
function contractsOf(imports: TransactionSummary['imports']): readonly string[] | null {
  const found = imports.map(({ names, from }) => {
    const digits = /^0x([0-9a-f]{1,16})$/.exec(from ?? '')?.[1]
    return digits === undefined || names.length === 0
      ? undefined
      : names.map((name) => `A.${digits.padStart(16, '0')}.${name.split(' as ')[0] ?? ''}`)
  })
  return found.includes(undefined) ? null : found.flatMap((names) => names ?? [])
}
