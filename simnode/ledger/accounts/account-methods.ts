import { servedHeight } from '../../node/node-view.ts'
import type { NodeView } from '../../node/node-view.ts'
import { Refusal } from '../../node/refusal.ts'
import { metadataField } from '../../node/unary-method.ts'
import type { UnaryMethod } from '../../node/unary-method.ts'
import { bytesField, bytesOf, numberOf, varintField } from '../../node/wire.ts'
import type { LedgerChain } from '../ledger-chain.ts'
import type { LedgerState } from '../state/ledger-state.ts'
import { accountOfAddress } from '../world/account.ts'
import type { Account } from '../world/account.ts'
import { flow } from '../world/tokens.ts'
import { accountMessage, keyMessages } from './account-message.ts'

type LedgerMethod = UnaryMethod<LedgerChain>

/** What a call tells of an account, without metadata. */
type Telling = (state: LedgerState, account: Account, request: Buffer) => Buffer

function answer(view: NodeView<LedgerChain>, request: Buffer, height: number, tell: Telling): Buffer {
  const state = view.chain.stateAt(servedHeight(view, height))
  const address = bytesOf(request, 1)
  const account = accountOfAddress(address)
  if (account === undefined || !state.accounts.exists(account)) {
    throw new Refusal('NOT_FOUND', `could not find account with address ${address.toString('hex')}`)
  }
  return Buffer.concat([tell(state, account, request), metadataField(view, 2)])
}

/** @param heightField number of the field `block_height` in the call's request; none: the call is about the head */
function method(tell: Telling, heightField?: number): LedgerMethod {
  const heightOf = (view: NodeView, request: Buffer): number =>
    heightField === undefined ? view.head : numberOf(request, heightField)
  return {
    height: heightOf,
    answer: (view, request) => answer(view, request, heightOf(view, request), tell),
  }
}

const account: Telling = (state, asked) => bytesField(1, accountMessage(state, asked))
const balance: Telling = (state, asked) => varintField(1, Number(state.vaults.balance(flow, asked)))
const keys: Telling = (state, asked) =>
  Buffer.concat(keyMessages(state, asked).map((message) => bytesField(1, message)))

const key =
  (indexField: number): Telling =>
  (state, asked, request) => {
    const index = numberOf(request, indexField)
    const message = keyMessages(state, asked)[index]
    if (message === undefined) {
      throw new Refusal('NOT_FOUND', `failed to get account key with index ${index} for address ${asked.hex}`)
    }
    return bytesField(1, message)
  }

/** The calls about accounts, at the head and at any height that the node serves. */
export const accountMethods: Readonly<Record<string, LedgerMethod>> = {
  GetAccount: method(account),
  GetAccountAtLatestBlock: method(account),
  GetAccountAtBlockHeight: method(account, 2),
  GetAccountBalanceAtLatestBlock: method(balance),
  GetAccountBalanceAtBlockHeight: method(balance, 2),
  GetAccountKeysAtLatestBlock: method(keys),
  GetAccountKeysAtBlockHeight: method(keys, 2),
  GetAccountKeyAtLatestBlock: method(key(2)),
  GetAccountKeyAtBlockHeight: method(key(3), 2),
}
