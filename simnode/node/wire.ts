interface WireField {
  readonly number: number
  /** 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes. */
  readonly wireType: number
  readonly start: number
  /** For a length-delimited field, the offset after its length. */
  readonly contentStart: number
  readonly end: number
  /** Exact up to 2^53. */
  readonly value: number
}

/** In byte order. @throws RangeError for an invalid message */
export function readFields(message: Buffer): WireField[] {
  const fields: WireField[] = []
  let position = 0
  const readVarint = (): number => {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = message[position++]
      if (byte === undefined) throw new RangeError('The message ends within a number')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
  }
  while (position < message.length) {
    const start = position
    const key = readVarint()
    const wireType = key & 7
    let value = 0
    let contentStart = position
    if (wireType === 0) value = readVarint()
    else if (wireType === 1) position += 8
    else if (wireType === 5) position += 4
    else if (wireType === 2) {
      const length = readVarint()
      contentStart = position
      position += length
    } else throw new RangeError(`Wire type ${wireType} does not exist`)
    if (position > message.length) throw new RangeError('The message ends within a field')
    fields.push({ number: Math.floor(key / 8), wireType, start, contentStart, end: position, value })
  }
  return fields
}

/** A view, not a copy. */
export function contentOf(message: Buffer, field: WireField): Buffer {
  return message.subarray(field.contentStart, field.end)
}

export function contentsOf(message: Buffer, number: number): Buffer[] {
  return readFields(message)
    .filter((f) => f.number === number && f.wireType === 2)
    .map((f) => contentOf(message, f))
}

/** The last field of that number; default: empty. */
export function bytesOf(message: Buffer, number: number): Buffer {
  return contentsOf(message, number).at(-1) ?? Buffer.alloc(0)
}

/** The last varint of that number; 0 without one. */
export function numberOf(message: Buffer, number: number): number {
  return readFields(message).findLast((f) => f.number === number && f.wireType === 0)?.value ?? 0
}

/** 0 to 2^53. */
export function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) | 0x80)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
  return Buffer.from(bytes)
}

export function varintField(number: number, value: number): Buffer {
  return value === 0 ? Buffer.alloc(0) : Buffer.concat([varint(number * 8), varint(value)])
}

export function bytesField(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content])
}

/**
 * One copy of each content: these answers are large.
 *
 * @param number 1 to 15, so that a key is one byte
 */
export function repeatedMessage(number: number, contents: readonly Uint8Array[], end: Uint8Array): Buffer {
  const size = contents.reduce((sum, { length }) => sum + 1 + varintLength(length) + length, end.length)
  const message = Buffer.allocUnsafe(size)
  let position = 0
  for (const content of contents) {
    message[position++] = number * 8 + 2
    let rest = content.length
    for (; rest >= 128; rest = Math.floor(rest / 128)) message[position++] = (rest % 128) | 0x80
    message[position++] = rest
    message.set(content, position)
    position += content.length
  }
  message.set(end, position)
  return message
}

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++
  return length
}

/**
 * @param edit returns the new field with its key, no bytes to delete it, or undefined to keep it
 */
export function rewrite(message: Buffer, edit: (field: WireField, content: Buffer) => Buffer | undefined): Buffer {
  const parts: Buffer[] = []
  let kept = 0
  for (const field of readFields(message)) {
    const replacement = edit(field, contentOf(message, field))
    if (replacement === undefined) continue
    if (field.start > kept) parts.push(message.subarray(kept, field.start))
    parts.push(replacement)
    kept = field.end
  }
  if (kept === 0) return message
  parts.push(message.subarray(kept))
  return Buffer.concat(parts)
}

export function keepFields(message: Buffer, numbers: readonly number[]): Buffer {
  return rewrite(message, (field) => (numbers.includes(field.number) ? undefined : Buffer.alloc(0)))
}
