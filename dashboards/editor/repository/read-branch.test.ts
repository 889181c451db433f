import { expect } from 'chai'
import type { Connection, TreeEntry } from './contract.ts'
import { readBranch } from './read-branch.ts'

const connection: Connection = {
  project_id: 'p',
  owner: 'ann',
  repo: 'token',
  path: '',
  branch: 'main',
  network: 'testnet',
  workflow_path: null,
  is_on: true,
  off_reason: null,
}

/** A repository of these entries, by folder. */
function repositoryOf(folders: Readonly<Record<string, readonly TreeEntry[]>>, asked: string[] = []) {
  return {
    head: () => Promise.resolve('c0ffee'),
    folder: (_: Connection, path: string, ref: string) => {
      asked.push(`${path}@${ref}`)
      return Promise.resolve(folders[path] ?? [])
    },
  }
}

const entry = (type: string, path: string): TreeEntry => ({ type, path, sha: `of ${path}` })

describe('the files of a branch', () => {
  const folders = {
    '': [
      entry('file', 'README.md'),
      entry('dir', 'cadence'),
      entry('dir', '.github'),
      entry('symlink', 'link'),
      entry('file', 'nul.txt'),
    ],
    cadence: [entry('file', 'cadence/b.cdc'), entry('dir', 'cadence/contracts')],
    'cadence/contracts': [entry('file', 'cadence/contracts/A.cdc')],
  }

  it('are read folder by folder at one commit, without what a project cannot have', async () => {
    const asked: string[] = []
    const { head, files, left } = await readBranch(repositoryOf(folders, asked), connection)
    expect(head).to.equal('c0ffee')
    expect(files).to.deep.equal([
      { path: 'README.md', sha: 'of README.md' },
      { path: 'cadence/b.cdc', sha: 'of cadence/b.cdc' },
      { path: 'cadence/contracts/A.cdc', sha: 'of cadence/contracts/A.cdc' },
    ])
    expect(left.map(({ path }) => path)).to.deep.equal(['.github', 'link', 'nul.txt'])
    expect(asked).to.deep.equal(['@c0ffee', 'cadence@c0ffee', 'cadence/contracts@c0ffee'])
  })

  it('have the paths of the project where that is a folder of the repository', async () => {
    const { files } = await readBranch(repositoryOf(folders), { ...connection, path: 'cadence' })
    expect(files.map(({ path }) => path)).to.deep.equal(['b.cdc', 'contracts/A.cdc'])
  })

  it('are none where there is no such branch yet, and are not looked for without end', async () => {
    expect(await readBranch({ ...repositoryOf({}), head: () => Promise.resolve(null) }, connection)).to.deep.equal({
      head: null,
      files: [],
      left: [],
    })
    const endless = {
      head: () => Promise.resolve('c0ffee'),
      folder: (_: Connection, path: string) => Promise.resolve([entry('dir', `${path}/x`), entry('dir', `${path}/y`)]),
    }
    const error: unknown = await readBranch(endless, connection).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('message').that.includes('more than 100 folders')
  })
})
