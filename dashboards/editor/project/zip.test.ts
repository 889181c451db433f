import { expect } from 'chai'
import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { readZip, ZipProblem, zipFiles } from './zip.ts'

const limits = { files: 5, file_bytes: 1000, project_bytes: 3000 }
const empty = { name: 'project.zip', files: new Map<string, string>(), folders: [], limits }

describe('a ZIP archive of a project', () => {
  it('contains all files, and is read into the same files', () => {
    const files = new Map([
      ['contracts/Token.cdc', 'access(all) contract Token {}\n'],
      ['__proto__', 'ä 😀'],
      ['empty.txt', ''],
    ])
    const read = readZip(zipFiles(files), empty)
    expect(new Map(read.files.map(({ path, content }) => [path, content]))).to.deep.equal(files)
    expect(read.skipped).to.deep.equal([])
  })

  it('loses the folder of its own name, and files that a project cannot have', () => {
    const archive = zipSync({
      'repo-main/a.cdc': strToU8('a'),
      'repo-main/../../evil.cdc': strToU8('no'),
      'repo-main/con.cdc': strToU8('no'),
      'repo-main/image.png': new Uint8Array([0x89, 0x50, 0xff, 0]),
      'repo-main/b.cdc': [strToU8('b'), { level: 0 }],
    })
    const { files, skipped } = readZip(archive, { ...empty, name: 'repo-main.zip' })
    expect(files).to.deep.equal([
      { path: 'a.cdc', content: 'a' },
      { path: 'b.cdc', content: 'b' },
    ])
    expect(skipped.map(({ path }) => path)).to.deep.equal(['../../evil.cdc', 'con.cdc', 'image.png'])
  })

  it('is refused if it expands beyond the limits, whatever sizes it claims', () => {
    const bomb = zipSync({ 'bomb.cdc': [new Uint8Array(2_000_000), { level: 9 }] })
    expect(bomb.length).to.be.lessThan(limits.project_bytes)
    expect(() => readZip(bomb, empty)).to.throw(ZipProblem, 'more than 3000 bytes')
    const view = new DataView(bomb.buffer)
    // The uncompressed size of the local header.
    view.setUint32(22, 10, true)
    expect(() => readZip(bomb, empty)).to.throw(ZipProblem)
    expect(() => readZip(new Uint8Array(limits.project_bytes + 1), empty)).to.throw(ZipProblem, 'the limit is 3000')
    const many = zipSync(Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.cdc`, strToU8('x')])))
    expect(() => readZip(many, empty)).to.throw(ZipProblem, 'the limit is 5')
  })

  it('never fails otherwise', () => {
    const archive = zipFiles(new Map([['a.cdc', 'access(all) contract A {}'.repeat(10)]]))
    fc.assert(
      fc.property(fc.nat({ max: archive.length - 1 }), fc.nat({ max: 255 }), fc.nat({ max: 60 }), (at, byte, cut) => {
        const broken = archive.slice(0, archive.length - cut).with(Math.min(at, archive.length - cut - 1), byte)
        try {
          readZip(broken, empty)
        } catch (error) {
          expect(error).to.be.instanceOf(ZipProblem)
        }
      }),
    )
  })
})
