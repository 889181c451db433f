import { activity } from './activity.ts'
import type { Turn } from './activity.ts'
import type { DraftArgument, DraftEvent, DraftTransaction } from '../events/draft.ts'
import { deposited, withdrawn, itemDeposited, itemWithdrawn } from '../events/token-events.ts'
import type { CadenceValue } from '../encoding/cadence-value.ts'
import { storefrontUuid, flowVault, itemTypeOf, marketShapes } from '../state/market.ts'
import type { Listing } from '../state/market.ts'
import { deposit, withdraw } from '../state/token-moves.ts'
import type { Account } from '../world/account.ts'
import { drawAmount, drawPerson } from '../world/people.ts'
import { drawItem, collections, itemUuid } from '../world/collections.ts'
import { flow, systemAccounts, vaultUuid } from '../world/tokens.ts'

/** What is known of a turn when it is given back: what was listed, and who bought it or took it from the market. */
interface Sale {
  readonly listing: Listing
  readonly buyer: Account | undefined
}

/** In whole FLOW. */
const maxPrice = 400

const imports = `import NonFungibleToken, NFTStorefrontV2 from 0x${systemAccounts.service.hex}
import FungibleToken from 0x${systemAccounts.fungibleToken.hex}
import FlowToken from 0x${systemAccounts.flowToken.hex}
`
const rights = 'auth(NFTStorefrontV2.CreateListing, NFTStorefrontV2.RemoveListing)'
const ownStorefront = `let storefront = signer.storage.borrow<${rights} &NFTStorefrontV2.Storefront>(
            from: NFTStorefrontV2.StorefrontStoragePath
        ) ?? panic("The signer has no storefront")`

const kinds = collections.map(({ name, contract, storagePath }) => ({
  list: Buffer.from(`${imports}import ${name} from 0x${contract.hex}

transaction(id: UInt64, price: UFix64, expiry: UInt64) {
    prepare(signer: auth(BorrowValue, GetStorageCapabilityController) &Account) {
        ${ownStorefront}
        let provider = ${name}.provider(signer) ?? panic("The signer lends no items")
        let receiver = signer.capabilities.get<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)
        storefront.createListing(
            nftProviderCapability: provider, nftType: Type<@${name}.NFT>(), nftID: id, salePaymentVaultType: Type<@FlowToken.Vault>(),
            saleCuts: [NFTStorefrontV2.SaleCut(receiver: receiver, amount: price)], marketplacesCapability: nil, customID: "market",
            commissionAmount: 0.0, expiry: expiry
        )
    }
}
`),
  buy: Buffer.from(`${imports}import ${name} from 0x${contract.hex}

transaction(seller: Address, listing: UInt64, price: UFix64) {
    prepare(signer: auth(BorrowValue) &Account) {
        let storefront = getAccount(seller).capabilities.borrow<&{NFTStorefrontV2.StorefrontPublic}>(NFTStorefrontV2.StorefrontPublicPath)
            ?? panic("The seller has no storefront")
        let offer = storefront.borrowListing(listingResourceID: listing) ?? panic("There is no such listing")
        let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")
        let items = signer.storage.borrow<&${name}.Collection>(from: ${storagePath}) ?? panic("The signer has no collection")
        items.deposit(token: <-offer.purchase(payment: <-vault.withdraw(amount: price), commissionRecipient: nil))
    }
}
`),
}))

const removeScript = Buffer.from(`${imports}
transaction(listing: UInt64) {
    prepare(signer: auth(BorrowValue) &Account) {
        ${ownStorefront}
        storefront.removeListing(listingResourceID: listing)
    }
}
`)

/**
 * A market: of two turns, one lists an item and the next one buys it, or every other time the seller takes it from the
 * market. Given back, the second lists it again for the same price, and the first buys it back or takes it from the market.
 * An item that has gone elsewhere in between cannot be bought, and is not listed.
 */
export const itemSale = activity<Sale | undefined>({
  name: 'item-sale',
  perCycle: 12,
  act(turn) {
    const { state, random, ordinal, payer } = turn
    if (ordinal % 2 === 0) {
      const collection = random.pick(collections)
      const id = drawItem(random, state.items.count(collection))
      const seller = state.items.owner(collection, id)
      const price = drawAmount(random, maxPrice)
      const listing = { uuid: turn.newUuid(), seller, collection, id, price, expiry: expiryOf(turn) }
      return { transaction: list(turn, ordinal, listing), memo: { listing, buyer: undefined } }
    }
    const listing = state.market.at(ordinal - 1)
    if (listing === undefined) throw new RangeError(`Nothing was listed by turn ${ordinal - 1}`)
    if (ordinal % 4 === 3 && isThere(turn, listing)) {
      return { transaction: remove(turn, ordinal - 1, listing), memo: { listing, buyer: listing.seller } }
    }
    const buyer = payer.index === listing.seller.index ? drawPerson(random, payer) : payer
    if (!isThere(turn, listing)) return { transaction: inVain(listing, buyer), memo: { listing, buyer: undefined } }
    return { transaction: buy(turn, ordinal - 1, listing, buyer), memo: { listing, buyer } }
  },
  giveBack(turn, memo) {
    const { ordinal, state } = turn
    if (memo === undefined) throw new RangeError(`Turn ${ordinal} did nothing`)
    const { listing, buyer } = memo
    if (ordinal % 2 === 1) {
      if (buyer === undefined) return inVain(listing, turn.payer)
      return list(turn, ordinal - 1, { ...listing, uuid: turn.newUuid(), seller: buyer, expiry: expiryOf(turn) })
    }
    const open = state.market.at(ordinal)
    if (open === undefined) throw new RangeError(`Nothing is listed that turn ${ordinal} could have back`)
    return open.seller.index === listing.seller.index
      ? remove(turn, ordinal, open)
      : buy(turn, ordinal, open, listing.seller)
  },
})

