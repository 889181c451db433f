import type { Moment } from '../state/ledger-state.ts'
import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import { lazy, erc1155BatchTransfer, erc20Transfer, erc721Transfer } from '../evm/evm-encoding.ts'
import {
  nativeAccounts,
  evmChainId,
  evmAddressLength,
  coas,
  contractMaker,
  erc20Contracts,
  evmContracts,
  evmUsers,
  firstOwner,
  genesisHoldings,
  itemKinds,
  pictureCount,
} from '../evm/evm-world.ts'
import { transactionExecuted, blockExecuted } from '../evm/evm-events.ts'
import type { ExecutedTransaction } from '../evm/evm-events.ts'
import { directCallPayload, directCallType, signedPayload } from '../evm/evm-payload.ts'
import type { DirectCall } from '../evm/evm-payload.ts'
import type { LogParts, EvmBlock } from '../evm/evm-block.ts'
import { relayerOf, signedTurnsOf, signerOf, hashBefore } from '../evm/evm-turns.ts'
import type { Direction, SignedKind } from '../evm/evm-turns.ts'
import { activity } from './activity.ts'
import type { Activity, Turn, SystemWork } from './activity.ts'
import type { EvmUser } from '../evm/evm-world.ts'
import { placeInCycle, cycleLength, cycleOf } from '../world/cycle.ts'
import { closeEvmBlock } from '../evm/evm-block.ts'

const imports = `import EVM from 0xf8d6e0586b0a20c7
import FlowToken from 0x0ae53cb6e3f42a79
import FungibleToken from 0xee82856bf20e2aa6
`

/** The transactions with which people act in the EVM. */
export const evmScripts = {
  /** Relays a transaction that was signed for the EVM, in hex digits; what it pays for gas goes to an account there. */
  run: Buffer.from(`import EVM from 0xf8d6e0586b0a20c7

transaction(signed: String, feesTo: String) {
    execute {
        let result = EVM.run(tx: signed.decodeHex(), coinbase: EVM.addressFromString(feesTo))
        assert(
            result.status == EVM.Status.successful || result.status == EVM.Status.failed,
            message: result.errorMessage
        )
    }
}
`),
  deposit: Buffer.from(`${imports}
transaction(amount: UFix64, to: String) {
    let sent: @FlowToken.Vault

    prepare(signer: auth(BorrowValue) &Account) {
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")
        self.sent <- vault.withdraw(amount: amount) as! @FlowToken.Vault
    }

    execute {
        EVM.addressFromString(to).deposit(from: <-self.sent)
    }
}
`),
  withdraw: Buffer.from(`${imports}
transaction(amount: UFix64, to: Address) {
    let taken: @FlowToken.Vault

    prepare(signer: auth(BorrowValue) &Account) {
        let owned = signer.storage.borrow<auth(EVM.Withdraw) &EVM.CadenceOwnedAccount>(from: /storage/evm)
            ?? panic("The signer owns no account in the EVM")
        let balance = EVM.Balance(attoflow: 0)
        balance.setFLOW(flow: amount)
        self.taken <- owned.withdraw(balance: balance)
    }

    execute {
        let receiver = getAccount(to).capabilities.borrow<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)
            ?? panic("The recipient cannot receive FLOW")
        receiver.deposit(from: <-self.taken)
    }
}
`),
  call: Buffer.from(`import EVM from 0xf8d6e0586b0a20c7

transaction(contract: String, input: String, gasLimit: UInt64) {
    prepare(signer: auth(BorrowValue) &Account) {
        let owned = signer.storage.borrow<auth(EVM.Call) &EVM.CadenceOwnedAccount>(from: /storage/evm)
            ?? panic("The signer owns no account in the EVM")
        let result = owned.call(
            to: EVM.addressFromString(contract),
            data: input.decodeHex(),
            gasLimit: gasLimit,
            value: EVM.Balance(attoflow: 0)
        )
        assert(result.status == EVM.Status.successful, message: result.errorMessage)
    }
}
`),
  create: Buffer.from(`import EVM from 0xf8d6e0586b0a20c7

transaction(path: StoragePath) {
    prepare(signer: auth(SaveValue, IssueStorageCapabilityController) &Account) {
        signer.storage.save(<-EVM.createCadenceOwnedAccount(), to: path)
        signer.capabilities.storage.issue<&EVM.CadenceOwnedAccount>(path)
    }
}
`),
} as const

