import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeFolder } from './make-folder.ts'

describe('makeFolder', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'flowfarm-folder-'))
  })
  afterEach(() => rm(root, { recursive: true }))

  const codeOf = (folder: string): Promise<unknown> =>
    makeFolder(folder).then(
      () => undefined,
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    )

  it('creates parents with the mode and reports the first one', async () => {
    expect(await makeFolder(join(root, 'a', 'b', 'c'), 0o700)).to.equal(join(root, 'a'))
    for (const made of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, made))).mode & 0o777).to.equal(0o700)
    expect(await makeFolder(join(root, 'a', 'b'))).to.equal(undefined)
    expect(await makeFolder('/')).to.equal(undefined)
  })

  it('creates one folder for concurrent calls', async () => {
    await Promise.all(Array.from({ length: 20 }, () => makeFolder(join(root, 'x', 'y', 'z'))))
    expect((await stat(join(root, 'x', 'y', 'z'))).isDirectory()).to.equal(true)
  })

  it('accepts a link to a folder and refuses files, dead links and loops', async () => {
    await writeFile(join(root, 'file'), '')
    await symlink(root, join(root, 'link'))
    await symlink(join(root, 'nothing'), join(root, 'dead'))
    await symlink(join(root, 'loop'), join(root, 'loop'))
    expect(await codeOf(join(root, 'link'))).to.equal(undefined)
    expect(await codeOf(join(root, 'file'))).to.equal('EEXIST')
    expect(await codeOf(join(root, 'file', 'data'))).to.equal('ENOTDIR')
    expect(await codeOf(join(root, 'dead'))).to.equal('EEXIST')
    expect(await codeOf(join(root, 'dead', 'data'))).to.equal('EEXIST')
    expect(await codeOf(join(root, 'loop', 'data'))).to.equal('ELOOP')
  })

  it('fails where parents cannot be created, as below /proc', async function () {
    if (process.platform !== 'linux') return this.skip()
    expect(await codeOf('/proc/flowfarm/data')).to.equal('ENOENT')
    expect(await codeOf('/proc/1/flowfarm/data')).to.be.oneOf(['ENOENT', 'EACCES'])
  })
})
