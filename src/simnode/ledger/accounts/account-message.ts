import { writeBytesField, writeVarintField, beginMessage, endMessage } from '../encoding/protobuf.ts'
import { messageOf } from '../encoding/message-batch.ts'
import { publicKey } from '../state/accounts.ts'
import type { LedgerState } from '../state/ledger-state.ts'
import type { Account } from '../world/account.ts'
import { flow } from '../world/tokens.ts'

/** ECDSA_P256 and SHA3_256, as the access API numbers them. */
const algorithms = { signature: 2, hash: 3 } as const
const fullWeight = 1000

/** `entities.AccountKey` messages, in the order of their indexes. */
export function keyMessages({ accounts }: LedgerState, account: Account): Buffer[] {
  return Array.from({ length: accounts.keyCount(account) }, (_, index) => messageOf((out) => {
    writeVarintField(out, 1, index)
    writeBytesField(out, 2, publicKey(account, index))
    writeVarintField(out, 3, algorithms.signature)
    writeVarintField(out, 4, algorithms.hash)
    writeVarintField(out, 5, fullWeight)
    writeVarintField(out, 6, index === 0 ? accounts.sequenceNumber(account) : 0)
    writeVarintField(out, 7, accounts.isRevoked(account, index) ? 1 : 0)
  }))
}

/** `entities.Account` */
export function accountMessage(state: LedgerState, account: Account): Buffer {
  const keys = keyMessages(state, account)
  return messageOf((out) => {
    writeBytesField(out, 1, account.address)
    writeVarintField(out, 2, Number(state.vaults.balance(flow, account)))
    for (const key of keys) writeBytesField(out, 4, key)
    for (const { name, code } of state.contracts.of(account)) {
      const start = beginMessage(out, 5)
      writeBytesField(out, 1, Buffer.from(name))
      writeBytesField(out, 2, code)
      endMessage(out, start)
    }
  })
}
