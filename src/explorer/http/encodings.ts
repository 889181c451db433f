import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'

/** Ways to compress a body. */
export type Encoding = 'zstd' | 'br' | 'gzip'

/** Best first: zstd has the size of Brotli's quality 4 in a quarter of the time. */
const encodings: readonly Encoding[] = ['zstd', 'br', 'gzip']

/** Below a kilobyte it saves no packet. */
export const leastCompressedBytes = 1024

export const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4 }

const [zstd, brotli, zip] = [promisify(zstdCompress), promisify(brotliCompress), promisify(gzip)]

export async function compressBody(body: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'zstd') return zstd(body)
  return encoding === 'br' ? brotli(body, { params: brotliParams }) : zip(body)
}

/**
 * The encoding that a client likes best, of equals the one that is best for us; undefined where it wants none of them, or where its
 * `Accept-Encoding` says more than names and weights of codings.
 */
export function preferredEncoding(acceptEncoding: string): Encoding | undefined {
  const weights = new Map<string, number>()
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const found = /^\s*([a-z-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(part)
    if (found === null) return undefined
    const [, name = '', weight = '1'] = found
    weights.set(name, Number(weight))
  }
  let [best, bestWeight]: [Encoding | undefined, number] = [undefined, weights.get('identity') ?? 0]
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? 0
    const isBetter = best === undefined ? weight > 0 && weight >= bestWeight : weight > bestWeight
    if (isBetter) [best, bestWeight] = [encoding, weight]
  }
  return best
}
