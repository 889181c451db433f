import { activity } from './activity.ts'
import type { Turn } from './activity.ts'
import { argument } from '../events/draft.ts'
import type { DraftTransaction } from '../events/draft.ts'
import { itemDeposited, itemWithdrawn, itemMinted } from '../events/token-events.ts'
import type { Account } from '../world/account.ts'
import { drawItem, collections, itemName, itemTraits } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'
import { drawUser } from '../world/users.ts'
import { firstOwner } from '../state/items.ts'

const noCollection = 'panic("The recipient has no collection")'
const transferScripts = collections.map(({ name, contract, storagePath, publicPath }) =>
  Buffer.from(`import NonFungibleToken from 0xf8d6e0586b0a20c7
import ${name} from 0x${contract.hex}

transaction(to: Address, ids: [UInt64]) {
    prepare(signer: auth(BorrowValue) &Account) {
        let items = signer.storage.borrow<auth(NonFungibleToken.Withdraw) &${name}.Collection>(from: ${storagePath})
            ?? panic("The signer has no collection")
        let receiver = getAccount(to).capabilities.borrow<&{NonFungibleToken.Collection}>(${publicPath})
            ?? ${noCollection}
        for id in ids { receiver.deposit(token: <-items.withdraw(withdrawID: id)) }
    }
}
`),
)

interface Given {
  readonly collection: Collection
  readonly id: number
  readonly from: Account
  readonly to: Account
}

function give({ state, random }: Turn, { collection, id, from, to }: Given): DraftTransaction {
  state.items.move(collection, id, to)
  return {
    script: transferScripts[collection.index] as Buffer,
    arguments: [argument.address(to), argument.uint64s([id])],
    authorizers: [from],
    gasLimit: 1000,
    computation: 30 + random.below(10),
    events: [itemWithdrawn(collection, id, from), itemDeposited(collection, id, to)],
  }
}

export const itemTransfer = activity<Given>({
  name: 'item-transfer',
  perCycle: 25,
  act(turn) {
    const { state, random } = turn
    const collection = random.pick(collections)
    const id = drawItem(random, state.items.count(collection))
    const from = state.items.owner(collection, id)
    const memo = { collection, id, from, to: drawUser(random, from) }
    return { transaction: give(turn, memo), memo }
  },
  undo: (turn, { collection, id, from, to }) => give(turn, { collection, id, from: to, to: from }),
})

const mintScripts = collections.map(({ name, contract, publicPath }) =>
  Buffer.from(`import NonFungibleToken from 0xf8d6e0586b0a20c7
import ${name} from 0x${contract.hex}

transaction(to: Address, names: [String]) {
    prepare(minter: auth(BorrowValue) &Account) {
        let mint = minter.storage.borrow<&${name}.Minter>(from: /storage/${name}Minter) ?? panic("No minter")
        let receiver = getAccount(to).capabilities.borrow<&{NonFungibleToken.Collection}>(${publicPath})
            ?? ${noCollection}
        for name in names { receiver.deposit(token: <-mint.mint(name: name)) }
    }
}
`),
)

export const itemMint = activity({
  name: 'item-mint',
  perCycle: 6,
  act({ state, random, ordinal }) {
    const collection = collections[ordinal % collections.length] as Collection
    const id = state.items.mint(collection)
    const owner = firstOwner(collection, id)
    const name = itemName(collection, id)
    return {
      transaction: {
        script: mintScripts[collection.index] as Buffer,
        arguments: [argument.address(owner), argument.strings([name])],
        authorizers: [collection.contract],
        gasLimit: 9999,
        computation: 30 + random.below(10),
        events: [itemMinted(collection, id, name, itemTraits(collection, id)), itemDeposited(collection, id, owner)],
      },
      memo: undefined,
    }
  },
})
