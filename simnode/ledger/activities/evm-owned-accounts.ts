import { activity, ownFlowVault } from './activity.ts'
import type { Turn } from './activity.ts'
import { argument } from '../events/draft.ts'
import type { DraftEvent, DraftTransaction } from '../events/draft.ts'
import { coaCode, nativeAccounts, evmContracts, coaAddress } from '../evm/evm-world.ts'
import { evmEvents } from '../evm/evm-events.ts'
import { runDirect, relayed } from './evm-run.ts'
import { coaOf, signerOf } from '../evm/evm-turns.ts'
import { deposit, withdraw } from '../state/token-moves.ts'
import type { Account } from '../world/account.ts'
import { drawAmount } from '../world/users.ts'
import { flow } from '../world/tokens.ts'
import { abiWord, callInput, erc20Transfer } from '../evm/evm-encoding.ts'
import { arrayOf, compositeType } from '../encoding/cadence.ts'
import { controllerIssued } from '../events/account-events.ts'

const imports = `import EVM from 0xf8d6e0586b0a20c7
import FlowToken from 0x0ae53cb6e3f42a79
import FungibleToken from 0xee82856bf20e2aa6
`

const depositScript = Buffer.from(`${imports}
transaction(amount: UFix64, to: String) {
    let sent: @FlowToken.Vault

    prepare(signer: auth(BorrowValue) &Account) {
        ${ownFlowVault}
        self.sent <- vault.withdraw(amount: amount) as! @FlowToken.Vault
    }

    execute {
        EVM.addressFromString(to).deposit(from: <-self.sent)
    }
}
`)

const withdrawScript = Buffer.from(`${imports}
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
`)

interface Deposited {
  readonly from: Account
  /** In units of 10^-8. */
  readonly amount: bigint
}

/** In whole FLOW. */
const maxFlow = 200
const attoPerUnit = 10n ** 10n
const gasUsed = { deposit: 21_055, withdraw: 21_000 } as const
const gasLimit = 23_300
const noBytes = Buffer.alloc(0)

function into(turn: Turn, { from, amount }: Deposited): DraftTransaction {
  const { evm } = turn.state
  const coa = coaOf('deposit', turn.ordinal).address
  const coaHex = coa.toString('hex')
  const value = amount * attoPerUnit
  const events: DraftEvent[] = []
  const movedUuid = withdraw(turn, flow, from, amount, events)
  const call = { kind: 'deposit', from: nativeAccounts.bridge, to: coa, input: noBytes, value, gasLimit } as const
  events.push(runDirect(turn, call, gasUsed.deposit))
  evm.totalSupply += value
  events.push({
    shape: evmEvents.flowTokensDeposited,
    values: [coaHex, amount, movedUuid, evm.addBalance(coaHex, value)],
  })
  return {
    script: depositScript,
    arguments: [argument.ufix64(amount), argument.string(coaHex)],
    authorizers: [from],
    gasLimit: 9999,
    computation: 40 + turn.random.below(10),
    events,
  }
}

function outOf(turn: Turn, { from, amount }: Deposited): DraftTransaction {
  const { evm } = turn.state
  const { address, owner } = coaOf('deposit', turn.ordinal)
  const coaHex = address.toString('hex')
  const value = amount * attoPerUnit
  const call = { kind: 'withdraw', from: address, to: nativeAccounts.bridge, input: noBytes, value, gasLimit } as const
  const events = [runDirect(turn, call, gasUsed.withdraw)]
  evm.totalSupply -= value
  const movedUuid = turn.newUuid()
  events.push({
    shape: evmEvents.flowTokensWithdrawn,
    values: [coaHex, amount, movedUuid, evm.addBalance(coaHex, -value)],
  })
  deposit(turn, flow, from, amount, movedUuid, events)
  return {
    script: withdrawScript,
    arguments: [argument.ufix64(amount), argument.address(from)],
    authorizers: [owner],
    gasLimit: 9999,
    computation: 40 + turn.random.below(10),
    events,
  }
}