function expiryOf({ timeMs }: Turn): number {
  return Math.floor(timeMs / 1000) + 2_592_000
}

function isThere({ state }: Turn, { collection, id, seller }: Listing): boolean {
  return state.items.owner(collection, id).index === seller.index
}

function list({ state }: Turn, place: number, listing: Listing): DraftTransaction {
  const { seller, uuid, collection, price, expiry, id } = listing
  state.market.list(place, listing)
  const told = [seller.address, uuid, ...detailsOf(listing), null, expiry]
  const given: readonly DraftArgument[] = [
    { type: 'UInt64', value: id },
    { type: 'UFix64', value: price },
    { type: 'UInt64', value: expiry },
  ]
  return draft(kinds[collection.index]?.list, seller, given, 70, [{ shape: marketShapes.available, values: told }])
}

function remove({ state }: Turn, place: number, listing: Listing): DraftTransaction {
  const { seller, uuid, collection, id, price, expiry } = listing
  state.market.take(place)
  const told = [
    uuid,
    storefrontUuid(seller),
    false,
    collection.itemType,
    itemUuid(collection, id),
    id,
    flow.vaultType,
    price,
    'market',
    0n,
    null,
    expiry,
  ]
  return draft(removeScript, seller, [{ type: 'UInt64', value: uuid }], 40, [
    { shape: marketShapes.destroyed, values: told },
  ])
}

/** The payment travels in a vault of its own, of which the seller gets its cut, and the rest, which is nothing. */
function buy(turn: Turn, place: number, listing: Listing, buyer: Account): DraftTransaction {
  const { seller, uuid, collection, id, price, expiry } = listing
  const { state } = turn
  const events: DraftEvent[] = []
  const payment = withdraw(turn, flow, buyer, price, events)
  events.push(itemWithdrawn(collection, id, seller))
  const cut = turn.newUuid()
  events.push(
    ...withdrawn({
      token: flow,
      amount: price,
      account: undefined,
      vaultUuid: payment,
      movedUuid: cut,
      balanceAfter: 0n,
    }),
  )
  deposit(turn, flow, seller, price, cut, events)
  events.push(
    ...deposited({
      token: flow,
      amount: 0n,
      account: seller,
      vaultUuid: vaultUuid(flow, seller),
      movedUuid: payment,
      balanceAfter: state.vaults.balance(flow, seller),
    }),
    {
      shape: marketShapes.completed,
      values: [uuid, storefrontUuid(seller), true, ...detailsOf(listing), null, expiry],
    },
    itemDeposited(collection, id, buyer),
  )
  state.items.move(collection, id, buyer)
  state.market.take(place)
  return draft(kinds[collection.index]?.buy, buyer, buyArguments(listing), 110, events)
}

/** Somebody tries to buy what is not there. */
function inVain(listing: Listing, buyer: Account): DraftTransaction {
  return {
    ...draft(kinds[listing.collection.index]?.buy, buyer, buyArguments(listing), 60, []),
    error: `[Error Code: 1101] error caused by: 1 error occurred:
\t* transaction execute failed: [Error Code: 1101] cadence runtime error: Execution failed:
error: pre-condition failed: NFTStorefrontV2.Listing.purchase: Listing is ghosted
`,
  }
}

function buyArguments({ seller, uuid, price }: Listing): readonly DraftArgument[] {
  return [
    { type: 'Address', value: seller.address },
    { type: 'UInt64', value: uuid },
    { type: 'UFix64', value: price },
  ]
}

function detailsOf({ collection, id, price }: Listing): readonly CadenceValue[] {
  return [
    { staticType: itemTypeOf(collection) },
    itemUuid(collection, id),
    id,
    { staticType: flowVault },
    price,
    'market',
    0n,
  ]
}

function draft(
  script: Buffer | undefined,
  by: Account,
  given: readonly DraftArgument[],
  computation: number,
  events: readonly DraftEvent[],
): DraftTransaction {
  if (script === undefined) throw new RangeError('The collection is sold nowhere')
  return { script, arguments: given, authorizers: [by], gasLimit: 9999, computation, events }
}
