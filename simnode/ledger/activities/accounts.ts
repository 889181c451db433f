import { activity } from './activity.ts'
import { argument } from '../events/draft.ts'
import type { DraftArgument, DraftEvent, DraftTransaction } from '../events/draft.ts'
import { cadenceAlgorithms, keyAdded, keyRemoved, contractEvent } from '../events/account-events.ts'
import { endowment, setUpAccount } from '../state/token-moves.ts'
import { inventedKey, fullWeight } from '../world/account.ts'
import { createdOrdinal, userOfTurn } from '../world/users.ts'
import { flow, systemAccounts } from '../world/tokens.ts'
import type { Account, NewAccountKey } from '../world/account.ts'
import { deployer, passing } from '../world/deployed-contracts.ts'
import type { ContractCode } from '../world/deployed-contracts.ts'

const createScript = Buffer.from(`transaction(key: [UInt8], signatureAlgorithm: UInt8, hashAlgorithm: UInt8) {
    prepare(service: auth(BorrowValue) &Account) {
        let account = Account(payer: service)
        account.keys.add(
            publicKey: PublicKey(publicKey: key, signatureAlgorithm: SignatureAlgorithm(rawValue: signatureAlgorithm)!),
            hashAlgorithm: HashAlgorithm(rawValue: hashAlgorithm)!,
            weight: 1000.0
        )
    }
}
`)

function keyArguments(key: NewAccountKey): readonly DraftArgument[] {
  const { signature, hash } = cadenceAlgorithms(key)
  return [argument.bytes(key.publicKey), argument.uint8(signature), argument.uint8(hash)]
}

export const accountCreation = activity({
  name: 'account-creation',
  perCycle: 8,
  act(turn) {
    const { state, random } = turn
    const account = state.accounts.create()
    const events: DraftEvent[] = []
    const key = inventedKey(account, 0)
    setUpAccount(turn, systemAccounts.service, account, events)
    events.push(keyAdded(account, 0, key))
    return {
      transaction: {
        script: createScript,
        arguments: keyArguments(key),
        authorizers: [systemAccounts.service],
        gasLimit: 9999,
        computation: 45 + random.below(10),
        events,
      },
      memo: undefined,
    }
  },
  lasting(token, account, turns) {
    if (token !== flow) return 0n
    if (account.index === systemAccounts.service.index) return -BigInt(turns) * endowment
    const ordinal = createdOrdinal(account)
    return ordinal !== undefined && ordinal < turns ? endowment : 0n
  },
})

const addKeyScript =
  Buffer.from(`transaction(key: [UInt8], signatureAlgorithm: UInt8, hashAlgorithm: UInt8, weight: UFix64) {
    prepare(signer: auth(AddKey) &Account) {
        signer.keys.add(
            publicKey: PublicKey(publicKey: key, signatureAlgorithm: SignatureAlgorithm(rawValue: signatureAlgorithm)!),
            hashAlgorithm: HashAlgorithm(rawValue: hashAlgorithm)!,
            weight: weight
        )
    }
}
`)
const revokeKeyScript = Buffer.from(`transaction(index: Int) {
    prepare(signer: auth(RevokeKey) &Account) {
        signer.keys.revoke(keyIndex: index) ?? panic("No such key")
    }
}
`)

export const keyChange = activity<{ readonly account: Account; readonly keyIndex: number }>({
  name: 'key-change',
  perCycle: 4,
  act({ state, random, ordinal }) {
    const account = userOfTurn(ordinal)
    const keyIndex = state.accounts.addKey(account)
    const key = inventedKey(account, keyIndex)
    return {
      transaction: {
        script: addKeyScript,
        arguments: [...keyArguments(key), argument.ufix64(fullWeight)],
        authorizers: [account],
        gasLimit: 1000,
        computation: 10 + random.below(5),
        events: [keyAdded(account, keyIndex, key)],
      },
      memo: { account, keyIndex },
    }
  },
  undo({ state, random }, { account, keyIndex }) {
    state.accounts.revokeKey(account, keyIndex)
    return {
      script: revokeKeyScript,
      arguments: [argument.int(keyIndex)],
      authorizers: [account],
      gasLimit: 1000,
      computation: 5 + random.below(5),
      events: [keyRemoved(account, keyIndex)],
    }
  },
})

const scriptOf = (entitlement: string, change: 'add' | 'update'): Buffer =>
  Buffer.from(`transaction(name: String, code: String) {
    prepare(signer: auth(${entitlement}) &Account) {
        signer.contracts.${change}(name: name, code: code.utf8)
    }
}
`)
const addContractScript = scriptOf('AddContract', 'add')
const updateContractScript = scriptOf('UpdateContract', 'update')
const removeContractScript = Buffer.from(`transaction(name: String) {
    prepare(signer: auth(RemoveContract) &Account) {
        signer.contracts.remove(name: name) ?? panic("No such contract")
    }
}
`)

function put(change: 'contractAdded' | 'contractUpdated', account: Account, contract: ContractCode): DraftTransaction {
  return {
    script: change === 'contractAdded' ? addContractScript : updateContractScript,
    arguments: [argument.string(contract.name), argument.string(contract.code.toString())],
    authorizers: [account],
    gasLimit: 9999,
    computation: 60,
    events: [contractEvent(change, account, contract)],
  }
}

export const contractDeploy = activity<number>({
  name: 'contract-deploy',
  perCycle: 2,
  act: ({ state, ordinal }) => ({
    transaction: put('contractAdded', deployer(ordinal), state.contracts.deploy()),
    memo: ordinal,
  }),
  undo: ({ state }, ordinal) => put('contractUpdated', deployer(ordinal), state.contracts.update(ordinal)),
})

export const contractRemoval = activity<Account>({
  name: 'contract-removal',
  perCycle: 1,
  act({ state, ordinal }) {
    const account = deployer(ordinal)
    state.contracts.addPassing(account)
    return { transaction: put('contractAdded', account, passing), memo: account }
  },
  undo({ state }, account) {
    state.contracts.removePassing(account)
    return {
      script: removeContractScript,
      arguments: [argument.string(passing.name)],
      authorizers: [account],
      gasLimit: 1000,
      computation: 20,
      events: [contractEvent('contractRemoved', account, passing)],
    }
  },
})
