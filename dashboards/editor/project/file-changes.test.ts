import { expect } from 'chai'
import fc from 'fast-check'
import { fileChanges, haveChanged, withChanges } from './file-changes.ts'

const byPath = ([one]: readonly [string, string], [other]: readonly [string, string]): number => (one < other ? -1 : 1)

const someFiles = fc
  .dictionary(fc.constantFrom('a', 'b', 'c/d', 'e', 'f'), fc.string({ maxLength: 3 }))
  .map((files) => new Map(Object.entries(files)))

describe('changes of files', () => {
  it('make the new files of the old ones', () => {
    fc.assert(
      fc.property(someFiles, someFiles, (before, after) => {
        const made = withChanges(before, fileChanges(before, after))
        expect(new Map([...made].sort(byPath))).to.deep.equal(new Map([...after].sort(byPath)))
      }),
    )
  })

  it('are none between the same files, and name nothing that stayed', () => {
    fc.assert(
      fc.property(someFiles, someFiles, (before, after) => {
        expect(haveChanged(fileChanges(before, new Map(before)))).to.equal(false)
        for (const { path, content } of fileChanges(before, after).files) expect(before.get(path)).not.to.equal(content)
      }),
    )
  })
})
