import type { CadenceJson, ScriptArguments } from './script-values.ts'
import type { ScriptState, ItemMetadata, StoredAccount } from './script-state.ts'
import { Refusal } from '../../node/node-view.ts'
import { json } from './script-values.ts'
import { collections } from '../world/collections.ts'
import type { SampleName } from './sample-scripts.ts'

export interface ScriptAnswer {
  readonly arguments: number
  /** @throws Refusal INVALID_ARGUMENT where the script would fail */
  answer(state: ScriptState, args: ScriptArguments, structId: (name: string) => string): CadenceJson
}

const optionalText = (text: string): CadenceJson => json.optional(text, json.string)
const path = (text: string): CadenceJson => json.optional(text, json.path)

function socials(pages: Readonly<Record<string, string>>): CadenceJson {
  return json.dictionary(Object.entries(pages).map(([name, url]) => [json.string(name), json.string(url)]))
}

/** Scripts iterate over the first list and index the others. */
export function requireEqualLengths(lists: readonly (readonly unknown[])[]): void {
  const length = lists[0]?.length ?? 0
  if (lists.some((list) => list.length < length)) {
    throw new Refusal('INVALID_ARGUMENT', 'failed to execute script: array index out of bounds')
  }
}

export const tokenAnswers = {
  ft_tokens: {
    arguments: 3,
    answer(state, args, structId) {
      const [addresses, names] = [args.addresses(0), args.strings(1)]
      requireEqualLengths([addresses, names, args.strings(2)])
      return json.array(
        addresses.map((address, at) =>
          json.optional(state.token(address, names[at] ?? ''), (token) =>
            json.struct(structId('Token'), {
              name: optionalText(token.name),
              symbol: optionalText(token.symbol),
              description: optionalText(token.description),
              externalUrl: optionalText(token.externalUrl),
              logo: optionalText(token.logo),
              socials: socials(token.socials),
              vaultPath: path(token.vaultPath),
              receiverPath: path(token.receiverPath),
              balancePath: path(token.balancePath),
              totalSupply: json.optional(token.totalSupply, json.ufix64),
            }),
          ),
        ),
      )
    },
  },
  nft_collections: {
    arguments: 3,
    answer(state, args, structId) {
      const [addresses, names] = [args.addresses(0), args.strings(1)]
      requireEqualLengths([addresses, names, args.strings(2)])
      return json.array(
        addresses.map((address, at) =>
          json.optional(state.collection(address, names[at] ?? ''), (face) =>
            json.struct(structId('Collection'), {
              name: optionalText(face.name),
              description: optionalText(face.description),
              externalUrl: optionalText(face.externalUrl),
              squareImage: optionalText(face.squareImage),
              bannerImage: optionalText(face.bannerImage),
              socials: socials(face.socials),
              storagePath: path(face.storagePath),
              publicPath: path(face.publicPath),
            }),
          ),
        ),
      )
    },
  },
  evm_addresses: {
    arguments: 1,
    answer: (state, args) =>
      json.array(args.strings(0).map((type) => json.optional(state.evmAddress(type), json.string))),
  },
  evm_calls: {
    arguments: 4,
    answer(state, args) {
      const [contracts, inputs, maxBytes] = [args.strings(0), args.strings(1), args.int(3)]
      requireEqualLengths([contracts, inputs])
      const results = contracts.map((contract, at) => state.evmCall(contract, Buffer.from(inputs[at] ?? '', 'hex')))
      return json.array(
        results.map((data) =>
          json.optional(data !== undefined && data.length <= maxBytes ? data.toString('hex') : undefined, json.string),
        ),
      )
    },
  },
} as const satisfies Record<string, ScriptAnswer>

