import { expect } from 'chai'
import { freePath, withFile, withFolder, withMoved, withOpen, withoutPath, withoutTab } from './project-acts.ts'
import { isUnsaved, newProject, projectOf } from './project-state.ts'
import type { ProjectState } from './project-state.ts'

const stored: ProjectState = projectOf({
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
})

describe('acts on a project', () => {
  it('begin with tabs of files that are there', () => {
    expect(stored).to.deep.include({ open: ['b.cdc'], active: 'b.cdc', isReadOnly: false })
  })

  it('show the neighbour of a tab that is closed', () => {
    const three = withOpen(withOpen(stored, 'a.cdc'), 'f/c.cdc')
    expect(withoutTab(three, 'f/c.cdc').active).to.equal('a.cdc')
    expect(withoutTab(withOpen(three, 'b.cdc'), 'b.cdc').active).to.equal('a.cdc')
    expect(withoutTab(withoutTab(withoutTab(three, 'a.cdc'), 'b.cdc'), 'f/c.cdc')).to.deep.include({
      open: [],
      active: undefined,
    })
  })

  it('rename a folder with its tabs, and delete it with its files', () => {
    const moved = withMoved(withOpen(stored, 'f/c.cdc'), 'f', 'g/h')
    expect([...moved.files.keys()]).to.deep.equal(['a.cdc', 'b.cdc', 'g/h/c.cdc'])
    expect(moved).to.deep.include({ folders: ['g/h'], open: ['b.cdc', 'g/h/c.cdc'], active: 'g/h/c.cdc' })
    expect(withoutPath(moved, 'g/h')).to.deep.include({ folders: [], open: ['b.cdc'], active: 'b.cdc' })
  })

  it('make it unsaved, and undone make it saved again', () => {
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

  it('find a name that is free', () => {
    expect(freePath(new Set(['f/a.cdc', 'f/a-2.cdc']), 'f/a.cdc')).to.equal('f/a-3.cdc')
    expect(freePath(new Set<string>(), 'a')).to.equal('a')
  })
})
