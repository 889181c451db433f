import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { expect } from 'chai'
import { compressBody, preferredEncoding } from './caching.ts'

describe('response encodings', () => {
  const cases: readonly (readonly [accept: string, encoding: string | undefined])[] = [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5 , br;q=0.4', 'gzip'],
    ['br;q=0.8, gzip;q=0.8', 'br'],
    ['identity, gzip;q=0.5', undefined],
    ['gzip;q=0', undefined],
    ['deflate', undefined],
    ['', undefined],
    ['*', undefined],
    ['gzip;level=9', undefined],
  ]
  for (const [accept, encoding] of cases) {
    it(`for "${accept}": ${encoding ?? 'none'}`, () => expect(preferredEncoding(accept)).to.equal(encoding))
  }

  it('decompress to the same body', async () => {
    const body = Buffer.from('a block and another block '.repeat(100))
    expect(zstdDecompressSync(await compressBody(body, 'zstd'))).to.deep.equal(body)
    expect(brotliDecompressSync(await compressBody(body, 'br'))).to.deep.equal(body)
    expect(gunzipSync(await compressBody(body, 'gzip'))).to.deep.equal(body)
  })
})
