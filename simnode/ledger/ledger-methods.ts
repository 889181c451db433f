import { writeBytesField, writeVarintField, beginMessage, endMessage, messageOf } from './encoding/protobuf.ts'
import { hashAlgorithms, signatureAlgorithms, accountOfAddress } from './world/account.ts'
import type { LedgerState } from './state/ledger-state.ts'
import type { Account } from './world/account.ts'
import { flow } from './world/tokens.ts'
import { servedHeight, Refusal, metadataField, blockOf } from '../node/node-view.ts'
import type { NodeView, UnaryMethod } from '../node/node-view.ts'
import { bytesField, bytesOf, numberOf, varintField, contentsOf } from '../node/wire.ts'
import type { LedgerChain } from './ledger-chain.ts'
import { executeScript } from './scripts/execute-script.ts'
import { LedgerScriptState } from './scripts/script-state.ts'

/** 1.0 in units of weights. */
const unit = 100_000_000n

function keyMessages({ accounts }: LedgerState, account: Account): Buffer[] {
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

function accountMessage(state: LedgerState, account: Account): Buffer {
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

type LedgerMethod = UnaryMethod<LedgerChain>

type LedgerAnswer = (state: LedgerState, account: Account, request: Buffer) => Buffer

function answer(view: NodeView<LedgerChain>, request: Buffer, height: number, respond: LedgerAnswer): Buffer {
  const state = view.chain.stateAt(servedHeight(view, height))
  const address = bytesOf(request, 1)
  const account = accountOfAddress(address)
  if (account === undefined || !state.accounts.exists(account)) {
    throw new Refusal('NOT_FOUND', `could not find account with address ${address.toString('hex')}`)
  }
  return Buffer.concat([respond(state, account, request), metadataField(view, 2)])
}

/** @param heightField of the request; none: at the head */
function method(respond: LedgerAnswer, heightField?: number): LedgerMethod {
  const heightOf = (view: NodeView, request: Buffer): number =>
    heightField === undefined ? view.head : numberOf(request, heightField)
  return {
    height: heightOf,
    answer: (view, request) => answer(view, request, heightOf(view, request), respond),
  }
}

const account: LedgerAnswer = (state, requested) => bytesField(1, accountMessage(state, requested))
const balance: LedgerAnswer = (state, requested) => varintField(1, Number(state.vaults.balance(flow, requested)))
const keys: LedgerAnswer = (state, requested) =>
  Buffer.concat(keyMessages(state, requested).map((message) => bytesField(1, message)))

const key =
  (indexField: number): LedgerAnswer =>
  (state, requested, request) => {
    const index = numberOf(request, indexField)
    const message = keyMessages(state, requested)[index]
    if (message === undefined) {
      throw new Refusal('NOT_FOUND', `failed to get account key with index ${index} for address ${requested.hex}`)
    }
    return bytesField(1, message)
  }

const accountMethods: Readonly<Record<string, LedgerMethod>> = {
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

/** `ExecuteScriptResponse` has the value in its first field. */
export const scriptMethods: Readonly<Record<string, LedgerMethod>> = {
  ExecuteScriptAtLatestBlock: {
    answer: (view, request) => run(view, view.head, bytesOf(request, 1), contentsOf(request, 2)),
  },
  ExecuteScriptAtBlockHeight: {
    height: (_view, request) => numberOf(request, 1),
    answer: (view, request) =>
      run(view, servedHeight(view, numberOf(request, 1)), bytesOf(request, 2), contentsOf(request, 3)),
  },
  ExecuteScriptAtBlockID: {
    answer: (view, request) =>
      run(view, blockOf(view, bytesOf(request, 1)).height, bytesOf(request, 2), contentsOf(request, 3)),
  },
}

function run({ chain }: NodeView<LedgerChain>, height: number, source: Buffer, args: readonly Buffer[]): Buffer {
  return bytesField(1, executeScript(new LedgerScriptState(chain, height), source, args))
}

const chainId = Buffer.from('flow-emulator')

function versionInfo(view: NodeView): Buffer {
  return bytesField(
    1,
    Buffer.concat([
      bytesField(1, Buffer.from('v0.0.0')),
      bytesField(3, Buffer.alloc(32)),
      varintField(5, view.sporkRootHeight),
      varintField(6, view.sporkRootHeight),
    ]),
  )
}

export const ledgerMethods: Readonly<Record<string, LedgerMethod>> = {
  GetNetworkParameters: { answer: () => bytesField(1, chainId) },
  GetNodeVersionInfo: { answer: versionInfo },
  ...accountMethods,
  ...scriptMethods,
}
