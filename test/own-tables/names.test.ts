import { expect } from 'chai'
import { columnNames, folderName, snakeCase } from '../../scripts/worker/names.ts'

describe('names of generated workers', () => {
  it('are in snake case', () => {
    const cases = {
      MomentPurchased: 'moment_purchased',
      fromUUID: 'from_uuid',
      NFTMinted: 'nft_minted',
      'Listing.ResourceDestroyed': 'listing_resource_destroyed',
      nft_ID: 'nft_id',
      Erc20Transfer: 'erc20_transfer',
      __proto__: 'proto',
      _: '',
    }
    for (const [name, expected] of Object.entries(cases)) expect(snakeCase(name), name).to.equal(expected)
    expect(folderName('A.0b2a3299cc857e29.TopShot')).to.equal('top-shot')
    expect(folderName(`A.0b2a3299cc857e29.${'Long'.repeat(20)}`)).to.match(/^long(-long){6}$/)
    expect(folderName('A.0b2a3299cc857e29.__')).to.equal('contract')
  })

  it('are distinct, and need no quotes in SQL', () => {
    const rules = { fallback: 'field', ending: (name: string) => (name === 'from' ? 'address' : 'value') }
    const names = ['from', 'order', 'Order', 'order_value', '_', '__', '_1', 'block_height', 'constructor', 'xmin']
    expect(Object.fromEntries(columnNames(names, rules))).to.deep.equal({
      from: 'from_address',
      order: 'order_value',
      Order: 'order_value_2',
      order_value: 'order_value_3',
      _: 'field',
      __: 'field_2',
      _1: 'field_1',
      block_height: 'block_height_value',
      constructor: 'constructor_value',
      xmin: 'xmin_value',
    })
    const long = [1, 2, 3].map((n) => `${'x'.repeat(60)}${n}`)
    const short = [...columnNames(long, rules).values()]
    expect(new Set(short).size).to.equal(3)
    expect(Math.max(...short.map(({ length }) => length))).to.equal(40)
  })
})