function item(face: ItemMetadata, structId: (name: string) => string): CadenceJson {
  const { edition, rarity } = face
  return json.struct(structId('Item'), {
    uuid: json.uint64(face.uuid),
    name: json.optional(face.name, json.string),
    description: json.optional(face.description, json.string),
    thumbnail: json.optional(face.thumbnail, json.string),
    externalUrl: json.optional(face.externalUrl, json.string),
    serialNumber: json.optional(face.serialNumber, json.uint64),
    editionName: json.optional(edition?.name, json.string),
    editionNumber: json.optional(edition?.number, json.uint64),
    editionMax: json.optional(edition?.max, json.uint64),
    rarityScore: json.optional(rarity?.score, json.ufix64),
    rarityDescription: json.optional(rarity?.description, json.string),
    traits: json.array(
      face.traits.map(({ name, value }) =>
        json.struct(structId('Trait'), {
          name: json.string(name),
          value: json.optional(value, json.string),
          displayType: json.optional(undefined, json.string),
          rarity: json.optional(undefined, json.string),
        }),
      ),
    ),
  })
}

export const itemAnswers = {
  nft_items: {
    arguments: 5,
    answer(state, args, structId) {
      const [owners, types, ids] = [args.addresses(0), args.strings(3), args.uint64s(4)]
      requireEqualLengths([owners, args.strings(1), args.strings(2), types, ids])
      return json.array(
        owners.map((owner, at) =>
          json.optional(state.item(owner, types[at] ?? '', ids[at] ?? 0n), (face) => item(face, structId)),
        ),
      )
    },
  },
  nft_holder_ids: {
    arguments: 5,
    answer(state, args, structId) {
      const ids = state.idsOf(args.address(0), args.string(2))
      const [from, count] = [args.int(3), args.int(4)]
      return json.struct(structId('Page'), {
        collections: json.int(state.collectionsOf(args.address(0), args.string(1))),
        total: json.int(ids.length),
        ids: json.array(ids.slice(from, from + count).map(json.uint64)),
      })
    },
  },
  nft_holder_check: {
    arguments: 4,
    answer(state, args) {
      const held = new Set(state.idsOf(args.address(0), args.string(2)))
      return json.array(args.uint64s(3).map((id) => json.bool(held.has(id))))
    },
  },
} as const satisfies Record<string, ScriptAnswer>

/** A missing account holds nothing, as on the chain. */
const missingAccount: StoredAccount = {
  balance: '0.00000000',
  availableBalance: '0.00000000',
  storageUsed: 0,
  storageCapacity: 0,
  stored: [],
  published: [],
}

const accountOf = (state: ScriptState, address: string): StoredAccount => state.account(address) ?? missingAccount

const paths = (things: readonly { readonly path: string }[]) => json.array(things.map(({ path }) => json.path(path)))

