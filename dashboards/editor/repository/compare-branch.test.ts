import { expect } from 'chai'
import fc from 'fast-check'
import { compareBranch } from './compare-branch.ts'

const tree = fc
  .dictionary(fc.constantFrom('a.cdc', 'b.cdc', 'c/d.cdc', 'e.md'), fc.constantFrom('one', 'two', ''))
  .map((record) => new Map(Object.entries(record)))
const idOf = (content: string): string => `id of ${content}`

describe('a project beside a branch', () => {
  it('differs in what is here, there, or in both with other content, and in nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(tree, tree, async (files, branch) => {
        const differences = await compareBranch(
          files,
          [...branch].map(([path, content]) => ({ path, sha: idOf(content) })),
          (content) => Promise.resolve(idOf(content)),
        )
        const expected = [...new Set([...files.keys(), ...branch.keys()])]
          .sort()
          .filter((path) => files.get(path) !== branch.get(path))
          .map((path) => ({ path, is: !branch.has(path) ? 'here' : files.has(path) ? 'both' : 'there' }))
        expect(differences).to.deep.equal(expected)
      }),
    )
  })
})
