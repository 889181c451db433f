import { writeBytesField, writeVarintField, beginMessage, endMessage } from '../encoding/protobuf.ts'
import { messageOf } from '../encoding/message-batch.ts'
import { hashAlgorithms, signatureAlgorithms } from '../state/account-key.ts'
import type { LedgerState } from '../state/ledger-state.ts'
import type { Account } from '../world/account.ts'
import { flow } from '../world/tokens.ts'

/** A whole one in the units of weights. */
const unit = 100_000_000n

/** `entities.AccountKey` messages, in the order of their indexes. */
export function keyMessages({ accounts }: LedgerState, account: Account): Buffer[] {
  return accounts.keys(account).map((key, index) =>
    messageOf((out) => {
      writeVarintField(out, 1, index)
      writeBytesField(out, 2, key.publicKey)
      writeVarintField(out, 3, signatureAlgorithms[key.signatureAlgorithm].api)
      writeVarintField(out, 4, hashAlgorithms[key.hashAlgorithm].api)
      writeVarintField(out, 5, Number(key.weight / unit))
      writeVarintField(out, 6, key.sequenceNumber)
      writeVarintField(out, 7, key.isRevoked ? 1 : 0)
    }),
  )
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
