import { activity } from './activity.ts'
import type { Turn } from './activity.ts'
import type { DraftTransaction } from '../events/draft.ts'
import { arrayOf } from '../encoding/cadence-type.ts'
import { itemDeposited, itemWithdrawn, itemMinted } from '../events/token-events.ts'
import type { Account } from '../world/account.ts'
import { drawItem, collections, itemName, itemTraits } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'
import { drawPerson } from '../world/people.ts'
import { firstOwner } from '../state/items.ts'

const transferScripts = new Map(
  collections.map((collection) => [
    collection,
    Buffer.from(`import NonFungibleToken from 0xf8d6e0586b0a20c7
import ${collection.name} from 0x${collection.contract.hex}

transaction(to: Address, ids: [UInt64]) {
    prepare(signer: auth(BorrowValue) &Account) {
        let items = signer.storage.borrow<auth(NonFungibleToken.Withdraw) &${collection.name}.Collection>(from: ${collection.storagePath})
            ?? panic("The signer has no collection")
        let receiver = getAccount(to).capabilities.borrow<&{NonFungibleToken.Collection}>(${collection.publicPath})
            ?? panic("The recipient has no collection")
        for id in ids { receiver.deposit(token: <-items.withdraw(withdrawID: id)) }
    }
}
`),
  ]),
)

const ids = arrayOf('UInt64')

interface Given {
  readonly collection: Collection
  readonly id: number
  readonly from: Account
  readonly to: Account
}

function give({ state, random }: Turn, { collection, id, from, to }: Given): DraftTransaction {
  state.items.move(collection, id, to)
  return {
    script: transferScripts.get(collection) as Buffer,
    arguments: [
      { type: 'Address', value: to.address },
      { type: ids, value: [id] },
    ],
    authorizers: [from],
    gasLimit: 1000,
    computation: 30 + random.below(10),
    events: [itemWithdrawn(collection, id, from), itemDeposited(collection, id, to)],
  }
}

/** An item goes from its owner to somebody else. */
export const itemTransfer = activity<Given>({
  name: 'item-transfer',
  perCycle: 25,
  act(turn) {
    const { state, random } = turn
    const collection = random.pick(collections)
    const id = drawItem(random, state.items.count(collection))
    const from = state.items.owner(collection, id)
    const memo = { collection, id, from, to: drawPerson(random, from) }
    return { transaction: give(turn, memo), memo }
  },
  giveBack: (turn, { collection, id, from, to }) => give(turn, { collection, id, from: to, to: from }),
})

const mintScripts = new Map(
  collections.map((collection) => [
    collection,
    Buffer.from(`import NonFungibleToken from 0xf8d6e0586b0a20c7
import ${collection.name} from 0x${collection.contract.hex}

transaction(to: Address, names: [String]) {
    prepare(minter: auth(BorrowValue) &Account) {
        let mint = minter.storage.borrow<&${collection.name}.Minter>(from: /storage/${collection.name}Minter) ?? panic("No minter")
        let receiver = getAccount(to).capabilities.borrow<&{NonFungibleToken.Collection}>(${collection.publicPath})
            ?? panic("The recipient has no collection")
        for name in names { receiver.deposit(token: <-mint.mint(name: name)) }
    }
}
`),
  ]),
)

const strings = arrayOf('String')

/** A new item for one person after the other, in one collection after the other. They stay for ever. */
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
        script: mintScripts.get(collection) as Buffer,
        arguments: [
          { type: 'Address', value: owner.address },
          { type: strings, value: [name] },
        ],
        authorizers: [collection.contract],
        gasLimit: 9999,
        computation: 30 + random.below(10),
        events: [itemMinted(collection, id, name, itemTraits(collection, id)), itemDeposited(collection, id, owner)],
      },
      memo: undefined,
    }
  },
})
