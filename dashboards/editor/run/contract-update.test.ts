import { expect } from 'chai'
import fc from 'fast-check'
import { updateProblems } from './contract-update.ts'

const before = `import "FungibleToken"
/// let comment: Int
access(all) contract Shop {
    access(all) event Sold(id: UInt64)
    access(all) enum Color: UInt8 {
        access(all) case red
        access(all) case green
    }
    access(all) struct Item {
        access(all) let price: UFix64
        access(self) var tags: {String: [String]}
        init(price: UFix64) { let local: Int = 1; self.price = price; self.tags = {} }
    }
    access(all) resource interface Till { access(all) fun pay() }
    access(all) resource Box: Till { access(all) fun pay() { var count = 1 } }
    access(contract) let boxes: @{UInt64: Box}
    access(all) fun total(): Int { let sum = 1; return sum }
    init() { self.boxes <- {} }
}
`

describe('an update of a contract', () => {
  it('may change functions, events, comments and access, and add types', () => {
    expect(updateProblems(before, before)).to.deep.equal([])
    const after = before
      .replace('/// let comment: Int', '')
      .replace('event Sold(id: UInt64)', 'event Sold(id: UInt64, by: Address)')
      .replace('let sum = 1', 'let other: Int = 2\n let sum = 1')
      .replace('access(contract) let boxes', 'access(self)\n let boxes')
      .replace('init() {', 'access(all) struct New { access(all) let a: Int; init() { self.a = 1 } }\n init() {')
    expect(updateProblems(before, after)).to.deep.equal([])
  })

  it('must not remove types and cases, change types of fields, or add fields', () => {
    const problem = (from: string, to: string): readonly string[] => updateProblems(before, before.replace(from, to))
    expect(problem('access(all) let price: UFix64', 'access(all) let price: UInt64')).to.deep.equal([
      'The field Item.price changes its type from UFix64 to UInt64.',
    ])
    expect(
      problem('access(all) let price: UFix64', 'access(all) let price: UFix64\n access(all) let name: String'),
    ).to.deep.equal(['The field Item.name is new: stored data has no value for it, and init does not run again.'])
    expect(problem('access(all) case red', '')).to.deep.equal(['The update removes the case Color.red.'])
    expect(problem('access(all) struct Item', 'access(all) struct Thing')).to.deep.equal([
      'The update removes struct Item.',
    ])
    expect(problem('access(all) struct Item', 'access(all) resource Item')).to.deep.equal([
      'Item changes from struct to resource.',
    ])
    expect(problem('access(all) resource interface Till { access(all) fun pay() }', '')).to.deep.equal([
      'The update removes resource interface Till.',
    ])
    expect(problem('access(all) fun total', 'access(all) var count: Int\n access(all) fun total')).to.deep.equal([
      'The field count is new: stored data has no value for it, and init does not run again.',
    ])
  })

  it('is compared for any text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('contract ', 'A', '{', '}', 'let ', 'case ', ':', 'struct ', '(', ')', '<'),
        }),
        (code) => {
          expect(updateProblems(before, code)).to.be.an('array')
          expect(updateProblems(code, code)).to.deep.equal([])
        },
      ),
    )
  })
})
