import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { cborOf } from './cbor.ts'
import type { Cbor } from './cbor.ts'

/** The registration options that the tests use. */
export interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id?: string; readonly name: string }
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly pubKeyCredParams: readonly { readonly alg: number }[]
  readonly authenticatorSelection?: { readonly residentKey?: string; readonly userVerification?: string }
  readonly attestation?: string
  readonly timeout?: number
  readonly excludeCredentials?: readonly { readonly id: string; readonly transports?: readonly string[] }[]
}

export interface RequestOptions {
  readonly challenge: string
  readonly rpId?: string
  readonly userVerification?: string
  readonly timeout?: number
  readonly allowCredentials?: readonly { readonly id: string }[]
}

/** Faults of an authenticator or browser. */
export interface Deviations {
  readonly origin?: string
  readonly type?: string
  readonly challenge?: string
  readonly rpId?: string
  /**
   * Bits: 0x01 user present, 0x04 user verified, 0x08 backup eligible, 0x10 backed up, 0x40
   * attested credential data.
   */
  readonly flags?: number
  readonly counter?: number
  readonly clientData?: Readonly<Record<string, unknown>>
  /** Raw text of the client data. */
  readonly clientDataText?: string
}

export interface CreateDeviations extends Deviations {
  readonly algorithm?: 'ES256' | 'RS256' | 'off-curve' | 'wrong-curve'
  readonly credentialId?: Buffer
  /** An existing key instead of a new one. */
  readonly publicKey?: KeyObject
  readonly transports?: readonly string[]
  /** `packed`: self-attestation; `certified`: with a certificate. Default: none. */
  readonly attestation?: 'packed' | 'certified' | 'none-with-statement'
  readonly isDiscoverable?: boolean
  readonly rest?: Buffer
}

export interface GetDeviations extends Deviations {
  /** Null: the authenticator returns no handle. */
  readonly userHandle?: string | null
  readonly key?: KeyObject
  readonly credentialId?: string
}

export interface SoftCredential {
  readonly id: string
  readonly rpId: string
  readonly userHandle: string
  readonly privateKey: KeyObject
  /** ES256 public key, SEC1 in hex. */
  readonly publicKeySec1Hex: string
  counter: number
}

const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest()
const base64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/**
 * A software authenticator with its browser. Creates passkeys and assertions, with faults on
 * request.
 */
export class SoftAuthenticator {
  readonly origin: string
  readonly credentials: SoftCredential[] = []
  /** Whether the counter increases. Password managers always return 0. */
  readonly counts: boolean

  constructor(origin: string, { counts = true } = {}) {
    this.origin = origin
    this.counts = counts
  }

  /** As `PublicKeyCredential.toJSON()` returns for `navigator.credentials.create`. */
  create(options: CreationOptions, deviations: CreateDeviations = {}) {
    const {
      algorithm = 'ES256',
      credentialId = randomBytes(32),
      transports = ['internal'],
      attestation,
      isDiscoverable = true,
      rest = Buffer.alloc(0),
    } = deviations
    const rpId = deviations.rpId ?? options.rp.id ?? ''
    const { privateKey, publicKey: fresh } =
      algorithm === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { publicKey = fresh } = deviations
    const clientDataJSON = this.#clientData('webauthn.create', options.challenge, deviations)
    const counter = deviations.counter ?? 0
    const data = Buffer.concat([
      sha256(rpId),
      Buffer.of(deviations.flags ?? 0x5d),
      uint32(counter),
      Buffer.alloc(16, 7),
      Buffer.of(credentialId.length >> 8, credentialId.length & 255),
      credentialId,
      cborOf(coseOf(publicKey, algorithm)),
      rest,
    ])
    const signature = sign('sha256', Buffer.concat([data, sha256(clientDataJSON)]), privateKey)
    const alg = algorithm === 'RS256' ? -257 : -7
    const statements: Readonly<Record<string, readonly [string, Map<string, Cbor>]>> = {
      none: ['none', new Map()],
      'none-with-statement': ['none', new Map([['alg', alg]])],
      packed: [
        'packed',
        new Map<string, Cbor>([
          ['alg', alg],
          ['sig', signature],
        ]),
      ],
      certified: [
        'packed',
        new Map<string, Cbor>([
          ['alg', alg],
          ['sig', signature],
          ['x5c', [Buffer.from('certificate')]],
        ]),
      ],
    }
    const [format, statement] = statements[attestation ?? 'none'] ?? ['none', new Map()]
    const attestationObject = cborOf(
      new Map<string, Cbor>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', data],
      ]),
    )
    const id = base64Url(credentialId)
    const publicKeySec1Hex =
      algorithm === 'RS256' ? '' : publicKey.export({ type: 'spki', format: 'der' }).subarray(-65).toString('hex')
    this.credentials.push({ id, rpId, userHandle: options.user.id, privateKey, publicKeySec1Hex, counter })
    return {
      id,
      rawId: id,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: { credProps: { rk: isDiscoverable } },
      response: {
        clientDataJSON: base64Url(clientDataJSON),
        attestationObject: base64Url(attestationObject),
        transports: [...transports],
        publicKeyAlgorithm: alg,
      },
    }
  }

  /** As `toJSON()` returns for `navigator.credentials.get`, with the last matching passkey. */
  get(options: RequestOptions, deviations: GetDeviations = {}) {
    const allowed = options.allowCredentials ?? []
    const credential =
      this.credentials.findLast(
        ({ id, rpId }) =>
          rpId === (deviations.rpId ?? options.rpId) && (allowed.length === 0 || allowed.some((one) => one.id === id)),
      ) ?? this.credentials.at(-1)
    if (credential === undefined) throw new Error('this authenticator has no passkey')
    if (this.counts) credential.counter++
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, deviations)
    const data = Buffer.concat([
      sha256(deviations.rpId ?? options.rpId ?? ''),
      Buffer.of(deviations.flags ?? 0x1d),
      uint32(deviations.counter ?? credential.counter),
    ])
    const signature = sign(
      'sha256',
      Buffer.concat([data, sha256(clientDataJSON)]),
      deviations.key ?? credential.privateKey,
    )
    const id = deviations.credentialId ?? credential.id
    const userHandle = deviations.userHandle === undefined ? credential.userHandle : deviations.userHandle
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
      response: {
        clientDataJSON: base64Url(clientDataJSON),
        authenticatorData: base64Url(data),
        signature: base64Url(signature),
        ...(userHandle === null ? {} : { userHandle }),
      },
    }
  }

  #clientData(type: string, challenge: string, { clientDataText, clientData, ...deviations }: Deviations): Buffer {
    const { origin = this.origin } = deviations
    const text =
      clientDataText ??
      JSON.stringify({
        type: deviations.type ?? type,
        challenge: deviations.challenge ?? challenge,
        origin,
        crossOrigin: false,
        ...clientData,
      })
    return Buffer.from(text)
  }
}

function coseOf(
  publicKey: KeyObject,
  algorithm: NonNullable<CreateDeviations['algorithm']>,
): ReadonlyMap<number, Cbor> {
  const { x = '', y = '', n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const bytes = (text: unknown): Buffer => Buffer.from(String(text), 'base64url')
  if (algorithm === 'RS256')
    return new Map<number, Cbor>([
      [1, 3],
      [3, -257],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ])
  const point = bytes(y)
  if (algorithm === 'off-curve') point.writeUInt8(point.readUInt8(31) ^ 1, 31)
  return new Map<number, Cbor>([
    [1, 2],
    [3, -7],
    [-1, algorithm === 'wrong-curve' ? 8 : 1],
    [-2, bytes(x)],
    [-3, point],
  ])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
