import { expect } from 'chai'
import * as fc from 'fast-check'
import { editsToStart, matchOfName, NameIndex } from './name-index.ts'
import type { NamedEntry } from './name-index.ts'

type Kind = 'token' | 'contract'

const entry = (id: string, names: readonly string[], weight = 0, kind: Kind = 'token'): NamedEntry<Kind> => ({
  kind,
  id,
  names,
  weight,
})

async function found(text: string, entries: ReadonlyArray<NamedEntry<Kind>>, max = 10): Promise<readonly string[]> {
  const index = await NameIndex.build(entries)
  return index.search(text, max).map(({ id, match }) => `${id} ${match}`)
}

describe('NameIndex', () => {
  it('ranks whole names, starts, words and other parts, then by weight', async () => {
    const entries = [
      entry('part', ['Unflowing']),
      entry('word', ['WrappedFlowToken']),
      entry('light', ['Flowers'], 1),
      entry('heavy', ['Flow Token'], 2),
      entry('whole', ['x', 'FLOW']),
      entry('other', ['Pebbles']),
      entry('across', ['Of.Lowing']),
    ]
    expect(await found('flow', entries)).to.deep.equal([
      'whole exact',
      'heavy start',
      'light start',
      'word word',
      'part part',
    ])
    expect(await found('flow', entries, 2)).to.deep.equal(['whole exact', 'heavy start'])
  })

  it('ignores case, spaces, accents and signs, and the order of words', async () => {
    const entries = [entry('a', ['River Stones']), entry('b', ['Café-Société']), entry('c', ['宝石 コレクション'])]
    for (const text of ['riverstones', 'RIVER STONES', 'river-stones'])
      expect(await found(text, entries), text).to.deep.equal(['a exact'])
    expect(await found('stones river', entries)).to.deep.equal(['a part'])
    expect(await found('cafe societe', entries)).to.deep.equal(['b exact'])
    expect(await found('宝石', entries)).to.deep.equal(['c start'])
    for (const text of ['', '%', '…', ' ']) expect(await found(text, entries), text).to.deep.equal([])
  })

  it('matches single names', () => {
    const matches = ['pebble', 'peb', 'seven', 'ebb', 'grey'].map((text) => matchOfName(text, 'Pebble'))
    expect(matches).to.deep.equal(['exact', 'start', 'part', 'part', 'part'])
    expect(matchOfName('seven', 'Pebble #7 Seven')).to.equal('word')
  })

  it('matches identifiers by their parts', async () => {
    const entries = [entry('A.0ae53cb6e3f42a79.FlowToken', ['FlowToken'], 0, 'contract')]
    expect(await found('a.0ae53cb6e3f42a79.flowtoken', entries)).to.deep.equal([`${entries[0]?.id} exact`])
    expect(await found('A.0ae53cb6e3f42a79.', entries)).to.deep.equal([`${entries[0]?.id} start`])
    expect(await found('3cb6e3f42a79', entries)).to.deep.equal([`${entries[0]?.id} part`])
  })

  it('finds names despite typing errors, unless others start with the text', async () => {
    const entries = [entry('shot', ['TopShot']), entry('lockers', ['TopShotLockers']), entry('pop', ['PopSlot'])]
    for (const text of ['topshto', 'tpshot', 'topshott', 'tapshot'])
      expect(await found(text, entries), text).to.deep.equal(['shot similar', 'lockers similar'])
    expect(await found('topshotlokcesr', entries)).to.deep.equal(['lockers similar'])
    expect(await found('topshot', entries)).to.deep.equal(['shot exact', 'lockers start'])
    expect(await found('tpo', entries)).to.deep.equal([])
  })

  it('finds every name with an error in it', async () => {
    const words = fc.string({ unit: fc.constantFrom(...'abcdefghij'.split('')), minLength: 8, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(words, fc.nat(), fc.constantFrom('drop', 'add', 'swap', 'replace'), async (name, at, error) => {
        const i = 1 + (at % (name.length - 2))
        const typed = {
          drop: name.slice(0, i) + name.slice(i + 1),
          add: `${name.slice(0, i)}z${name.slice(i)}`,
          swap: `${name.slice(0, i)}${name[i + 1]}${name[i]}${name.slice(i + 2)}`,
          replace: `${name.slice(0, i)}z${name.slice(i + 1)}`,
        }[error]
        expect(await found(typed, [entry('a', [name])])).to.have.length(1)
        expect(editsToStart(typed, name, 0, 2)).to.be.at.most(1)
      }),
    )
  })

  it('counts edits as the full distance does', () => {
    const words = fc.string({ unit: fc.constantFrom(...'abc'.split('')), maxLength: 7 })
    fc.assert(
      fc.property(words, words, (query, text) => {
        const exact = Math.min(
          ...Array.from({ length: text.length + 1 }, (_, end) => distance(query, text.slice(0, end))),
        )
        for (const max of [1, 2]) expect(editsToStart(query, text, 0, max)).to.equal(Math.min(exact, max + 1))
      }),
    )
  })
})

/** Optimal string alignment, by its definition. */
function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const isSame = a.at(-1) === b.at(-1)
  const isSwap = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1)
  return Math.min(
    distance(a.slice(0, -1), b) + 1,
    distance(a, b.slice(0, -1)) + 1,
    distance(a.slice(0, -1), b.slice(0, -1)) + (isSame ? 0 : 1),
    isSwap ? distance(a.slice(0, -2), b.slice(0, -2)) + 1 : Infinity,
  )
}
