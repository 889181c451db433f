import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { FatalError } from '../../../src/platform/errors.ts'
import { readSigningKey } from '../../../src/wallet/auth/stores/access-tokens.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

describe('access token signing key', () => {
  let db: TestDatabase
  before(async () => {
    db = await createTestDatabase()
  })
  after(() => db.drop())

  const pem = (namedCurve: string): string =>
    generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

  it('is created once by concurrent processes', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => readSigningKey(db.pool, undefined)))
    const texts = new Set(keys.map((key) => key.export({ format: 'pem', type: 'pkcs8' })))
    expect(texts.size).to.equal(1)
    expect((await db.pool.query('select 1 from wallet_auth.signing_keys')).rowCount).to.equal(1)
  })

  it('can be set by the operator, with escaped line breaks', async () => {
    const text = pem('P-256')
    for (const given of [text, text.replaceAll('\n', '\\n')]) {
      expect((await readSigningKey(db.pool, given)).export({ format: 'pem', type: 'pkcs8' })).to.equal(text)
    }
  })

  it('is reported as invalid without being printed', async () => {
    const secret = pem('P-384')
    const broken = secret.replace('MIG', 'XXX')
    for (const given of [
      'nonsense',
      secret,
      broken,
      generateKeyPairSync('rsa', { modulusLength: 2048 })
        .privateKey.export({ format: 'pem', type: 'pkcs8' })
        .toString(),
    ]) {
      const error: unknown = await readSigningKey(db.pool, given).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(FatalError).and.include({ code: 'bad-jwt-key' })
      expect((error as FatalError).message)
        .to.include('WALLET_JWT_KEY')
        .and.not.include(given.slice(40, 60) || given)
      expect((error as FatalError).cause).to.equal(undefined)
    }
  })
})
