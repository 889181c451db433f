import { createECDH, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { inspect } from 'node:util'
import { parseAddress } from '../../flow/address.ts'
import type { ChainAccount } from '../../flow/chain-reader.ts'
import { FatalError } from '../../platform/errors.ts'

/** Curves in Node and JWK, and numbers of the access API. */
const curves = {
  ECDSA_P256: { curve: 'prime256v1', crv: 'P-256', number: 2 },
  ECDSA_secp256k1: { curve: 'secp256k1', crv: 'secp256k1', number: 3 },
} as const
const hashes = { SHA2_256: { digest: 'sha256', number: 1 }, SHA3_256: { digest: 'sha3-256', number: 3 } } as const

const maxKeys = 100
const fullWeight = 1000
const form =
  '<address>/<key index>/<algorithm>/<hash>/<private key>, e.g. 0x1654653399040a61/0/ECDSA_P256/SHA3_256/ and 64 ' +
  'hex digits'

/**
 * Each key has its own sequence numbers, which bounds the pending transactions. Prints as its
 * address only.
 */
export class PayerAccount {
  /** `0x` and 16 hex digits. */
  readonly address: string
  readonly keyIndexes: readonly number[]
  /** Hex, 128 digits. */
  readonly publicKey: string
  readonly #key: KeyObject
  readonly #algorithm: keyof typeof curves
  readonly #hash: keyof typeof hashes

  private constructor(
    address: string,
    keyIndexes: readonly number[],
    key: { readonly private: KeyObject; readonly public: string },
    names: readonly [keyof typeof curves, keyof typeof hashes],
  ) {
    this.address = address
    this.keyIndexes = keyIndexes
    this.publicKey = key.public
    this.#key = key.private
    ;[this.#algorithm, this.#hash] = names
  }

  /**
   * @param text as in WALLET_MAINNET_PAYER; key indexes are written `0,1,2` or `0-9`. @throws
   * FatalError without any of the key
   */
  static parse(text: string, variable: string): PayerAccount {
    const refuse = (problem: string): FatalError =>
      new FatalError('payer-invalid', `${variable} ${problem}; it has the form ${form}`)
    const [addressText = '', indexes = '', algorithm = '', hash = '', digits = '', ...more] = text.trim().split('/')
    if (digits === '' || more.length > 0) throw refuse('must have five parts separated by slashes')
    const address = parseAddress(addressText)
    if (address === undefined) throw refuse('must begin with an address')
    const keyIndexes = readIndexes(indexes)
    if (keyIndexes === undefined)
      throw refuse(`must have a key index in its second part, or up to ${maxKeys} as 0,1,2 or 0-9`)
    if (!Object.hasOwn(curves, algorithm))
      throw refuse(`must name ${Object.keys(curves).join(' or ')} in its third part`)
    if (!Object.hasOwn(hashes, hash)) throw refuse(`must name ${Object.keys(hashes).join(' or ')} in its fourth part`)
    const names = [algorithm as keyof typeof curves, hash as keyof typeof hashes] as const
    const key = readKey(digits, curves[names[0]])
    if (key === undefined) throw refuse(`must end in a private key of ${algorithm}: 64 hex digits`)
    return new PayerAccount(address, keyIndexes, key, names)
  }

  /** r and s, 64 bytes. */
  sign(message: Uint8Array): Buffer {
    return sign(hashes[this.#hash].digest, message, { key: this.#key, dsaEncoding: 'ieee-p1363' })
  }

  /** @param signature r and s, 64 bytes */
  verify(message: Uint8Array, signature: Uint8Array): boolean {
    return verify(
      hashes[this.#hash].digest,
      message,
      { key: createPublicKey(this.#key), dsaEncoding: 'ieee-p1363' },
      signature,
    )
  }

  problemOn(account: ChainAccount | undefined): string | undefined {
    if (account === undefined) return `account ${this.address} does not exist`
    for (const index of this.keyIndexes) {
      const key = account.keys.find((one) => one.index === index)
      const name = `key ${index} of ${this.address}`
      if (key === undefined) return `${name} does not exist`
      if (key.isRevoked) return `${name} is revoked`
      if (key.publicKey.toLowerCase() !== this.publicKey) return `${name} does not match the private key`
      if (key.signatureAlgorithm !== curves[this.#algorithm].number) return `${name} is not of ${this.#algorithm}`
      if (key.hashAlgorithm !== hashes[this.#hash].number) return `${name} does not sign with ${this.#hash}`
      if (key.weight < fullWeight) return `${name} has weight ${key.weight}; it needs ${fullWeight} to sign alone`
    }
    return undefined
  }

  toString(): string {
    return this.address
  }

  toJSON(): string {
    return this.address
  }

  [inspect.custom](): string {
    return `PayerAccount ${this.address}`
  }
}

function readIndexes(text: string): readonly number[] | undefined {
  const indexes = new Set<number>()
  for (const part of text.split(',')) {
    const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
    if (from === undefined || Number(to) < Number(from) || Number(to) - Number(from) >= maxKeys) return undefined
    for (let index = Number(from); index <= Number(to); index++) indexes.add(index)
  }
  return indexes.size > maxKeys ? undefined : [...indexes]
}

function readKey(
  digits: string,
  { curve, crv }: (typeof curves)[keyof typeof curves],
): { readonly private: KeyObject; readonly public: string } | undefined {
  const hex = digits.replace(/^0x/i, '')
  if (!/^[0-9a-f]{64}$/i.test(hex)) return undefined
  const d = Buffer.from(hex, 'hex')
  try {
    const pair = createECDH(curve)
    pair.setPrivateKey(d)
    const point = pair.getPublicKey().subarray(1)
    const [x, y] = [point.subarray(0, 32), point.subarray(32)].map((half) => half.toString('base64url'))
    const jwk = { kty: 'EC', crv, d: d.toString('base64url'), x: x ?? '', y: y ?? '' }
    return { private: createPrivateKey({ key: jwk, format: 'jwk' }), public: point.toString('hex') }
  } catch {
    return undefined
  }
}
