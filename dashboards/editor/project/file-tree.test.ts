import { expect } from 'chai'
import {
  fileTree,
  folderOf,
  movedPath,
  freePath,
  withFile,
  withFolder,
  withMoved,
  paneFiles,
  shownOf,
  withOpen,
  withOtherPane,
  withSide,
  withoutPath,
  withoutTab,
  moveProblem,
} from './file-tree.ts'
import { isUnsaved, newProject, projectOf } from './project-state.ts'
import type { ProjectState } from './project-state.ts'
import type { OpenedProject } from '../types.ts'

describe('file tree', () => {
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

  it('moves files below a renamed folder, and no others', () => {
    expect(['a', 'a/b.cdc', 'ab/c.cdc'].map((path) => movedPath(path, 'a', 'x/y'))).to.deep.equal([
      'x/y',
      'x/y/b.cdc',
      'ab/c.cdc',
    ])
    expect([folderOf('a.cdc'), folderOf('a/b/c.cdc')]).to.deep.equal(['', 'a/b'])
  })
})

const opened: OpenedProject = {
  project: {
    id: 'i',
    slug: 's',
    version: 3,
    name: 'N',
    network: 'testnet',
    is_public: false,
    updated_at: '',
    isOwner: true,
    active_file: 'gone.cdc',
    open_files: ['b.cdc', 'gone.cdc'],
    folders: ['f'],
  },
  files: [
    { path: 'a.cdc', content: 'a' },
    { path: 'b.cdc', content: 'b' },
    { path: 'f/c.cdc', content: 'c' },
  ],
}
const stored: ProjectState = projectOf(opened)

