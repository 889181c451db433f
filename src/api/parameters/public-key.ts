import { ECDH } from 'node:crypto'
import { textParameter } from './text-parameter.ts'
import type { TextParameter } from './text-parameter.ts'

/** DER headers of keys as OpenSSL and WebAuthn export them (SubjectPublicKeyInfo): P-256 and secp256k1, before 04 and the coordinates. */
const derHeaders = [
  '3059301306072a8648ce3d020106082a8648ce3d030107034200',
  '3056301006072a8648ce3d020106052b8104000a034200',
]

/** The curves of compressed points. */
const curves = ['prime256v1', 'secp256k1'] as const

const point = '(04)?[0-9a-fA-F]{128}'
const form = new RegExp(
  `^ *(0[xX])?((${derHeaders.map(inAnyCase).join('|')})?${point}|0[23][0-9a-fA-F]{64}|[0-9a-fA-F]{192}) *$`,
)

const problem = 'must be a public key: 128 hex digits, 66 for a compressed point, or 192 for BLS, with or without 0x'

/** `{publicKey}` of a path. Gives hex digits in lower case; `publicKeyBytes` says which keys they are. */
export function publicKeyParameter(): TextParameter {
  return textParameter(form, problem, normalize).describe(
    'Public key in hex, with or without 0x: 128 digits (ECDSA), also after 04 or in DER (SubjectPublicKeyInfo); 66 for a compressed ' +
      'point; or 192 (BLS).',
  )
}

/** The digits of a key that a text may be, whatever white space and colons are in it; undefined where it is none. */
export function parsePublicKey(text: string): string | undefined {
  const plain = text.replaceAll(/[\s:]/g, '')
  return form.test(plain) ? normalize(plain) : undefined
}

/** The keys, as accounts have them, that the digits of `parsePublicKey` stand for: a compressed point may be of either curve. */
export function publicKeyBytes(digits: string): readonly Buffer[] {
  if (digits.length !== compressedDigits) return [Buffer.from(digits, 'hex')]
  return curves.flatMap((curve) => {
    try {
      return [(ECDH.convertKey(digits, curve, 'hex', undefined, 'uncompressed') as Buffer).subarray(1)]
    } catch (error) {
      // Half of all numbers are no point of a curve.
      if (error instanceof Error && 'code' in error && error.code === 'ERR_CRYPTO_OPERATION_FAILED') return []
      throw error
    }
  })
}

const compressedDigits = 66

function normalize(text: string): string {
  const digits = text.trim().replace(/^0x/i, '').toLowerCase()
  const coordinates = 128
  return digits.length > coordinates && digits.length !== 192 ? digits.slice(-coordinates) : digits
}

/** As a pattern without flags, which the description of the API has no place for. */
function inAnyCase(digits: string): string {
  return digits.replaceAll(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}
