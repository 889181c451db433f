import { expect } from 'chai'
import type { FungibleSummary, Transaction } from './gen/answers.ts'
import type { Sentence } from './told-moves.ts'
import { isOfPeople, tellSummary } from './told-summary.ts'

const token: FungibleSummary = {
  token: 'A.01.Leaf',
  amount: '2.50000000',
  direction: 'transfer',
  counterparty: '0x02',
  symbol: null,
  name: null,
  logo: null,
  usd_price: null,
}
const item = {
  collection: 'A.01.Moss',
  count: 3,
  direction: 'transfer' as const,
  counterparty: '0x02',
  name: null,
  logo: null,
  banner_image: null,
}

const say = (sentence: Sentence | undefined): string | undefined =>
  sentence
    ?.map((piece) => (typeof piece === 'string' ? piece : 'account' in piece ? piece.account : piece.text))
    .join('')

const tell = (
  summary: Transaction['transfer_summary'],
  tags: Transaction['tags'] = [],
  rest: Partial<Transaction> = {},
): string | undefined =>
  say(
    tellSummary({
      authorizers: ['0x01'],
      payer: '0x09',
      tags,
      transfer_summary: summary,
      template_label: '',
      contract_imports: [],
      ...rest,
    }),
  )

describe('what a transaction of a list did', () => {
  it('names who moved what to whom', () => {
    expect(tell({ ft: [token], nft: [] })).to.equal('0x01 moved 2.5 Leaf to 0x02')
    expect(tell({ ft: [token], nft: [item] })).to.equal('0x01 moved 2.5 Leaf and 3 Moss NFTs to 0x02')
    expect(tell({ ft: [token, { ...token, counterparty: '0x03' }, token], nft: [] })).to.equal(
      '0x01 moved 2.5 Leaf, 2.5 Leaf and 1 more',
    )
    expect(tell({ ft: [{ ...token, counterparty: '0x01' }], nft: [] })).to.equal('0x01 got 2.5 Leaf')
  })

  it('says what its tag says', () => {
    expect(tell({ ft: [token], nft: [] }, ['FT_TRANSFER', 'TOKEN_MINT'])).to.equal('0x01 made 2.5 Leaf for 0x02')
    expect(tell({ ft: [{ ...token, counterparty: null }], nft: [] }, ['TOKEN_BURN'])).to.equal('0x01 burned 2.5 Leaf')
    expect(tell({ ft: [token], nft: [] }, ['TOKEN_MINT', 'LIQUIDITY'])).to.equal('0x01 moved 2.5 Leaf to 0x02')
  })

  it('tells an account what it gave and got', () => {
    const given = { ...token, direction: 'out' as const }
    const got = { ...item, direction: 'in' as const, counterparty: '0x03' }
    expect(tell({ ft: [given], nft: [got] })).to.equal('Gave 2.5 Leaf to 0x02, got 3 Moss NFTs from 0x03')
    expect(tell({ ft: [], nft: [got] })).to.equal('Got 3 Moss NFTs from 0x03')
    expect(
      tell({
        ft: [],
        nft: [
          { ...got, count: 1 },
          { ...got, collection: null },
        ],
      }),
    ).to.equal('Got 1 Moss NFT and 3 NFTs from 0x03')
  })

  it('says what was called where nothing was moved, unless its name says more', () => {
    const calls = { contract_imports: ['A.01.Tally', 'A.02.EVM', 'A.02.Moss'] }
    expect(tell({ ft: [], nft: [] }, [], calls)).to.equal('0x01 called Tally, EVM and 1 more')
    expect(tell({ ft: [], nft: [] }, [], { ...calls, template_label: 'Add key' })).to.equal(undefined)
    expect(tell({ ft: [token], nft: [] }, [], calls)).to.equal('0x01 moved 2.5 Leaf to 0x02')
  })

  it('says nothing where nothing was moved, or nothing is known', () => {
    expect(tell(null)).to.equal(undefined)
    expect(tell({ ft: [], nft: [] })).to.equal(undefined)
    expect(tell({ ft: [{ ...token, amount: '0.00000000' }], nft: [] })).to.equal(undefined)
  })

  it('knows what nobody sent', () => {
    expect(['SYSTEM', 'FT_TRANSFER', ''].map((category) => isOfPeople({ template_category: category }))).to.deep.equal([
      false,
      true,
      true,
    ])
  })
})