export const accountAnswers = {
  account_storage: {
    arguments: 2,
    answer(state, args, structId) {
      const account = state.account(args.address(0))
      // Storage of a missing account is an error of the virtual machine.
      if (account === undefined)
        throw new Refusal('INVALID_ARGUMENT', `failed to execute script: no account ${args.address(0)}`)
      const max = args.int(1)
      return json.struct(structId('StorageOverview'), {
        used: json.uint64(account.storageUsed),
        capacity: json.uint64(account.storageCapacity),
        balance: json.ufix64(account.balance),
        availableBalance: json.ufix64(account.availableBalance),
        height: json.uint64(state.height),
        storagePaths: paths(account.stored.slice(0, max)),
        publicPaths: paths(account.published.slice(0, max)),
        isCut: json.bool(account.stored.length > max || account.published.length > max),
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
  coa_addresses: {
    arguments: 1,
    answer: (state, args) =>
      json.array(args.addresses(0).map((address) => json.optional(state.coaOf(address), json.string))),
  },
  evm_account: {
    arguments: 2,
    answer(state, args, structId) {
      const { balance, nonce, code } = state.evmAccount(args.string(0))
      return json.struct(structId('EvmAccount'), {
        balance: json.uint(balance),
        nonce: json.uint64(nonce),
        codeSize: json.int(code.length),
        code: json.string(code.length <= args.int(1) ? code.toString('hex') : ''),
        height: json.uint64(state.height),
      })
    },
  },
  evm_call: {
    arguments: 4,
    answer(state, args, structId) {
      const data = state.evmCall(args.string(0), Buffer.from(args.string(1), 'hex'))
      const isShown = data !== undefined && data.length <= args.int(3)
      return json.struct(structId('EvmCall'), {
        isSuccessful: json.bool(data !== undefined),
        errorMessage: json.string(data === undefined ? 'execution reverted' : ''),
        gasUsed: json.uint64(data === undefined ? 21_500 : 24_000),
        size: json.int(data?.length ?? 0),
        data: json.string(isShown ? data.toString('hex') : ''),
        height: json.uint64(state.height),
      })
    },
  },
} as const satisfies Record<string, ScriptAnswer>

const byRole = (amounts: ReadonlyMap<number, string>): CadenceJson =>
  json.dictionary([...amounts].map(([role, amount]) => [json.uint8(role), json.ufix64(amount)]))

const texts = (list: readonly string[]): CadenceJson => json.array(list.map(json.string))

export const stakingAnswers = {
  network_state: {
    arguments: 0,
    answer({ height, view, timestamp, network }, _args, structId) {
      return json.struct(structId('State'), {
        height: json.uint64(height),
        view_: json.uint64(view),
        timestamp: json.ufix64(`${Math.floor(timestamp)}.00000000`),
        epoch: json.uint64(network.epoch),
        phase: json.uint8(network.phase),
        startView: json.optional(network.startView, json.uint64),
        stakingEndView: json.optional(network.stakingEndView, json.uint64),
        endView: json.optional(network.endView, json.uint64),
        epochRewards: json.optional(network.epochRewards, json.ufix64),
        targetEndTime: json.uint64(network.targetEndTime),
        isStakingEnabled: json.bool(network.isStakingEnabled),
        totalStaked: json.ufix64(network.totalStaked),
        stakedByRole: byRole(network.stakedByRole),
        minimumStakeByRole: byRole(network.minimumStakeByRole),
        epochPayout: json.ufix64(network.epochPayout),
        rewardCut: json.ufix64(network.rewardCut),
        totalSupply: json.ufix64(network.flowSupply),
        nodeIds: texts(network.nodeIds),
        stakedNodeIds: texts(network.stakedNodeIds),
      })
    },
  },
  staking_nodes: {
    arguments: 1,
    answer(state, args, structId) {
      return json.array(
        args.strings(0).map((id) => {
          const node = state.node(id)
          if (node === undefined) {
            throw new Refusal('INVALID_ARGUMENT', `failed to execute script: node ${id} is not in the staking table`)
          }
          return json.struct(structId('Node'), {
            role: json.uint8(node.role),
            networkingAddress: json.string(node.networkingAddress),
            tokensStaked: json.ufix64(node.tokensStaked),
            tokensCommitted: json.ufix64(node.tokensCommitted),
            tokensUnstaking: json.ufix64(node.tokensUnstaking),
            tokensUnstaked: json.ufix64(node.tokensUnstaked),
            tokensRewarded: json.ufix64(node.tokensRewarded),
            tokensRequestedToUnstake: json.ufix64(node.tokensRequestedToUnstake),
            totalStakedWithDelegators: json.optional(node.totalStaked, json.ufix64),
            delegatorCount: json.int(node.delegatorCount),
            initialWeight: json.uint64(node.initialWeight),
          })
        }),
      )
    },
  },
} as const satisfies Record<string, ScriptAnswer>

export const exampleAnswers = {
  flow_balance: {
    arguments: 1,
    answer: (state, args) => json.ufix64(state.account(args.address(0))?.balance ?? '0.00000000'),
  },
} as const satisfies Record<string, ScriptAnswer>

export const sampleAnswers: Readonly<Record<SampleName, ScriptAnswer>> = {
  add: { arguments: 2, answer: (_, args) => ({ value: String(args.integer(0) + args.integer(1)), type: 'Int' }) },
  'flow-balance': exampleAnswers.flow_balance,
  'storage-use': {
    arguments: 1,
    answer(state, args) {
      const account = state.account(args.address(0))
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
