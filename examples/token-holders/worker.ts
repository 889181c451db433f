import { defineWorker } from 'flowfarm/worker'
import type { Events } from './events.gen.ts'

/** The token to index. */
const vault = 'A.0ae53cb6e3f42a79.FlowToken.Vault'

export default defineWorker<Events>()({
  // Transfers of all tokens. On mainnet: A.f233dcee88fe0abe.FungibleToken.
  contract: 'A.ee82856bf20e2aa6.FungibleToken',
  version: 1,
  description: 'Holders of FLOW by day',
  events: ['Withdrawn', 'Deposited'],
  tables: {
    changes: {
      comment: 'Change of a balance by each deposit and withdrawal',
      columns: {
        day: { type: 'date', index: true, comment: 'UTC' },
        owner: { type: 'text', index: true, comment: 'Account of the vault' },
        amount: { type: 'numeric', comment: 'Negative for withdrawals' },
      },
    },
  },
  folds: {
    holders: {
      kind: 'sum',
      of: 'changes',
      key: ['owner'],
      count: 'changes',
      sums: { balance: 'amount' },
      comment: 'Balance of each account, from its transfers',
    },
    holder_days: {
      kind: 'sum',
      of: 'changes',
      key: ['owner', 'day'],
      count: 'changes',
      sums: { net: 'amount' },
      comment: 'Transfers and net change of each account by day',
    },
    days: {
      kind: 'sum',
      of: 'changes',
      key: ['day'],
      count: 'changes',
      comment: 'Transfers by day',
    },
  },
  derive(event, write) {
    if (event.fields.type !== vault) return
    const owner = event.name === 'Deposited' ? event.fields.to : event.fields.from
    // Vaults in transit have no owner.
    if (owner === null) return
    const { amount } = event.fields
    write.changes({ day: event.timestamp, owner, amount: event.name === 'Deposited' ? amount : `-${amount}` })
  },
})
