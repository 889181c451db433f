import type { ByteWriter } from '../../../src/platform/byte-writer.ts'

const escapes: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026' }

/** What a node escapes besides what JSON must: Go's encoder makes text safe within HTML. */
const unsafe = /[<>&\u2028\u2029]/g

/** Texts up to this length are copied character by character, which is faster than a call into the runtime. */
const shortText = 64

/** A JSON string as nodes write it. */
export function jsonText(text: string): string {
  return JSON.stringify(text).replace(unsafe, (mark) => {
    return escapes[mark] ?? `\\u${mark.charCodeAt(0).toString(16)}`
  })
}

/** Appends a JSON string, quotes included. */
export function writeJsonText(out: ByteWriter, text: string): void {
  if (text.length > shortText || !writePlainText(out, text)) out.utf8(jsonText(text))
}

/** @returns false, with nothing written, where a character needs more than itself */
function writePlainText(out: ByteWriter, text: string): boolean {
  const { length } = text
  out.reserve(length + 2)
  const { bytes } = out
  let at = out.position
  bytes[at++] = 0x22
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (
      code < 0x20 ||
      code > 0x7e ||
      code === 0x22 ||
      code === 0x5c ||
      code === 0x26 ||
      code === 0x3c ||
      code === 0x3e
    ) {
      return false
    }
    bytes[at++] = code
  }
  bytes[at++] = 0x22
  out.position = at
  return true
}

/** Appends text known to be ASCII. */
export function writeAscii(out: ByteWriter, text: string): void {
  const { length } = text
  out.reserve(length)
  const { bytes } = out
  let at = out.position
  for (let i = 0; i < length; i++) bytes[at++] = text.charCodeAt(i)
  out.position = at
}
