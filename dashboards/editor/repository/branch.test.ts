import { expect } from 'chai'
import fc from 'fast-check'
import type { Connection, TreeEntry } from '../answers.gen.ts'
import { readBranch, compareBranch, blobId } from './branch.ts'

const connection: Connection = {
  project_id: 'p',
  installation_id: 1,
  repository_id: 2,
  owner: 'ann',
  repo: 'token',
  path: '',
  branch: 'main',
  network: 'testnet',
  workflow_path: null,
  last_commit_sha: null,
  created_at: '2026-03-01T00:00:00Z',
  is_on: true,
  off_reason: null,
}

/** A repository with these entries, by folder. */
function repositoryOf(folders: Readonly<Record<string, readonly TreeEntry[]>>, requested: string[] = []) {
  return {
    head: () => Promise.resolve('c0ffee'),
    folder: (_: Connection, path: string, ref: string) => {
      requested.push(`${path}@${ref}`)
      return Promise.resolve(folders[path] ?? [])
    },
  }
}

const entry = (type: string, path: string): TreeEntry => ({ type, path, name: path, sha: `of ${path}`, size: null })

describe('files of a branch', () => {
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

  it('are listed by folder at one commit, without unsupported entries', async () => {
    const requested: string[] = []
    const { head, files, left } = await readBranch(repositoryOf(folders, requested), connection)
    expect(head).to.equal('c0ffee')
    expect(files).to.deep.equal([
      { path: 'README.md', sha: 'of README.md' },
      { path: 'cadence/b.cdc', sha: 'of cadence/b.cdc' },
      { path: 'cadence/contracts/A.cdc', sha: 'of cadence/contracts/A.cdc' },
    ])
    expect(left.map(({ path }) => path)).to.deep.equal(['.github', 'link', 'nul.txt'])
    expect(requested).to.deep.equal(['@c0ffee', 'cadence@c0ffee', 'cadence/contracts@c0ffee'])
  })

  it('are relative to the connected folder', async () => {
    const { files } = await readBranch(repositoryOf(folders), { ...connection, path: 'cadence' })
    expect(files.map(({ path }) => path)).to.deep.equal(['b.cdc', 'contracts/A.cdc'])
  })

  it('are empty for a missing branch, and limited in folders', async () => {
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

const tree = fc
  .dictionary(fc.constantFrom('a.cdc', 'b.cdc', 'c/d.cdc', 'e.md'), fc.constantFrom('one', 'two', ''))
  .map((record) => new Map(Object.entries(record)))
const idOf = (content: string): string => `id of ${content}`

describe('comparing project and branch', () => {
  it('lists added, removed and changed files', async () => {
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

describe('Git blob id', () => {
  before(() => Object.assign(globalThis, { isSecureContext: true }))
  after(() => Reflect.deleteProperty(globalThis, 'isSecureContext'))

  // Ids from `git hash-object`.
  const known: readonly (readonly [string, string])[] = [
    ['', 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'],
    ['hello world\n', '3b18e512dba79e4c8300dd08aeb37f8e728b8dad'],
    ['h\u00e9llo \u{1F30A}\n', '2be449f0aeea10f3b8aeda8bc4024e42092bbba0'],
    ['a\r\nb\0c', '49715e57008dc7bc112fe7697a970eec153b35dc'],
  ]
  for (const [text, id] of known) {
    it(`is ${id.slice(0, 7)} for ${JSON.stringify(text)}`, async () => {
      expect(await blobId(text)).to.equal(id)
    })
  }

  it('requires HTTPS', async () => {
    Object.assign(globalThis, { isSecureContext: false })
    const error: unknown = await blobId('').catch((thrown: unknown) => thrown)
    Object.assign(globalThis, { isSecureContext: true })
    expect(error).to.have.property('message').that.includes('HTTPS')
  })

  it('depends on the text only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), async (one, other) => {
        expect((await blobId(one)) === (await blobId(other))).to.equal(one === other)
      }),
    )
  })
})