describe('edits of a project', () => {
  it('start with tabs of existing files', () => {
    expect(stored).to.deep.include({ open: ['b.cdc'], active: 'b.cdc', isReadOnly: false })
  })

  it('activate the neighbour of a closed tab', () => {
    const three = withOpen(withOpen(stored, 'a.cdc'), 'f/c.cdc')
    expect(withoutTab(three, 'f/c.cdc').active).to.equal('a.cdc')
    expect(withoutTab(withOpen(three, 'b.cdc'), 'b.cdc').active).to.equal('a.cdc')
    expect(withoutTab(withoutTab(withoutTab(three, 'a.cdc'), 'b.cdc'), 'f/c.cdc')).to.deep.include({
      open: [],
      active: undefined,
    })
  })

  it('show one file in each of two panes', () => {
    expect(withSide(withoutTab(stored, 'b.cdc'), 'a.cdc')).to.deep.include({ active: 'a.cdc', split: undefined })
    expect(withSide(stored, 'b.cdc')).to.deep.include({ active: 'b.cdc', split: undefined })
    const two = withSide(stored, 'a.cdc')
    expect(two).to.deep.include({ open: ['b.cdc', 'a.cdc'], active: 'a.cdc', split: { path: 'b.cdc', isLeft: true } })
    expect(paneFiles(two)).to.deep.equal(['b.cdc', 'a.cdc'])
    const left = withOpen(two, 'b.cdc')
    expect(left).to.deep.include({ active: 'b.cdc', split: { path: 'a.cdc', isLeft: false } })
    expect(withOtherPane(left)).to.deep.equal(two)
    const three = withOpen(left, 'f/c.cdc')
    expect(paneFiles(three)).to.deep.equal(['f/c.cdc', 'a.cdc'])
    expect(paneFiles(withSide(three, 'f/c.cdc'))).to.deep.equal(['a.cdc', 'f/c.cdc'])
    expect(paneFiles(withSide(three, 'b.cdc'))).to.deep.equal(['f/c.cdc', 'b.cdc'])
    expect(paneFiles(withoutTab(three, 'f/c.cdc'))).to.deep.equal(['b.cdc', 'a.cdc'])
    expect(paneFiles(withoutTab(three, 'a.cdc'))).to.deep.equal(['f/c.cdc'])
    expect(paneFiles(withoutTab(two, 'a.cdc'))).to.deep.equal(['b.cdc'])
    expect(paneFiles(withoutPath(three, 'a.cdc'))).to.deep.equal(['f/c.cdc'])
    expect(paneFiles(withMoved(three, 'a.cdc', 'z.cdc'))).to.deep.equal(['f/c.cdc', 'z.cdc'])
    expect(shownOf(three, ['b.cdc', 'a.cdc'])).to.deep.equal({ active: 'a.cdc', split: undefined })
    expect(shownOf(three, ['b.cdc'])).to.deep.equal({ active: 'b.cdc', split: undefined })
    expect(shownOf(three, ['a.cdc', 'f/c.cdc'])).to.deep.equal({ active: 'f/c.cdc', split: three.split })
  })

  it('reopen two panes, the left one with the focus', () => {
    const reopen = (side: string | null): readonly (string | undefined)[] =>
      paneFiles(projectOf({ ...opened, project: { ...opened.project, active_file: 'a.cdc', side_file: side } }))
    expect(reopen('b.cdc')).to.deep.equal(['a.cdc', 'b.cdc'])
    for (const side of ['a.cdc', 'gone.cdc', null]) expect(reopen(side)).to.deep.equal(['a.cdc'])
  })

  it('rename a folder with its tabs, and delete it with its files', () => {
    const moved = withMoved(withOpen(stored, 'f/c.cdc'), 'f', 'g/h')
    expect([...moved.files.keys()]).to.deep.equal(['a.cdc', 'b.cdc', 'g/h/c.cdc'])
    expect(moved).to.deep.include({ folders: ['g/h'], open: ['b.cdc', 'g/h/c.cdc'], active: 'g/h/c.cdc' })
    expect(withoutPath(moved, 'g/h')).to.deep.include({ folders: [], open: ['b.cdc'], active: 'b.cdc' })
  })

  it('mark it unsaved until they are undone', () => {
    expect(isUnsaved(stored)).to.equal(false)
    const changed = withFile(stored, 'a.cdc', 'A')
    expect(isUnsaved(changed)).to.equal(true)
    expect(isUnsaved(withFile(changed, 'a.cdc', 'a'))).to.equal(false)
    for (const other of [withFolder(stored, 'g'), withoutPath(stored, 'a.cdc'), { ...stored, isPublic: true }])
      expect(isUnsaved(other)).to.equal(true)
    expect(isUnsaved(withOpen(stored, 'a.cdc'))).to.equal(false)
    expect(isUnsaved(newProject('testnet'))).to.equal(false)
    expect(isUnsaved({ ...changed, isReadOnly: true })).to.equal(false)
  })

  it('find a free name', () => {
    expect(freePath(new Set(['f/a.cdc', 'f/a-2.cdc']), 'f/a.cdc')).to.equal('f/a-3.cdc')
    expect(freePath(new Set<string>(), 'a')).to.equal('a')
  })
})

const project = {
  files: new Map([
    ['lib/a.cdc', ''],
    ['scripts/b.cdc', ''],
  ]),
  folders: ['empty', 'lib'],
}

describe('moving files and folders', () => {
  it('accepts free paths, also within the folder or in another case', () => {
    for (const to of ['library', 'LIB', 'lib/deep', 'empty/lib'])
      expect(moveProblem(project, 'lib', to), to).to.equal(undefined)
    expect(moveProblem(project, 'lib/a.cdc', 'empty/a.cdc')).to.equal(undefined)
  })

  it('rejects existing files and folders', () => {
    expect(moveProblem(project, 'lib', 'Empty')).to.equal('empty is already a folder.')
    expect(moveProblem(project, 'lib', 'scripts')).to.equal('scripts is already a folder.')
    expect(moveProblem(project, 'lib', 'scripts/b.cdc')).to.include('already exists')
    expect(moveProblem(project, 'lib/a.cdc', 'lib')).to.equal('lib is already a folder.')
  })

  it('rejects paths that become too deep', () => {
    expect(moveProblem(project, 'lib', 'a/a/a/a/a/a/a/a/a/a')).to.equal(
      'Could not move lib/a.cdc: The path has too many folders: the limit is 10 levels.',
    )
  })
})
