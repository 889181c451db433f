import { defineWorker } from 'flowfarm/worker'
import type { Events } from './events.gen.ts'

export default defineWorker<Events>()({
  // On mainnet: A.4eb8a10cb9f87357.NFTStorefrontV2.
  contract: 'A.f8d6e0586b0a20c7.NFTStorefrontV2',
  version: 1,
  description: 'NFT listings and sales of NFTStorefrontV2',
  events: ['ListingAvailable', 'ListingCompleted'],
  tables: {
    listing_changes: {
      comment: 'Each listing that was opened, sold or withdrawn',
      columns: {
        listing_id: { type: 'numeric', comment: 'uuid of the listing' },
        collection: { type: 'text', index: true, comment: 'Type of the NFT, A.<address>.<contract>.NFT' },
        nft_id: { type: 'numeric' },
        currency: { type: 'text', comment: 'Type of the vault that pays' },
        price: { type: 'numeric', comment: 'In units of the currency' },
        is_open: { type: 'boolean', index: true },
      },
    },
    sales: {
      comment: 'Sold NFTs',
      columns: {
        listing_id: { type: 'numeric', comment: 'uuid of the listing' },
        collection: { type: 'text', index: true, comment: 'Type of the NFT, A.<address>.<contract>.NFT' },
        nft_id: { type: 'numeric' },
        currency: { type: 'text', comment: 'Type of the vault that pays' },
        price: { type: 'numeric', comment: 'In units of the currency' },
      },
    },
  },
  folds: {
    listings: {
      kind: 'latest',
      of: 'listing_changes',
      key: ['listing_id'],
      columns: ['collection', 'nft_id', 'currency', 'price', 'is_open'],
      comment: 'Current state of each listing',
    },
    last_sales: {
      kind: 'latest',
      of: 'sales',
      key: ['collection', 'nft_id'],
      columns: ['price', 'currency', 'block_timestamp'],
      comment: 'Last sale of each NFT',
    },
    collections: {
      kind: 'sum',
      of: 'sales',
      key: ['collection', 'currency'],
      count: 'sales',
      sums: { volume: 'price' },
      comment: 'Sales and volume of each collection',
    },
  },
  views: {
    floor_prices: {
      sql: `select collection, currency, min(price) as floor_price, count(*) as listings
        from listings where is_open group by collection, currency order by listings desc, collection, currency`,
      comment: 'Lowest price of the open listings of each collection',
    },
  },
  derive(event, write) {
    const { listingResourceID, nftType, nftID, salePaymentVaultType, salePrice } = event.fields
    const listing = {
      listing_id: listingResourceID,
      collection: nftType ?? 'unknown',
      nft_id: nftID,
      currency: salePaymentVaultType ?? 'unknown',
      price: salePrice,
    }
    switch (event.name) {
      case 'ListingAvailable':
        write.listing_changes({ ...listing, is_open: true })
        break
      case 'ListingCompleted':
        write.listing_changes({ ...listing, is_open: false })
        if (event.fields.purchased) write.sales(listing)
        break
    }
  },
})
