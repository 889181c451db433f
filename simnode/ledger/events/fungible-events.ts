import type { DraftEvent } from '../draft.ts'
import { eventShape, optional } from '../encoding/cadence-type.ts'
import type { Account } from '../world/account.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import type { Token } from '../world/tokens.ts'

const standard = `A.${systemAccounts.fungibleToken.hex}.FungibleToken`
const own = `A.${systemAccounts.flowToken.hex}.FlowToken`

const shapes = {
  withdrawn: eventShape(`${standard}.Withdrawn`, {
    type: 'String',
    amount: 'UFix64',
    from: optional('Address'),
    fromUUID: 'UInt64',
    withdrawnUUID: 'UInt64',
    balanceAfter: 'UFix64',
  }),
  deposited: eventShape(`${standard}.Deposited`, {
    type: 'String',
    amount: 'UFix64',
    to: optional('Address'),
    toUUID: 'UInt64',
    depositedUUID: 'UInt64',
    balanceAfter: 'UFix64',
  }),
  flowWithdrawn: eventShape(`${own}.TokensWithdrawn`, { amount: 'UFix64', from: optional('Address') }),
  flowDeposited: eventShape(`${own}.TokensDeposited`, { amount: 'UFix64', to: optional('Address') }),
  flowMinted: eventShape(`${own}.TokensMinted`, { amount: 'UFix64' }),
} as const

/** Tokens that go out of a vault, or into one. Amounts are in units of 10^-8. */
export interface VaultMove {
  readonly token: Token
  readonly amount: bigint
  /** In whose account the vault is; undefined where it is in none. */
  readonly account: Account | undefined
  readonly vaultUuid: number
  /** The vault in which the tokens travel. */
  readonly movedUuid: number
  readonly balanceAfter: bigint
}

/** The events of a withdrawal, in their order. FLOW has one of its own too, but for vaults of the service account. */
export function withdrawn(move: VaultMove): DraftEvent[] {
  const { token, amount, account, vaultUuid, movedUuid, balanceAfter } = move
  const address = account?.address ?? null
  const told = {
    shape: shapes.withdrawn,
    values: [token.vaultType, amount, address, vaultUuid, movedUuid, balanceAfter],
  }
  return tellsItself(move) ? [{ shape: shapes.flowWithdrawn, values: [amount, address] }, told] : [told]
}

/** The events of a deposit, in their order. */
export function deposited(move: VaultMove): DraftEvent[] {
  const { token, amount, account, vaultUuid, movedUuid, balanceAfter } = move
  const address = account?.address ?? null
  const told = {
    shape: shapes.deposited,
    values: [token.vaultType, amount, address, vaultUuid, movedUuid, balanceAfter],
  }
  return tellsItself(move) ? [{ shape: shapes.flowDeposited, values: [amount, address] }, told] : [told]
}

/** The event of new FLOW. */
export function flowMinted(amount: bigint): DraftEvent {
  return { shape: shapes.flowMinted, values: [amount] }
}

function tellsItself({ token, account }: VaultMove): boolean {
  return token === flow && account !== systemAccounts.service
}
