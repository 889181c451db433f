import { activity } from '../activity.ts'
import { arrayOf } from '../encoding/cadence-type.ts'
import { itemDeposited, itemMinted } from '../movements/item-events.ts'
import { firstOwner } from '../state/items.ts'
import { collections, itemName, itemTraits } from '../world/collections.ts'
import type { Collection } from '../world/collections.ts'

const scripts = new Map(
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
  perTide: 6,
  act({ state, random, ordinal }) {
    const collection = collections[ordinal % collections.length] as Collection
    const id = state.items.mint(collection)
    const owner = firstOwner(collection, id)
    const name = itemName(collection, id)
    return {
      transaction: {
        script: scripts.get(collection) as Buffer,
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
