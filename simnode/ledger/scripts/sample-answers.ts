import { Refusal } from '../../node/refusal.ts'
import { collections } from '../world/collections.ts'
import { json } from './cadence-json.ts'
import { exampleAnswers } from './example-answers.ts'
import type { SampleName } from './sample-scripts.ts'
import type { ScriptAnswer } from './script-answer.ts'

/** How the sample scripts are answered. */
export const sampleAnswers: Readonly<Record<SampleName, ScriptAnswer>> = {
  add: { arguments: 2, answer: (_, args) => ({ value: String(args.integer(0) + args.integer(1)), type: 'Int' }) },
  'flow-balance': exampleAnswers.flow_balance,
  'storage-use': {
    arguments: 1,
    answer(state, args) {
      const account = state.account(args.address(0))
      // What is asked of its storage before it exists is an error of the virtual machine.
      if (account === undefined)
        throw new Refusal('INVALID_ARGUMENT', `failed to execute script: no account ${args.address(0)}`)
      return json.array([json.uint64(account.storageUsed), json.uint64(account.storageCapacity)])
    },
  },
  'item-ids': {
    arguments: 2,
    answer(state, args) {
      const [address, path] = [args.address(0), `/public/${args.string(1)}`]
      const isPublished = state.account(address)?.published.some((thing) => thing.path === path) ?? false
      const collection = collections.find((one) => one.publicPath === path)
      return json.array(
        collection === undefined || !isPublished ? [] : state.idsOf(address, collection.itemType).map(json.uint64),
      )
    },
  },
  'flow-supply': { arguments: 0, answer: (state) => json.ufix64(state.network.flowSupply) },
  'total-staked': { arguments: 0, answer: (state) => json.ufix64(state.network.totalStaked) },
  'block-height': { arguments: 0, answer: (state) => json.uint64(state.height) },
}
