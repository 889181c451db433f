import { defineWorker } from 'flowfarm/worker'
import type { Events } from './events.gen.ts'

/** The token to index. */
const vaultType = 'A.0ae53cb6e3f42a79.FlowToken.Vault'

export default defineWorker<Events>()({
  // Transfers of all tokens. On mainnet: A.f233dcee88fe0abe.FungibleToken.
  contract: 'A.ee82856bf20e2aa6.FungibleToken',
  version: 1,
  description: 'Holders of FLOW by day',
  events: ['Withdrawn', 'Deposited'],
  tables: {
    changes: {
      comment: 'Balances after each deposit and withdrawal',
      columns: {
        day: { type: 'date', index: true, comment: 'UTC' },
        vault: { type: 'numeric', comment: 'uuid of the vault' },
        owner: { type: 'text', index: true, comment: 'Account of the vault' },
        balance: { type: 'numeric', index: true, comment: 'Balance of the vault after the transfer' },
      },
    },
  },
  folds: {
    balances: {
      kind: 'latest',
      of: 'changes',
      key: ['vault'],
      columns: ['owner', 'balance', 'block_timestamp'],
      comment: 'Current balance of each vault',
    },
    balance_days: {
      kind: 'latest',
      of: 'changes',
      key: ['vault', 'day'],
      columns: ['owner', 'balance'],
      comment: 'Balance of each vault at the end of each day on which it changed',
    },
  },
  derive(event, write) {
    const { type, balanceAfter } = event.fields
    if (type !== vaultType) return
    const [owner, vault] =
      event.name === 'Deposited' ? [event.fields.to, event.fields.toUUID] : [event.fields.from, event.fields.fromUUID]
    // Vaults in transit have no owner.
    if (owner !== null) write.changes({ day: event.timestamp, vault, owner, balance: balanceAfter })
  },
})
