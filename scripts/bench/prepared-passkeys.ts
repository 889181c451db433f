import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type pg from 'pg'
import type { AssertionResponse, SigningPasskey } from '../../src/wallet/passkeys/webauthn.ts'

export const walletOrigin = 'http://localhost'

export interface PreparedPasskey extends SigningPasskey {
  readonly userId: string
  readonly privateKey: KeyObject
  readonly publicKeySec1: Buffer
  counter: number
}

/** A map of five, with the coordinates last. Source: RFC 9052, 7. */
const coseHead = Buffer.from('a5010203262001215820', 'hex')
const coseMiddle = Buffer.from('225820', 'hex')

/** User present and verified, not eligible for backup. */
const flags = 0x05
const relyingPartyHash = sha256(new URL(walletOrigin).hostname)

export function preparePasskeys(count: number): readonly PreparedPasskey[] {
  return Array.from({ length: count }, () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const publicKeySec1 = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)
    return {
      userId: randomUUID(),
      credentialId: randomBytes(32).toString('base64url'),
      privateKey,
      publicKeySec1,
      counter: 0,
      deviceType: 'singleDevice',
      userHandle: randomBytes(32),
      publicKey: Buffer.concat([coseHead, publicKeySec1.subarray(1, 33), coseMiddle, publicKeySec1.subarray(33)]),
    }
  })
}

export function assertionOf(passkey: PreparedPasskey, challenge: string): AssertionResponse {
  passkey.counter++
  const clientData = Buffer.from(
    JSON.stringify({ type: 'webauthn.get', challenge, origin: walletOrigin, crossOrigin: false }),
  )
  const data = Buffer.concat([relyingPartyHash, Buffer.from([flags]), Buffer.alloc(4)])
  data.writeUInt32BE(passkey.counter, 33)
  const { credentialId: id, userHandle } = passkey
  return {
    id,
    rawId: id,
    type: 'public-key',
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      userHandle: userHandle.toString('base64url'),
      signature: sign('sha256', Buffer.concat([data, sha256(clientData)]), passkey.privateKey).toString('base64url'),
    },
  }
}

export async function insertPasskeys(pool: pg.Pool, passkeys: readonly PreparedPasskey[]): Promise<void> {
  const column = (of: (passkey: PreparedPasskey) => unknown): unknown[] => passkeys.map(of)
  const users = column(({ userId }) => userId)
  await pool.query(
    `insert into wallet_auth.users (id, email, email_confirmed_at)
     select id, id || '@example.com', now() from unnest($1::uuid[]) as id`,
    [users],
  )
  await pool.query('insert into wallet.user_handles (user_id, handle) select * from unnest($1::uuid[], $2::bytea[])', [
    users,
    column(({ userHandle }) => userHandle),
  ])
  await pool.query(
    `insert into wallet.passkeys
       (credential_id, user_id, rp_id, public_key, public_key_sec1, counter, device_type, is_backed_up, aaguid, name)
     select c, u, $5, k, s, 0, 'singleDevice', false, gen_random_uuid(), 'bench'
     from unnest($1::text[], $2::uuid[], $3::bytea[], $4::bytea[]) as t (c, u, k, s)`,
    [
      column(({ credentialId }) => credentialId),
      users,
      column(({ publicKey }) => publicKey),
      column(({ publicKeySec1 }) => publicKeySec1),
      new URL(walletOrigin).hostname,
    ],
  )
  await pool.query('vacuum analyze wallet_auth.users, wallet.user_handles, wallet.passkeys')
}

function sha256(bytes: string | Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
