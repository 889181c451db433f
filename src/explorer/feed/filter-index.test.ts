import { expect } from 'chai'
import fc from 'fast-check'
import { createFilter, feedTypes, FilterIndex, matchOne } from './filter-index.ts'
import { BlockMessages } from './feed-block.ts'

const few = <T>(words: readonly T[]): fc.Arbitrary<T[]> => fc.uniqueArray(fc.constantFrom(...words), { maxLength: 3 })
const some = <T>(words: readonly T[]): fc.Arbitrary<T[] | undefined> =>
  fc.option(fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }), { nil: undefined })

const accounts = ['0x0000000000000001', '0x0000000000000002', '0x0000000000000003', '0x0000000000000004']
const contracts = ['A.0000000000000001.Coin', 'A.0000000000000002.Card']
const templates = ['FT_TRANSFER', 'Send coins', 'other']
const tags = ['EVM', 'FT_TRANSFER', 'SWAP'] as const

const transaction = fc.record({
  accounts: few(accounts),
  contracts: few(contracts),
  tags: few(tags),
  category: fc.constantFrom(...templates),
})
const lists = fc.record({
  types: some(feedTypes),
  addresses: some(accounts),
  tags: some(tags),
  contracts: some(contracts),
  templates: some(templates),
})
type Lists = typeof lists extends fc.Arbitrary<infer T> ? T : never
type Transaction = typeof transaction extends fc.Arbitrary<infer T> ? T : never

function blockOf(transactions: readonly Transaction[]): BlockMessages {
  return new BlockMessages({
    block: {
      height: 7,
      id: 'ab'.repeat(32),
      parent_id: 'aa'.repeat(32),
      timestamp: '2025-07-01T12:00:00.000Z',
      tx_count: 0,
      event_count: 0,
    },
    transactions: transactions.map((made) => ({
      accounts: made.accounts,
      contracts: made.contracts,
      summary: {
        id: '',
        block_height: 7,
        status: 'SEALED',
        payer_address: '',
        proposer_address: '',
        timestamp: '',
        execution_status: 'SUCCESS',
        is_evm: false,
        script_hash: '',
        template_category: made.category,
        template_label: '',
        tags: made.tags,
        error_message: '',
      },
    })),
  })
}

/** The definition, word for word. */
function naive(filters: readonly Lists[], transactions: readonly Transaction[]): number[] {
  const meets = (wanted: readonly string[] | undefined, words: readonly string[]): boolean =>
    wanted === undefined || wanted.some((word) => words.includes(word))
  const speaksOfTransactions = ({ addresses, tags, contracts, templates }: Lists): boolean =>
    [addresses, tags, contracts, templates].some((list) => list !== undefined)
  const wantsBlocks = filters.some((one) => one.types?.includes('new_block') ?? !speaksOfTransactions(one))
  const wanted = transactions.flatMap((made, i) =>
    filters.some(
      (one) =>
        (one.types?.includes('new_transaction') ?? true) &&
        meets(one.addresses, made.accounts) &&
        meets(one.tags, made.tags) &&
        meets(one.contracts, made.contracts) &&
        meets(one.templates, [made.category]),
    )
      ? [i + 1]
      : [],
  )
  return [...(wantsBlocks ? [0] : []), ...wanted]
}

describe('FilterIndex', () => {
  it('equals a scan of all filters, after adding and removing subscribers', () => {
    const filterLists = fc.array(fc.array(lists, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(
        filterLists,
        fc.array(transaction, { maxLength: 8 }),
        fc.infiniteStream(fc.boolean()),
        (filterLists, transactions, leaves) => {
          const block = blockOf(transactions)
          const index = new FilterIndex()
          const owners = filterLists.map((filter) => ({ wish: filter, filters: filter.map(createFilter) }))
          for (const owner of owners) index.add(owner)
          const staying = owners.filter((owner) => {
            const isLeaving = leaves.next().value === true
            if (isLeaving) index.remove(owner)
            return !isLeaving
          })
          const found = new Map(index.match(block))
          expect(found.size).to.equal(index.match(block).length)
          expect([...found.keys()].every((owner) => staying.some((one) => one === owner))).to.equal(true)
          for (const owner of staying) {
            const expected = naive(owner.wish, transactions)
            expect(found.get(owner) ?? []).to.deep.equal(expected)
            expect(matchOne(owner, block)).to.deep.equal(expected)
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