/** What comes of a run beside its gas. */
export interface Outcome {
  readonly logs?: readonly LogParts[]
  readonly returnedData?: Buffer
  readonly contractAddress?: Buffer
  readonly error?: { readonly code: number; readonly message: string }
}

export interface SignedCall extends Outcome {
  readonly to: Buffer
  readonly value?: bigint
  readonly input?: Buffer
}

const noBytes = Buffer.alloc(0)
/** Of a transfer to an account with code, which the code's own part is added to. */
const transferGas = 21_055
const transferGasLimit = 23_300

/**
 * Runs a transaction that the user signs whose turn it is, as `EVM.run` does: pays for the gas, and hands that on to
 * who relayed it. What the call moves itself is the caller's to do.
 * @returns the transaction's bytes, which are made when they are needed
 */
export function runSigned(
  moment: Moment,
  kind: SignedKind,
  direction: Direction,
  ordinal: number,
  call: SignedCall,
  events: DraftEvent[],
): () => Buffer {
  const { evm } = moment.state
  const { gasUsed, gasLimit, gasPrice } = signedTurnsOf[kind]
  const signer = signerOf(kind, direction, ordinal)
  const relayer = relayerOf(kind, ordinal)
  const type = ([0, 2, 2, 1] as const)[ordinal % 4] as 0 | 1 | 2
  const nonce = evm.takeNonce(signer.address.toString('hex'))
  const payload = lazy(() =>
    signedPayload(
      {
        type,
        chainId: evmChainId,
        nonce,
        gasPrice,
        gasLimit,
        to: call.to,
        value: call.value ?? 0n,
        input: call.input ?? noBytes,
      },
      signer.privateKey,
    ),
  )
  const fee = BigInt(gasUsed) * gasPrice
  evm.addBalance(signer.address.toString('hex'), -fee)
  evm.addBalance(relayer.address.toString('hex'), fee)
  events.push(executed(moment, { ...outcomeOf(call), type, payload, gasUsed }))
  events.push(
    runDirect(
      moment,
      {
        kind: 'transfer',
        from: nativeAccounts.coinbase,
        to: relayer.address,
        input: noBytes,
        value: fee,
        gasLimit: transferGasLimit,
      },
      transferGas,
    ),
  )
  return () => payload().bytes
}

/** Runs a call that Cadence makes. What it moves is the caller's to do. */
export function runDirect(
  moment: Moment,
  call: Omit<DirectCall, 'nonce'>,
  gasUsed: number,
  outcome: Outcome = {},
): DraftEvent {
  const nonce = moment.state.evm.takeNonce(call.from.toString('hex'))
  const payload = lazy(() => directCallPayload({ ...call, nonce }))
  return executed(moment, { ...outcomeOf(outcome), type: directCallType, payload, gasUsed })
}

function outcomeOf({
  logs,
  returnedData,
  contractAddress,
  error,
}: Outcome): Outcome & Pick<ExecutedTransaction, 'logs' | 'returnedData'> {
  return {
    logs: logs ?? [],
    returnedData: returnedData ?? noBytes,
    ...(contractAddress === undefined ? {} : { contractAddress }),
    ...(error === undefined ? {} : { error }),
  }
}

/** Adds a transaction to the EVM's block, and tells it. */
function executed({ state, height }: Moment, transaction: ExecutedTransaction): DraftEvent {
  const { type, payload, gasUsed, logs, error } = transaction
  const index = state.evm.transactions.length
  state.evm.transactions.push({ type, hash: () => payload().hash, succeeded: error === undefined, gasUsed, logs })
  return transactionExecuted(transaction, index, height)
}

/** Who signs the turn, and who signs what gives it back. */
export interface Signers {
  readonly first: EvmUser
  readonly second: EvmUser
}

/** An activity whose turns are transactions that people sign for the EVM. */
export interface SignedActivity<Memo> {
  readonly name: string
  readonly kind: SignedKind
  readonly perCycle: number
  /** Draws what is done. */
  readonly draw: (turn: Turn, signers: Signers) => Memo
  /** Does it to the state, or gives it back. @returns the call that does it */
  readonly call: (turn: Turn, memo: Memo, direction: Direction, signers: Signers) => SignedCall
}

