import { expect } from 'chai'
import fc from 'fast-check'
import { freePath } from '../project/project-acts.ts'
import { mergeFiles, resolveConflicts } from './merge-files.ts'
import type { Choice } from './merge-files.ts'

const byPath = ([one]: readonly [string, string], [other]: readonly [string, string]): number => (one < other ? -1 : 1)

const someFiles = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3'))
  .map((files) => new Map(Object.entries(files)))
const sorted = (files: ReadonlyMap<string, string>): unknown => [...files].sort(byPath)

describe('bringing together two versions of a project', () => {
  it('loses no change of either side without asking', () => {
    fc.assert(
      fc.property(someFiles, someFiles, someFiles, (base, mine, theirs) => {
        const { files, conflicts } = mergeFiles(base, mine, theirs)
        const asked = new Set(conflicts.map(({ path }) => path))
        for (const path of ['a', 'b', 'c', 'd']) {
          if (asked.has(path)) continue
          if (mine.get(path) !== base.get(path)) expect(files.get(path)).to.equal(mine.get(path))
          if (theirs.get(path) !== base.get(path)) expect(files.get(path)).to.equal(theirs.get(path))
        }
      }),
    )
  })

  it('asks nothing where one side changed nothing, or both the same', () => {
    fc.assert(
      fc.property(someFiles, someFiles, (base, other) => {
        for (const [mine, theirs] of [
          [base, other],
          [other, base],
          [other, other],
        ] as const) {
          const { files, conflicts } = mergeFiles(base, mine, theirs)
          expect(conflicts).to.deep.equal([])
          expect(sorted(files)).to.deep.equal(sorted(other))
        }
      }),
    )
  })

  it('keeps every text of both sides where nobody decided', () => {
    fc.assert(
      fc.property(someFiles, someFiles, someFiles, (base, mine, theirs) => {
        const merged = mergeFiles(base, mine, theirs)
        const texts = [...resolveConflicts(merged, new Map(), (path, taken) => freePath(taken, path)).values()]
        for (const conflict of merged.conflicts) {
          for (const text of [conflict.mine, conflict.theirs]) if (text !== undefined) expect(texts).to.include(text)
        }
      }),
    )
  })

  it('does what was decided', () => {
    const merged = mergeFiles(
      new Map([
        ['a', '0'],
        ['b', '0'],
      ]),
      new Map([['a', '1']]),
      new Map([
        ['a', '2'],
        ['b', '2'],
      ]),
    )
    const by = (choice: Choice): unknown =>
      sorted(
        resolveConflicts(
          merged,
          new Map([
            ['a', choice],
            ['b', choice],
          ]),
          (path) => `${path}-theirs`,
        ),
      )
    expect(by('mine')).to.deep.equal([['a', '1']])
    expect(by('theirs')).to.deep.equal([
      ['a', '2'],
      ['b', '2'],
    ])
    expect(by('both')).to.deep.equal([
      ['a', '1'],
      ['a-theirs', '2'],
      ['b', '2'],
    ])
  })
})