export const evmDeposit = activity<Deposited>({
  name: 'evm-deposit',
  perCycle: 10,
  act(turn) {
    const memo = { from: turn.payer, amount: drawAmount(turn.random, maxFlow) }
    return { transaction: into(turn, memo), memo }
  },
  undo: outOf,
})

const callScript = Buffer.from(`import EVM from 0xf8d6e0586b0a20c7

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
`)

interface Sent {
  readonly amount: bigint
}

const contract = evmContracts.wrappedCoin
const contractHex = contract.toString('hex')
const callGas = 29_715
const callGasLimit = 60_000

function send(turn: Turn, { amount }: Sent): DraftTransaction {
  const { address: from, owner } = coaOf('call', turn.ordinal)
  const to = signerOf('coaCall', 'back', turn.ordinal).address
  const input = callInput('transfer(address,uint256)', to, amount)
  turn.state.evm.moveTokens(contractHex, from.toString('hex'), to.toString('hex'), amount)
  const call = { kind: 'call', from, to: contract, input, value: 0n, gasLimit: callGasLimit } as const
  const outcome = { logs: [erc20Transfer(contract, from, to, amount)], returnedData: abiWord(1) }
  return {
    script: callScript,
    arguments: [argument.string(contractHex), argument.string(input.toString('hex')), argument.uint64(callGasLimit)],
    authorizers: [owner],
    gasLimit: 9999,
    computation: 50 + turn.random.below(10),
    events: [runDirect(turn, call, callGas, outcome)],
  }
}

function sendBack(turn: Turn, { amount }: Sent): DraftTransaction {
  const from = signerOf('coaCall', 'back', turn.ordinal).address
  const to = coaOf('call', turn.ordinal).address
  turn.state.evm.moveTokens(contractHex, from.toString('hex'), to.toString('hex'), amount)
  return relayed(turn, 'coaCall', 'back', {
    to: contract,
    input: callInput('transfer(address,uint256)', to, amount),
    logs: [erc20Transfer(contract, from, to, amount)],
    returnedData: abiWord(1),
  })
}

export const coaCall = activity<Sent>({
  name: 'coa-call',
  perCycle: 10,
  act(turn) {
    const memo = { amount: BigInt(turn.random.between(1, 4_000_000_000)) }
    return { transaction: send(turn, memo), memo }
  },
  undo: sendBack,
})

const ownedAccount = compositeType('resource', 'A.f8d6e0586b0a20c7.EVM.CadenceOwnedAccount', {
  uuid: 'UInt64',
  addressBytes: arrayOf('UInt8', 20),
})
const reference = { kind: 'reference', authorization: { kind: 'none' }, referenced: ownedAccount } as const
/** Above the controller ids of any account. */
const firstControllerId = 64
const creationGas = 702_600
const creationGasLimit = 723_000

const createScript = Buffer.from(`import EVM from 0xf8d6e0586b0a20c7

transaction(path: StoragePath) {
    prepare(signer: auth(SaveValue, IssueStorageCapabilityController) &Account) {
        signer.storage.save(<-EVM.createCadenceOwnedAccount(), to: path)
        signer.capabilities.storage.issue<&EVM.CadenceOwnedAccount>(path)
    }
}
`)

export const coaCreation = activity({
  name: 'coa-creation',
  perCycle: 2,
  act(turn) {
    const uuid = turn.newUuid()
    const address = coaAddress(uuid)
    const path = `/storage/evm_${turn.ordinal}`
    const { coaFactory: from } = nativeAccounts
    const call = { kind: 'deploy', from, to: address, input: coaCode, value: 0n, gasLimit: creationGasLimit } as const
    return {
      memo: undefined,
      transaction: {
        script: createScript,
        arguments: [{ type: 'StoragePath', value: path }],
        authorizers: [turn.payer],
        gasLimit: 9999,
        computation: 90 + turn.random.below(10),
        events: [
          runDirect(turn, call, creationGas, { contractAddress: address }),
          { shape: evmEvents.cadenceOwnedAccountCreated, values: [address.toString('hex'), uuid] },
          controllerIssued(firstControllerId + turn.ordinal, turn.payer, reference, path),
        ],
      },
    }
  },
})
