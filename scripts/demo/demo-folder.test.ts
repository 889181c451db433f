import { existsSync, mkdirSync, mkdtempSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { removeFolder } from './demo-folder.ts'

const files = 3000

describe('the folder of a demo', () => {
  const parent = mkdtempSync(join(tmpdir(), 'flowfarm-removal-'))
  const made = (): string => {
    const folder = join(parent, 'folder')
    mkdirSync(folder)
    for (let i = 0; i < files; i++) writeFileSync(join(folder, `${i}`), '')
    return folder
  }

  after(() => removeFolder(parent, 60_000))

  it('is removed before the end where there is time for that', () => {
    const folder = made()
    removeFolder(folder, 60_000)
    expect(existsSync(folder)).to.equal(false)
  })

  it('is removed in the background without one', async () => {
    const folder = made()
    const gone = Promise.withResolvers<void>()
    const watcher = watch(parent, () => {
      if (!existsSync(folder)) gone.resolve()
    })
    removeFolder(folder, 0)
    await gone.promise
    watcher.close()
  })
})
