/** The subset of CBOR that authenticators write: integers, byte strings, text strings, maps. */
export type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<number | string, Cbor>

export function cborOf(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<number | string, Cbor>)]
    return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, one]) => [cborOf(key), cborOf(one)])])
  }
  const list = value as readonly Cbor[]
  return Buffer.concat([head(4, list.length), ...list.map(cborOf)])
}

function head(kind: number, length: number): Buffer {
  const major = kind << 5
  if (length < 24) return Buffer.of(major | length)
  if (length < 256) return Buffer.of(major | 24, length)
  return Buffer.of(major | 25, length >> 8, length & 255)
}
