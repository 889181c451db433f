import { activity, executionError, ownFlowVault } from './activity.ts'
import type { Turn } from './activity.ts'
import { argument } from '../events/draft.ts'
import type { DraftArgument, DraftEvent, DraftTransaction } from '../events/draft.ts'
import { deposited, itemDeposited, itemWithdrawn, vaultOf, withdrawn } from '../events/token-events.ts'
import type { CadenceValue } from '../encoding/cadence.ts'
import { storefrontUuid, flowVault, itemTypeOf, marketShapes } from '../state/market.ts'
import type { Listing } from '../state/market.ts'
import { deposit, withdraw } from '../state/token-moves.ts'
import type { Account } from '../world/account.ts'
import { drawAmount, drawUser } from '../world/users.ts'
import { drawItem, collections, itemUuid } from '../world/collections.ts'
import { flow, systemAccounts } from '../world/tokens.ts'

/** A listing with its buyer, or its seller if it was removed. */
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
const paymentType = 'salePaymentVaultType: Type<@FlowToken.Vault>()'
const saleCut = 'NFTStorefrontV2.SaleCut(receiver: receiver, amount: price)'
const publicStorefront =
  'capabilities.borrow<&{NFTStorefrontV2.StorefrontPublic}>(NFTStorefrontV2.StorefrontPublicPath)'
const noCollection = 'panic("The signer has no collection")'

const kinds = collections.map(({ name, contract, storagePath }) => ({
  list: Buffer.from(`${imports}import ${name} from 0x${contract.hex}

transaction(id: UInt64, price: UFix64, expiry: UInt64) {
    prepare(signer: auth(BorrowValue, GetStorageCapabilityController) &Account) {
        ${ownStorefront}
        let provider = ${name}.provider(signer) ?? panic("The signer lends no items")
        let receiver = signer.capabilities.get<&{FungibleToken.Receiver}>(/public/flowTokenReceiver)
        storefront.createListing(
            nftProviderCapability: provider, nftType: Type<@${name}.NFT>(), nftID: id, ${paymentType},
            saleCuts: [${saleCut}], marketplacesCapability: nil, customID: "market",
            commissionAmount: 0.0, expiry: expiry
        )
    }
}
`),
  buy: Buffer.from(`${imports}import ${name} from 0x${contract.hex}

transaction(seller: Address, listing: UInt64, price: UFix64) {
    prepare(signer: auth(BorrowValue) &Account) {
        let storefront = getAccount(seller).${publicStorefront}
            ?? panic("The seller has no storefront")
        let offer = storefront.borrowListing(listingResourceID: listing) ?? panic("There is no such listing")
        ${ownFlowVault}
        let items = signer.storage.borrow<&${name}.Collection>(from: ${storagePath}) ?? ${noCollection}
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
 * Even turns list an item; the next turn buys it or, every other time, removes the listing. An item
 * that moved in between cannot be bought and is not listed again.
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
    const buyer = payer.index === listing.seller.index ? drawUser(random, payer) : payer
    if (!isThere(turn, listing))
      return { transaction: failedPurchase(listing, buyer), memo: { listing, buyer: undefined } }
    return { transaction: buy(turn, ordinal - 1, listing, buyer), memo: { listing, buyer } }
  },
  undo(turn, memo) {
    const { ordinal, state } = turn
    if (memo === undefined) throw new RangeError(`Turn ${ordinal} did nothing`)
    const { listing, buyer } = memo
    if (ordinal % 2 === 1) {
      if (buyer === undefined) return failedPurchase(listing, turn.payer)
      return list(turn, ordinal - 1, { ...listing, uuid: turn.newUuid(), seller: buyer, expiry: expiryOf(turn) })
    }
    const open = state.market.at(ordinal)
    if (open === undefined) throw new RangeError(`No listing is open for turn ${ordinal} to reverse`)
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
  const values = [seller.address, uuid, ...detailsOf(listing), null, expiry]
  const given = [argument.uint64(id), argument.ufix64(price), argument.uint64(expiry)]
  return draft(kinds[collection.index]?.list, seller, given, 70, [{ shape: marketShapes.available, values }])
}

function remove({ state }: Turn, place: number, listing: Listing): DraftTransaction {
  const { seller, uuid, collection, id, price, expiry } = listing
  state.market.take(place)
  const values = [
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
  return draft(removeScript, seller, [argument.uint64(uuid)], 40, [{ shape: marketShapes.destroyed, values }])
}

/** The seller gets its cut, then the rest, which is 0. */
function buy(turn: Turn, place: number, listing: Listing, buyer: Account): DraftTransaction {
  const { seller, uuid, collection, id, price, expiry } = listing
  const { state } = turn
  const events: DraftEvent[] = []
  const payment = withdraw(turn, flow, buyer, price, events)
  events.push(itemWithdrawn(collection, id, seller))
  const cut = turn.newUuid()
  events.push(...withdrawn({ token: flow, account: undefined, uuid: payment }, price, cut, 0n))
  deposit(turn, flow, seller, price, cut, events)
  events.push(
    ...deposited(vaultOf(flow, seller), 0n, payment, state.vaults.balance(flow, seller)),
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

function failedPurchase(listing: Listing, buyer: Account): DraftTransaction {
  return {
    ...draft(kinds[listing.collection.index]?.buy, buyer, buyArguments(listing), 60, []),
    error: executionError('pre-condition failed: NFTStorefrontV2.Listing.purchase: Listing is ghosted'),
  }
}

function buyArguments({ seller, uuid, price }: Listing): readonly DraftArgument[] {
  return [argument.address(seller), argument.uint64(uuid), argument.ufix64(price)]
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
  if (script === undefined) throw new RangeError('No scripts for this collection')
  return { script, arguments: given, authorizers: [by], gasLimit: 9999, computation, events }
}
