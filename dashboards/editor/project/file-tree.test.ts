import { expect } from 'chai'
import { fileTree, folderOf, movedPath } from './file-tree.ts'

describe('the tree of files', () => {
  it('has folders before files, each by name, and folders without files', () => {
    expect(
      fileTree(['b.cdc', 'contracts/B.cdc', 'a10.cdc', 'a9.cdc', 'contracts/in/C.cdc'], ['empty', 'contracts']),
    ).to.deep.equal([
      {
        kind: 'folder',
        path: 'contracts',
        name: 'contracts',
        children: [
          {
            kind: 'folder',
            path: 'contracts/in',
            name: 'in',
            children: [{ kind: 'file', path: 'contracts/in/C.cdc', name: 'C.cdc' }],
          },
          { kind: 'file', path: 'contracts/B.cdc', name: 'B.cdc' },
        ],
      },
      { kind: 'folder', path: 'empty', name: 'empty', children: [] },
      { kind: 'file', path: 'a9.cdc', name: 'a9.cdc' },
      { kind: 'file', path: 'a10.cdc', name: 'a10.cdc' },
      { kind: 'file', path: 'b.cdc', name: 'b.cdc' },
    ])
  })

  it('takes along what is below a folder that is renamed, and nothing whose name only begins alike', () => {
    expect(['a', 'a/b.cdc', 'ab/c.cdc'].map((path) => movedPath(path, 'a', 'x/y'))).to.deep.equal([
      'x/y',
      'x/y/b.cdc',
      'ab/c.cdc',
    ])
    expect([folderOf('a.cdc'), folderOf('a/b/c.cdc')]).to.deep.equal(['', 'a/b'])
  })
})
