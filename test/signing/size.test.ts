import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { build } from 'vite'

const folder = resolve(import.meta.dirname, '../../clients/signing')
const entry = 'all-of-signing'
const maxKilobytes = 25

describe('the signing library', () => {
  it(`is smaller than ${maxKilobytes} KB for a browser, bundled and compressed`, async () => {
    const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .toSorted()
    expect(modules).to.include.members(['passkey.ts', join('transactions', 'make-transaction.ts')])
    const source = modules
      .map((name, at) => `export * as part${at} from ${JSON.stringify(join(folder, name))}`)
      .join('\n')
    const built = await build({
      configFile: false,
      logLevel: 'error',
      root: folder,
      plugins: [
        {
          name: 'all-of-signing',
          resolveId: (id) => (id.endsWith(entry) ? entry : undefined),
          load: (id) => (id === entry ? source : undefined),
        },
      ],
      build: { write: false, minify: true, lib: { entry, formats: ['es'] } },
    })
    const chunks = (Array.isArray(built) ? built : [built]).flatMap((one) => ('output' in one ? one.output : []))
    const code = chunks.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('')
    expect(chunks.map((chunk) => chunk.type === 'chunk' && chunk.imports.length)).to.deep.equal([0])
    const kilobytes = gzipSync(code).length / 1000
    expect(kilobytes).to.be.within(1, maxKilobytes)
  })
})
