import { Refusal } from '../../node/refusal.ts'
import { json } from './cadence-json.ts'
import type { ScriptAnswer } from './script-answer.ts'
import type { ScriptState, StoredAccount } from './script-state.ts'

/** An account that is not there has nothing, as on the chain. */
const nobody: StoredAccount = {
  balance: '0.00000000',
  availableBalance: '0.00000000',
  storageUsed: 0,
  storageCapacity: 0,
  stored: [],
  published: [],
}

const accountOf = (state: ScriptState, address: string): StoredAccount => state.account(address) ?? nobody

const paths = (things: readonly { readonly path: string }[]) => json.array(things.map(({ path }) => json.path(path)))

/** The scripts about what accounts keep. */
export const accountAnswers = {
  account_storage: {
    arguments: 2,
    answer(state, args, structId) {
      const account = state.account(args.address(0))
      // What is asked of its storage before it exists is an error of the virtual machine.
      if (account === undefined)
        throw new Refusal('INVALID_ARGUMENT', `failed to execute script: no account ${args.address(0)}`)
      const most = args.int(1)
      return json.struct(structId('StorageOverview'), {
        used: json.uint64(account.storageUsed),
        capacity: json.uint64(account.storageCapacity),
        balance: json.ufix64(account.balance),
        availableBalance: json.ufix64(account.availableBalance),
        height: json.uint64(state.height),
        storagePaths: paths(account.stored.slice(0, most)),
        publicPaths: paths(account.published.slice(0, most)),
        isCut: json.bool(account.stored.length > most || account.published.length > most),
      })
    },
  },
  public_paths: {
    arguments: 2,
    answer: (state, args) => paths(accountOf(state, args.address(0)).published.slice(0, args.int(1))),
  },
  storage_item: {
    arguments: 2,
    answer(state, args) {
      const path = `/storage/${args.string(1)}`
      const thing = accountOf(state, args.address(0)).stored.find((stored) => stored.path === path)
      return json.optional(thing?.type, json.string)
    },
  },
} as const satisfies Record<string, ScriptAnswer>
