import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type pg from 'pg'
import { FatalError } from '../../../base/errors.ts'
import { query } from '../../../db/pool.ts'

/**
 * The key that signs access tokens: the operator's, or one that is made once and kept in the database, which all processes share.
 * @param pem WALLET_JWT_KEY
 * @throws FatalError `bad-jwt-key`
 */
export async function readSigningKey(pool: pg.Pool, pem: string | undefined): Promise<KeyObject> {
  return pem === undefined
    ? keyOf(await keptKey(pool), 'The key in wallet_auth.signing_keys')
    : keyOf(pem, 'WALLET_JWT_KEY')
}

async function keptKey(pool: pg.Pool): Promise<string> {
  const kept = async (): Promise<string | undefined> => {
    const {
      rows: [row],
    } = await query<{ private_key: string }>(pool, 'select private_key from wallet_auth.signing_keys')
    return row?.private_key
  }
  const found = await kept()
  if (found !== undefined) return found
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  })
  // Of several processes that start at once the first one's is kept.
  await query(pool, 'insert into wallet_auth.signing_keys (private_key) values ($1) on conflict do nothing', [
    privateKey,
  ])
  return (await kept()) ?? privateKey
}

/** Variables of the environment often have the line breaks written out. */
function keyOf(pem: string, name: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'))
  } catch {
    // What the parser says may quote the key.
    throw badKey(name)
  }
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw badKey(name)
  return key
}

function badKey(name: string): FatalError {
  return new FatalError(
    'bad-jwt-key',
    `${name} must be a private key of ES256 in PEM (openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256).`,
  )
}
