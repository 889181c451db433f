import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { AuthSecrets, randomCode, randomToken } from './secrets.ts'

describe('derived secrets', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const secrets = new AuthSecrets(privateKey)
  const others = new AuthSecrets(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)

  it('depend on their key and input only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const all = (of: AuthSecrets, text: string): string[] => [
          of.nextRefreshToken(text),
          of.providerVerifier(text),
          of.providerNonce(text),
        ]
        expect(all(secrets, a)).to.deep.equal(all(new AuthSecrets(privateKey), a))
        const made = [...all(secrets, a), ...all(others, a), ...(a === b ? [] : all(secrets, b))]
        expect(new Set(made).size).to.equal(made.length)
        for (const one of made) expect(one).to.match(/^[\w-]{43}$/)
      }),
    )
  })

  it('match a code by its address and salt only', () => {
    const code = fc.integer({ min: 0, max: 999_999 }).map((n) => String(n).padStart(6, '0'))
    fc.assert(
      fc.property(code, fc.string(), (right, given) => {
        const salt = randomBytes(16)
        const kept = { email: 'a@example.com', salt, hash: secrets.codeHash(right, { email: 'a@example.com', salt }) }
        expect(secrets.isCode(right, kept)).to.equal(true)
        expect(secrets.isCode(given, kept)).to.equal(given === right)
        expect(secrets.isCode(right, { ...kept, email: 'b@example.com' })).to.equal(false)
        expect(secrets.isCode(right, { ...kept, salt: randomBytes(16) })).to.equal(false)
        expect(others.isCode(right, kept)).to.equal(false)
      }),
    )
  })

  it('start from random tokens and codes', () => {
    expect(new Set(Array.from({ length: 1000 }, randomToken)).size).to.equal(1000)
    const codes = Array.from({ length: 1000 }, randomCode)
    for (const code of codes) expect(code).to.match(/^\d{6}$/)
    // By chance, fewer than 980 are distinct once in 10^15 runs.
    expect(new Set(codes).size).to.be.greaterThan(980)
  })
})
