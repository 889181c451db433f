import { hexOf } from '../../../../clients/signing/bytes.ts'
import type { Bytes } from '../../../../clients/signing/bytes.ts'
import { hasHiddenCharacters, visibleText } from './hidden-characters.ts'

/** What an application wants to have signed, as people read it. */
export type ReadableMessage =
  /** `isAltered`: characters that cannot be seen are written out in `text`. */
  | { readonly kind: 'text'; readonly text: string; readonly isAltered: boolean }
  | { readonly kind: 'bytes'; readonly hex: string }

/** A message as text where it is some, as hex else. What is in it and cannot be seen is written out, but for the line ends of Windows. */
export function readableMessage(bytes: Bytes): ReadableMessage {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { kind: 'bytes', hex: hexOf(bytes) }
  }
  const plain = text.replaceAll('\r\n', '\n')
  // Among many such characters there is hardly a text: random bytes may be valid UTF-8.
  const shown = visibleText(plain)
  if (/[\0-\x08\x0E-\x1F]/.test(plain) || plain.trim() === '') return { kind: 'bytes', hex: hexOf(bytes) }
  return { kind: 'text', text: shown, isAltered: hasHiddenCharacters(plain) }
}