/** The activity of turns that are given back by those whom they were for. */
export function signedActivity<Memo>({ name, kind, perCycle, draw, call }: SignedActivity<Memo>): Activity {
  const signersOf = ({ ordinal }: Turn): Signers => ({
    first: signerOf(kind, 'there', ordinal),
    second: signerOf(kind, 'back', ordinal),
  })
  const run = (turn: Turn, memo: Memo, direction: Direction): DraftTransaction =>
    relayed(turn, kind, direction, call(turn, memo, direction, signersOf(turn)))
  return activity<Memo>({
    name,
    perCycle,
    act(turn) {
      const memo = draw(turn, signersOf(turn))
      return { transaction: run(turn, memo, 'there'), memo }
    },
    giveBack: (turn, memo) => run(turn, memo, 'back'),
  })
}

/** The transaction with which somebody relays what the user signed whose turn it is. */
export function relayed(turn: Turn, kind: SignedKind, direction: Direction, call: SignedCall): DraftTransaction {
  const events: DraftEvent[] = []
  const signed = runSigned(turn, kind, direction, turn.ordinal, call, events)
  return {
    script: evmScripts.run,
    arguments: [
      {
        type: 'String',
        get value() {
          return signed().toString('hex')
        },
      },
      { type: 'String', value: relayerOf(kind, turn.ordinal).address.toString('hex') },
    ],
    authorizers: [turn.payer],
    gasLimit: 9999,
    computation: 60 + turn.random.below(20),
    events,
  }
}

const nobody = Buffer.alloc(evmAddressLength)
/** Stands for the code of contracts, which nothing runs. */
const code = Buffer.from('608060405234801561001057600080fd5b5060be8061001f6000396000f3fe', 'hex')
const gasPerContract = 700_000
const gasPerLog = 48_000

/** Makes the contracts, which tell in logs what everybody has at first. Belongs into the first block. */
export function makeContracts(moment: Moment): DraftEvent[] {
  return Object.values(evmContracts).map((contract) => {
    const logs = firstLogs(contract)
    const gasUsed = gasPerContract + gasPerLog * logs.length
    const call = {
      kind: 'deploy',
      from: contractMaker,
      to: undefined,
      input: code,
      value: 0n,
      gasLimit: gasUsed,
    } as const
    return runDirect(moment, call, gasUsed, { logs, contractAddress: contract, returnedData: code })
  })
}

function firstLogs(contract: Buffer): LogParts[] {
  if (erc20Contracts.includes(contract)) {
    return [...evmUsers, ...coas].map(({ address }) => {
      return erc20Transfer(contract, nobody, address, genesisHoldings.erc20)
    })
  }
  if (contract === evmContracts.pictures) {
    return Array.from({ length: pictureCount }, (_, index) => {
      return erc721Transfer(contract, nobody, firstOwner(index + 1), index + 1)
    })
  }
  const amounts = Array.from({ length: itemKinds }, (_, index) => [index + 1, genesisHoldings.items] as const)
  return evmUsers.map(({ address }) => erc1155BatchTransfer(contract, contractMaker, nobody, address, amounts))
}

/** The first block that anything runs in. */
const firstHeight = 1

/** Closes the EVM's block with each block of the chain, also where nothing was run. */
export const evmBlocks: SystemWork = {
  name: 'evm-blocks',
  chunk(moment) {
    const {
      state: { evm },
      height,
      timeMs,
      random,
    } = moment
    const first = height === firstHeight ? makeContracts(moment) : []
    const { lastHash, totalSupply, transactions } = evm
    const prevrandao = random.bytes(32)
    const isLastOfCycle = placeInCycle(height) === cycleLength - 1
    const block = lazy((): EvmBlock => {
      const closed = closeEvmBlock({
        parentHash: lastHash(),
        height,
        timestamp: Math.floor(timeMs / 1000),
        totalSupply,
        prevrandao,
        transactions,
      })
      return isLastOfCycle ? { ...closed, hash: hashBefore(cycleOf(height) + 1) } : closed
    })
    evm.lastHash = () => block().hash
    evm.transactions = []
    return [...first, blockExecuted(block)]
  },
}
