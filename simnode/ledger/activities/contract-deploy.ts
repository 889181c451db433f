import { activity } from '../activity.ts'
import type { DraftTransaction } from '../draft.ts'
import { contractEvent } from '../movements/account-events.ts'
import type { Account } from '../world/account.ts'
import { deployer, passing } from '../world/deployed-contracts.ts'
import type { ContractCode } from '../world/deployed-contracts.ts'

const scriptOf = (entitlement: string, change: 'add' | 'update'): Buffer =>
  Buffer.from(`transaction(name: String, code: String) {
    prepare(signer: auth(${entitlement}) &Account) {
        signer.contracts.${change}(name: name, code: code.utf8)
    }
}
`)
const addScript = scriptOf('AddContract', 'add')
const updateScript = scriptOf('UpdateContract', 'update')
const removeScript = Buffer.from(`transaction(name: String) {
    prepare(signer: auth(RemoveContract) &Account) {
        signer.contracts.remove(name: name) ?? panic("No such contract")
    }
}
`)

function put(change: 'contractAdded' | 'contractUpdated', account: Account, contract: ContractCode): DraftTransaction {
  return {
    script: change === 'contractAdded' ? addScript : updateScript,
    arguments: [
      { type: 'String', value: contract.name },
      { type: 'String', value: contract.code.toString() },
    ],
    authorizers: [account],
    gasLimit: 9999,
    computation: 60,
    events: [contractEvent(change, account, contract)],
  }
}

/** One person after the other deploys a contract, and updates it. */
export const contractDeploy = activity<number>({
  name: 'contract-deploy',
  perTide: 2,
  act: ({ state, ordinal }) => ({
    transaction: put('contractAdded', deployer(ordinal), state.contracts.deploy()),
    memo: ordinal,
  }),
  giveBack: ({ state }, ordinal) => put('contractUpdated', deployer(ordinal), state.contracts.update(ordinal)),
})

/** Somebody deploys a contract and removes it. */
export const contractRemoval = activity<Account>({
  name: 'contract-removal',
  perTide: 1,
  act({ state, ordinal }) {
    const account = deployer(ordinal)
    state.contracts.addPassing(account)
    return { transaction: put('contractAdded', account, passing), memo: account }
  },
  giveBack({ state }, account) {
    state.contracts.removePassing(account)
    return {
      script: removeScript,
      arguments: [{ type: 'String', value: passing.name }],
      authorizers: [account],
      gasLimit: 1000,
      computation: 20,
      events: [contractEvent('contractRemoved', account, passing)],
    }
  },
})
