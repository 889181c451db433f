import { expect } from 'chai'
import { FatalError } from '../platform/errors.ts'
import { columnTypes, standardColumns } from './declaration.ts'
import { declarationLimits, readDeclaration } from './read-declaration.ts'

const shop = {
  contract: 'A.0000000000000001.Shop',
  version: 1,
  tables: { sales: { columns: { seller: { type: 'text', index: true }, price: { type: 'numeric' } } } },
}
const totals = { kind: 'sum', of: 'sales', key: ['seller'], sums: { volume: 'price' } }
const latest = { kind: 'latest', of: 'sales', key: ['seller'], columns: ['price'] }

function problemOf(changes: object): string | undefined {
  try {
    readDeclaration({ ...shop, ...changes })
    return undefined
  } catch (error) {
    if (error instanceof FatalError && error.code === 'bad-own-worker') return error.message
    throw error
  }
}

const columns = (count: number, column: object = { type: 'text' }): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, column]))
const table = (columnsOfTable: object): object => ({ tables: { sales: { columns: columnsOfTable } } })

describe('readDeclaration', () => {
  it('returns what is stored, with defaults', () => {
    const views = { best: { sql: 'select seller from totals' } }
    expect(readDeclaration({ ...shop, events: ['Sold', 'Sold'], folds: { totals, latest }, views })).to.deep.equal({
      contract: 'A.0000000000000001.Shop',
      version: 1,
      description: '',
      events: ['Sold'],
      startHeight: null,
      tables: [
        {
          name: 'sales',
          comment: '',
          columns: [
            { name: 'seller', type: 'text', isOptional: false, isIndexed: true, comment: '' },
            { name: 'price', type: 'numeric', isOptional: false, isIndexed: false, comment: '' },
          ],
        },
      ],
      folds: [
        {
          name: 'totals',
          kind: 'sum',
          of: 'sales',
          key: ['seller'],
          count: 'row_count',
          sums: [{ name: 'volume', of: 'price' }],
          comment: '',
        },
        { name: 'latest', kind: 'latest', of: 'sales', key: ['seller'], columns: ['price'], comment: '' },
      ],
      views: [{ name: 'best', comment: '', sql: 'select seller from totals', columns: [] }],
    })
  })

  it('names the field and the remedy', () => {
    const problems: readonly (readonly [object, string])[] = [
      [{ contract: 'TopShot' }, 'contract: Use A.<address, 16 lower-case hex digits>.<name>.'],
      [{ version: 0 }, 'version: Use a whole number from 1 to 2147483647.'],
      [{ events: ['A.0000000000000001.Shop.Sold'] }, 'events.0: Use the name of an event, without its contract.'],
      [{ startHeight: -1 }, 'startHeight: Use a whole number from 0 to'],
      [{ tables: {} }, 'tables: Declare at least one table.'],
      [{ tabels: {} }, 'the default export: Unrecognized key: "tabels"'],
      [table({ price: { type: 'money' } }), `tables.sales.columns.price.type: Use one of ${columnTypes.join(', ')}.`],
      [table({ Price: { type: 'text' } }), 'tables.sales.columns.Price: Start with a letter, and use lower-case'],
      [table({ ctid: { type: 'text' } }), 'tables.sales.columns.ctid: Rename the column'],
      [{ folds: { sales: totals } }, 'folds.sales: Rename the fold: a table has the same name.'],
      [{ folds: { sums: { ...totals, kind: 'max' } } }, 'folds.sums.kind: Set kind to latest or sum.'],
      [{ folds: { sums: { ...totals, of: 'sale' } } }, 'folds.sums.of: Name one of the tables: sales.'],
      [{ folds: { sums: { ...totals, of: 'constructor' } } }, 'folds.sums.of: Name one of the tables: sales.'],
      [{ folds: { sums: { ...totals, key: ['buyer'] } } }, 'folds.sums.key.0: Name a column of sales: seller, price.'],
      [{ folds: { sums: { ...totals, key: [] } } }, 'folds.sums.key: Name at least one column.'],
      [{ folds: { sums: { ...totals, count: 'seller' } } }, 'folds.sums: Name each column once: seller is repeated.'],
      [{ folds: { sums: { ...totals, sums: { all: 'seller' } } } }, 'folds.sums.sums.all: Name an integer, bigint or'],
      [{ folds: { last: { ...latest, columns: ['seller'] } } }, 'folds.last: Name each column once'],
      [{ folds: { last: { ...latest, columns: ['toString'] } } }, 'folds.last.columns.0: Name a column of sales'],
      [{ description: 'a\0b' }, 'description: Remove U+0000 and unpaired surrogates.'],
    ]
    for (const [changes, problem] of problems) expect(problemOf(changes), problem).to.include(problem)
    for (const value of [undefined, null, 1, 'x', []])
      expect(() => readDeclaration(value)).to.throw(FatalError, 'the default export')
    const keyed = { tables: { sales: { columns: { at: { type: 'jsonb' } } } } }
    expect(problemOf({ ...keyed, folds: { a: { ...latest, key: ['at'], columns: ['block_height'] } } })).to.include(
      'Use a column of another type than jsonb.',
    )
  })

  it('rejects names of standard and system columns', () => {
    for (const { name } of standardColumns) expect(problemOf(table({ [name]: { type: 'text' } }))).to.include(name)
    expect(problemOf({ folds: { sums: { ...totals, count: 'xmin' } } })).to.include('count: Rename the column')
  })

  it('has limits', () => {
    const l = declarationLimits
    const repeat = (count: number, make: (i: number) => [string, object]): object =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => make(i)))
    const long = 'a'.repeat(l.nameLength)
    const cases: readonly (readonly [allowed: object, tooMuch: object, problem: string])[] = [
      [table(columns(l.columns)), table(columns(l.columns + 1)), 'Declare at most 200 columns.'],
      [
        table(columns(l.indexes, { type: 'text', index: true })),
        table(columns(l.indexes + 1, { type: 'text', index: true })),
        'Index at most 20 columns.',
      ],
      [table({ [long]: { type: 'text' } }), table({ [`${long}a`]: { type: 'text' } }), 'Use at most 50 characters.'],
      [
        { tables: repeat(l.tables, (i) => [`t${i}`, { columns: {} }]) },
        { tables: repeat(l.tables + 1, (i) => [`t${i}`, { columns: {} }]) },
        'Declare at most 50 tables.',
      ],
      [
        { folds: repeat(l.folds, (i) => [`f${i}`, totals]) },
        { folds: repeat(l.folds + 1, (i) => [`f${i}`, totals]) },
        'Declare at most 50 folds.',
      ],
      [
        { ...table(columns(9)), folds: { a: { ...totals, key: keysOf(l.keyColumns), sums: {} } } },
        { ...table(columns(9)), folds: { a: { ...totals, key: keysOf(l.keyColumns + 1), sums: {} } } },
        'Use at most 8 columns.',
      ],
      [
        { folds: { a: { ...totals, sums: repeat(l.indexes, (i) => [`s${i}`, 'price' as never]) } } },
        { folds: { a: { ...totals, sums: repeat(l.indexes + 1, (i) => [`s${i}`, 'price' as never]) } } },
        'Declare at most 20 sums.',
      ],
      [{ description: 'x'.repeat(1000) }, { description: 'x'.repeat(1001) }, 'Use at most 1000 characters.'],
      [{ events: Array(l.events).fill('E') }, { events: Array(l.events + 1).fill('E') }, 'events: Too big'],
      [{ version: l.version }, { version: l.version + 1 }, 'version: Use a whole number'],
    ]
    for (const [allowed, tooMuch, problem] of cases) {
      expect(problemOf(allowed), problem).to.equal(undefined)
      expect(problemOf(tooMuch), problem).to.include(problem)
    }
  })

  it('shortens the message of many problems', () => {
    const message = problemOf(table(columns(100, { type: 'money' }))) ?? ''
    expect(message).to.include('95 more')
    expect(message.length).to.be.below(3000)
  })
})

function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `c${i}`)
}
