import type { KnownTransaction } from '../../../clients/signing/transactions/known-transaction.ts'
import { erc20Amount, plainAmount, plainUnits } from './amounts.ts'

export interface BalanceChange {
  readonly direction: 'out' | 'in'
  readonly text: string
}

/** By the arguments of the wallet's own scripts. Empty: nothing but the fee. */
export function balanceChanges(known: KnownTransaction): readonly BalanceChange[] {
  switch (known.name) {
    case 'send-flow':
      return [{ direction: 'out', text: `${plainUnits(known.amount)} FLOW` }]
    case 'create-account':
      return [{ direction: 'out', text: `${plainUnits(known.startBalance + minimumUnits)} FLOW` }]
    case 'send-token':
      return [{ direction: 'out', text: `${plainUnits(known.amount)} ${contractName(known.type)}` }]
    case 'send-nft':
      return [{ direction: 'out', text: `${contractName(known.type)} #${known.id}` }]
    case 'fund-evm-account':
      return [
        { direction: 'out', text: `${plainUnits(known.amount)} FLOW` },
        { direction: 'in', text: `${plainUnits(known.amount)} FLOW on EVM` },
      ]
    case 'withdraw-evm-account':
      return [
        { direction: 'out', text: `${plainUnits(known.amount)} FLOW on EVM` },
        { direction: 'in', text: `${plainUnits(known.amount)} FLOW` },
      ]
    case 'send-flow-to-evm':
      return [{ direction: 'out', text: `${plainUnits(known.amount)} FLOW` }]
    case 'send-erc20':
      return [
        {
          direction: 'out',
          text: `${plainAmount(erc20Amount(known.amount, known.decimals))} of the ERC-20 token ${known.token}`,
        },
      ]
    case 'add-key':
    case 'revoke-key':
    case 'add-contract':
    case 'update-contract':
    case 'enable-token':
    case 'enable-collection':
    case 'create-evm-account':
  }
  return []
}

/** The chain's minimum balance of an account, in 10^-8 FLOW. */
export const minimumUnits = 100_000n

/** `A.1654653399040a61.FlowToken.Vault` → `FlowToken`. */
export function contractName(type: string): string {
  return type.split('.')[2] ?? type
}
