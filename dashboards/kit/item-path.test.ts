import { expect } from 'chai'
import { itemPath } from './item-path.ts'

const id = 'ab'.repeat(32)

describe('explorer pages of values', () => {
  for (const [column, text, path] of [
    ['id', id, `/transaction/${id}`],
    ['transaction_id', `0x${id}`, `/transaction/0x${id}`],
    ['block_id', id, `/block/${id}`],
    ['public_key_hash_of', id, undefined],
    ['payer', '0x1654653399040a61', '/account/0x1654653399040a61'],
    ['evm_to', `0x${'ab'.repeat(20)}`, `/evm/address/0x${'ab'.repeat(20)}`],
    ['token', 'A.1654653399040a61.FlowToken', '/contract/A.1654653399040a61.FlowToken'],
    ['token', 'A.1654653399040a61.Stable.Coin', '/contract/A.1654653399040a61.Stable'],
    ['collection', 'A.1654653399040a61.TopShot', '/nft/A.1654653399040a61.TopShot'],
    ['event_type', 'A.1654653399040a61.TopShot.Deposit', '/contract/A.1654653399040a61.TopShot'],
    ['node_id', id, `/node/${id}`],
    ['evm_hash', `0x${id}`, `/evm/transaction/0x${id}`],
    ['block_height', '141', '/block/141'],
    ['count', '141', undefined],
    ['name', 'A.b/../c', undefined],
  ] as const) {
    it(`are found for ${column} ${text.slice(0, 12)}`, () => expect(itemPath(column, text)).to.equal(path))
  }
})
