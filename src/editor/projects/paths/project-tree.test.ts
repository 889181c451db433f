import { expect } from 'chai'
import fc from 'fast-check'
import { foldersAbove, pathKey } from './path-key.ts'
import { ProjectTree } from './project-tree.ts'

function tree(...files: readonly string[]): ProjectTree {
  const made = new ProjectTree()
  for (const file of files) made.keepFile(file)
  return made
}

describe('the tree of a project', () => {
  it('has no two files that are too much alike', () => {
    const problem = tree('Main.cdc').addFile('main.cdc')
    expect(problem?.rule).to.equal('same-path')
    expect(problem?.text).to.include('Main.cdc')
    expect(tree('ﬁle').addFile('file')?.rule).to.equal('same-path')
    expect(tree('main.cdc').addFile('main.cdc')).to.equal(undefined)
  })

  it('has no file where a folder is, and no folder where a file is', () => {
    expect(tree('a/b').addFile('a')?.rule).to.equal('file-and-folder')
    expect(tree('a/b/c').addFile('A/b')?.rule).to.equal('file-and-folder')
    expect(tree('a').addFile('a/b')?.rule).to.equal('file-and-folder')
    expect(tree('a').addFolder('a')?.rule).to.equal('file-and-folder')
    expect(tree('a').addFolder('A/b')?.rule).to.equal('file-and-folder')
    const withFolder = tree()
    withFolder.keepFolder('x/y')
    expect(withFolder.addFile('X')?.rule).to.equal('file-and-folder')
  })

  it('has each folder in one spelling', () => {
    expect(tree('Contracts/a').addFile('contracts/b')?.rule).to.equal('other-spelling')
    expect(tree('Contracts/a').addFolder('contracts')?.rule).to.equal('other-spelling')
    expect(tree('Contracts/a').addFile('Contracts/b')).to.equal(undefined)
    expect(tree('Contracts/a').addFolder('Contracts')).to.equal(undefined)
  })

  it('fits on any file system, whatever is added in whatever order', () => {
    const path = fc
      .array(fc.constantFrom('a', 'A', 'b', 'ß', 'ss', 'SS'), { minLength: 1, maxLength: 3 })
      .map((segments) => segments.join('/'))
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.boolean()), { maxLength: 30 }), (added) => {
        const made = new ProjectTree()
        const files = new Set<string>()
        const folders = new Set<string>()
        for (const [one, isFile] of added) {
          const problem = isFile ? made.addFile(one) : made.addFolder(one)
          if (problem !== undefined) continue
          for (const folder of foldersAbove(one)) folders.add(folder)
          if (isFile) files.add(one)
          else folders.add(one)
        }
        const all = [...files, ...folders]
        expect(new Set(all.map(pathKey)).size).to.equal(all.length)
      }),
      { numRuns: 1000 },
    )
  })
})
