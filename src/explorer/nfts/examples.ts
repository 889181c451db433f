import { exampleBlock, exampleTransaction } from '../transactions/examples.ts'
import type { AccountNftCollection, NftCollection, NftHolder, NftItem, NftTransfer } from './schema.ts'

/** Examples of the routes of collections and items. */

const face = {
  id: 'A.0b2a3299cc857e29.TopShot',
  nft_type: 'A.0b2a3299cc857e29.TopShot',
  address: '0x0b2a3299cc857e29',
  contract_name: 'TopShot',
  name: 'NBA Top Shot',
  display_name: 'NBA Top Shot',
  description: 'Moments of the game.',
  external_url: 'https://nbatopshot.com',
  square_image: 'https://nbatopshot.com/static/img/og/og.png',
  banner_image: 'https://nbatopshot.com/static/img/top-shot-logo-horizontal-white.svg',
  socials: { twitter: 'https://twitter.com/nbatopshot' },
  evm_address: '0x84c6a2e6765e88427c41bb38c82a78b570e24709',
  evm_bridged: true,
  is_verified: true,
}

export const exampleNftCollection: NftCollection = {
  ...face,
  storage_path: '/storage/MomentCollection',
  public_path: '/public/MomentCollection',
  number_of_tokens: 41_250_312,
  seen_count: 42_310_977,
  holder_count: 702_418,
  transfer_count: 163_022_408,
  recent_transfer_count: 18_204,
  mint_count: 42_310_977,
  burn_count: 1_060_665,
  first_height: 7_669_371,
  timestamp: '2020-10-13T20:06:06.014Z',
  updated_at: '2025-07-01T08:00:00.000Z',
}

export const exampleAccountNftCollection: AccountNftCollection = {
  ...face,
  number_of_tokens: 12,
  chain_count: 12,
  chain_height: 118_541_200,
}

export const exampleNftHolder: NftHolder = {
  owner: '0xe467b9dd11fa00df',
  nft_type: face.id,
  count: 10_312_578,
  percentage: 0.25,
}

export const exampleNftItem: NftItem = {
  id: '18446744073709551615',
  nft_id: '18446744073709551615',
  uuid: '18691697672192',
  nft_type: face.id,
  type: `${face.id}.NFT`,
  name: 'Aaron Gordon Dunk',
  description: 'A dunk.',
  thumbnail: 'https://assets.nbatopshot.com/media/18?width=256',
  external_url: 'https://nbatopshot.com/moment/18',
  serial_number: '2711',
  edition_name: 'Series 1',
  edition_number: '2711',
  edition_max: '12000',
  rarity_score: null,
  rarity_description: 'Common',
  traits: [{ name: 'PlayCategory', value: 'Dunk', displayType: null, rarity: null }],
  owner: '0xe467b9dd11fa00df',
  current_owner: '0xe467b9dd11fa00df',
  owner_source: 'transfers',
  is_burned: false,
  block_height: exampleBlock.height,
  timestamp: exampleBlock.timestamp,
  updated_at: '2025-07-01T08:00:00.000Z',
}

export const exampleNftTransfer: NftTransfer = {
  address: null,
  transaction_hash: exampleTransaction.id,
  block_height: exampleBlock.height,
  tx_index: 0,
  event_index: 4,
  leg: 0,
  timestamp: exampleBlock.timestamp,
  sender: '0x18eb4ee6b3c026d2',
  receiver: '0xe467b9dd11fa00df',
  direction: 'deposit',
  transfer_type: 'transfer',
  nft_type: face.id,
  nft_id: exampleNftItem.id,
  name: exampleNftItem.name,
  thumbnail: exampleNftItem.thumbnail,
  current_owner: '0xe467b9dd11fa00df',
  collection: { name: face.name, image: face.square_image, description: face.description },
}
