import { expect } from 'chai'
import fc from 'fast-check'
import { fileChanges, haveChanged, withChanges, mergeFiles, resolveConflicts, limitProblem } from './file-changes.ts'
import { freePath } from './file-tree.ts'
import type { Choice } from './file-changes.ts'

const byPath = ([one]: readonly [string, string], [other]: readonly [string, string]): number => (one < other ? -1 : 1)

const someFiles = fc
  .dictionary(fc.constantFrom('a', 'b', 'c/d', 'e', 'f'), fc.string({ maxLength: 3 }))
  .map((files) => new Map(Object.entries(files)))

describe('file changes', () => {
  it('turn the old files into the new ones', () => {
    fc.assert(
      fc.property(someFiles, someFiles, (before, after) => {
        const made = withChanges(before, fileChanges(before, after))
        expect(new Map([...made].sort(byPath))).to.deep.equal(new Map([...after].sort(byPath)))
      }),
    )
  })

  it('are empty for equal files, and list changed files only', () => {
    fc.assert(
      fc.property(someFiles, someFiles, (before, after) => {
        expect(haveChanged(fileChanges(before, new Map(before)))).to.equal(false)
        for (const { path, content } of fileChanges(before, after).files) expect(before.get(path)).not.to.equal(content)
      }),
    )
  })
})

const fewFiles = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3'))
  .map((files) => new Map(Object.entries(files)))
const sorted = (files: ReadonlyMap<string, string>): unknown => [...files].sort(byPath)

describe('three-way merge', () => {
  it('reports every change of both sides', () => {
    fc.assert(
      fc.property(fewFiles, fewFiles, fewFiles, (base, mine, theirs) => {
        const { files, conflicts } = mergeFiles(base, mine, theirs)
        const requested = new Set(conflicts.map(({ path }) => path))
        for (const path of ['a', 'b', 'c', 'd']) {
          if (requested.has(path)) continue
          if (mine.get(path) !== base.get(path)) expect(files.get(path)).to.equal(mine.get(path))
          if (theirs.get(path) !== base.get(path)) expect(files.get(path)).to.equal(theirs.get(path))
        }
      }),
    )
  })

  it('has no conflict if one side is unchanged or both are equal', () => {
    fc.assert(
      fc.property(fewFiles, fewFiles, (base, other) => {
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

  it('keeps all texts of both sides by default', () => {
    fc.assert(
      fc.property(fewFiles, fewFiles, fewFiles, (base, mine, theirs) => {
        const merged = mergeFiles(base, mine, theirs)
        const texts = [...resolveConflicts(merged, new Map(), (path, taken) => freePath(taken, path)).values()]
        for (const conflict of merged.conflicts) {
          for (const text of [conflict.mine, conflict.theirs]) if (text !== undefined) expect(texts).to.include(text)
        }
      }),
    )
  })

  it('applies the resolution', () => {
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

const limits = { files: 2, file_bytes: 10, project_bytes: 15 }
const of = (files: Record<string, string>): string | undefined => limitProblem(new Map(Object.entries(files)), limits)

describe('limits of a project', () => {
  it('accept files at the limit', () => {
    expect(of({ 'a.cdc': 'äääää', 'b.cdc': '12345' })).to.equal(undefined)
  })

  it('name the size and the limit', () => {
    expect(of({ 'a.cdc': 'ääääää' }))
      .to.include('a.cdc has 12 bytes')
      .and.to.include('limit is 10')
    expect(of({ 'a.cdc': '1234567890', 'b.cdc': '123456' }))
      .to.include('The project has 16 bytes')
      .and.to.include('limit is 15')
    expect(of({ a: '', b: '', c: '' }))
      .to.include('has 3 files')
      .and.to.include('limit is 2')
  })
})
