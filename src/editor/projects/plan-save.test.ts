import { expect } from 'chai'
import fc from 'fast-check'
import { planSave } from './plan-save.ts'
import type { SavePlan, StoredFile } from './plan-save.ts'
import { pathKey } from './project-paths.ts'
import { readSave } from './project-requests.ts'

const quotas = { projects: 1, files: 1000, fileBytes: 1000, projectBytes: 10_000 }

/** Stored form of these files. */
function stored(files: Readonly<Record<string, string>>): StoredFile[] {
  return readSave({ name: 'p', files: Object.entries(files).map(([path, content]) => ({ path, content })) }).files.map(
    ({ path, key, hash, bytes }) => ({ path, key, hash, bytes }),
  )
}

function plan(
  before: Readonly<Record<string, string>>,
  data: Readonly<Record<string, unknown>>,
  folders: readonly string[] = [],
): SavePlan {
  return planSave({ files: stored(before), folders }, readSave({ name: 'p', ...data }), quotas)
}

describe('save plan', () => {
  it('writes changed files only', () => {
    const { written, deletedKeys, fileCount, byteCount } = plan(
      { a: '1', b: '2', c: '3' },
      {
        files: [
          { path: 'a', content: '1' },
          { path: 'b', content: '22' },
          { path: 'd', content: '' },
        ],
        deleted_files: ['c', 'x'],
      },
    )
    expect(written.map(({ path }) => path)).to.deep.equal(['b', 'd'])
    expect([deletedKeys, fileCount, byteCount]).to.deep.equal([['c'], 3, 3])
  })

  it('treats a case change of a path as a change of one file', () => {
    const { written, deletedKeys, fileCount } = plan(
      { 'Main.cdc': '1' },
      { files: [{ path: 'main.cdc', content: '1' }], deleted_files: ['Main.cdc'] },
    )
    expect([written.map(({ path }) => path), deletedKeys, fileCount]).to.deep.equal([['main.cdc'], [], 1])
    expect(() => plan({ 'Main.cdc': '1' }, { files: [{ path: 'main.cdc', content: '1' }] })).to.throw('Main.cdc')
  })

  it('checks files against the folders of the project', () => {
    expect(() => plan({}, { files: [{ path: 'x', content: '' }] }, ['x'])).to.throw('is a folder')
    expect(plan({}, { files: [{ path: 'x', content: '' }], folders: [] }, ['x']).folders).to.deep.equal([])
    expect(() => plan({ 'a/b': '' }, { folders: ['A'] })).to.throw('a; use that spelling')
    expect(plan({ 'a/b': '' }, { folders: ['a', 'c/d', 'a'] }).folders).to.deep.equal(['a', 'c/d'])
  })

  it('never deletes a written file, and counts the resulting files', () => {
    const path = fc.constantFrom('a', 'A', 'b', 'ß', 'SS', 'x/1', 'X/1')
    const files = fc.dictionary(path, fc.constantFrom('', '1', 'é', '合'), { noNullPrototype: true, maxKeys: 4 })
    fc.assert(
      fc.property(files, files, fc.array(path, { maxLength: 3 }), (before, given, gone) => {
        const data = {
          files: Object.entries(given).map(([one, content]) => ({ path: one, content })),
          deleted_files: gone,
        }
        let made: SavePlan
        try {
          made = plan(before, data)
        } catch (error) {
          expect((error as { code?: string }).code).to.equal('INVALID_PATH')
          return
        }
        const after = new Map(Object.entries(before).filter(([one]) => !gone.some((other) => other === one)))
        for (const [one, content] of Object.entries(given)) after.set(one, content)
        expect([...made.paths].toSorted()).to.deep.equal([...after.keys()].toSorted())
        expect(new Set([...made.paths].map(pathKey)).size).to.equal(after.size)
        expect([made.fileCount, made.byteCount]).to.deep.equal([
          after.size,
          [...after.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0),
        ])
        const writtenKeys = new Set(made.written.map(({ key }) => key))
        expect(made.deletedKeys.filter((key) => writtenKeys.has(key))).to.deep.equal([])
        const kept = Object.keys(before).filter(
          (one) => !made.deletedKeys.includes(pathKey(one)) && !writtenKeys.has(pathKey(one)),
        )
        expect(kept.every((one) => after.get(one) === before[one])).to.equal(true)
      }),
      { numRuns: 1000 },
    )
  })
})
