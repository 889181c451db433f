import { expect } from 'chai'
import { readConfig } from '../config.ts'
import { FatalError } from '../platform/errors.ts'
import { readMailFrom } from '../platform/mail/mail-sender.ts'
import { readApplication, readServiceToken, readWalletPlace, walletWarnings } from './settings.ts'

describe('wallet settings', () => {
  const read = (variables: Record<string, string>): ReturnType<typeof readWalletPlace> =>
    readWalletPlace(readConfig({}, variables), 3004)

  it('default to this machine, and use WALLET_URL if set', () => {
    const here = read({})
    expect(here).to.include({ url: 'http://localhost:3004', isSecure: false, isForTrial: true })
    expect([
      here.party.id,
      here.party.allows('http://localhost:3004'),
      here.party.allows('http://localhost:3005'),
    ]).to.deep.equal(['localhost', true, false])
    const there = read({
      WALLET_URL: 'https://wallet.example.com/',
      WALLET_RP_ID: 'example.com',
      WALLET_COOKIE_DOMAIN: 'example.com',
    })
    expect(there).to.include({ url: 'https://wallet.example.com', isSecure: true, isForTrial: false })
    expect(there.party.id).to.equal('example.com')
  })

  const wrong: readonly (readonly [variables: Record<string, string>, said: RegExp])[] = [
    [{ WALLET_URL: 'http://wallet.example.com' }, /^WALLET_URL: .* must be https/],
    [{ WALLET_URL: 'https://example.com/wallet' }, /^WALLET_URL: .* must not have a path/],
    [
      { WALLET_URL: 'https://wallet.example.com', WALLET_RP_ID: 'example.org' },
      /is not at or below the relying party example\.org/,
    ],
    [
      {
        WALLET_URL: 'https://wallet.example.com',
        WALLET_RP_ID: 'example.com',
        WALLET_ORIGINS: 'https://app.example.com',
      },
      /^WALLET_ORIGINS: .* is missing/,
    ],
    [
      { WALLET_URL: 'https://wallet.example.com', WALLET_COOKIE_DOMAIN: 'example.org' },
      /^WALLET_COOKIE_DOMAIN: example\.org must be/,
    ],
    [
      { WALLET_URL: 'https://wallet.example.com', WALLET_COOKIE_DOMAIN: 'let.example.com' },
      /^WALLET_COOKIE_DOMAIN: let\.example\.com must be/,
    ],
    [{ WALLET_URL: 'https://wallet.example.com', WALLET_COOKIE_DOMAIN: 'com' }, /^WALLET_COOKIE_DOMAIN: com must be/],
  ]
  for (const [variables, output] of wrong) {
    it(`reject ${Object.entries(variables)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`, () => {
      expect(() => read(variables)).to.throw(FatalError, output)
    })
  }

  it('require both or neither setting of a provider', () => {
    expect(readApplication(readConfig({}, {}), 'GITHUB')).to.equal(undefined)
    expect(
      readApplication(readConfig({}, { GITHUB_CLIENT_ID: 'a', GITHUB_CLIENT_SECRET: 'b' }), 'GITHUB'),
    ).to.deep.equal({ clientId: 'a', clientSecret: 'b' })
    expect(() => readApplication(readConfig({}, { GOOGLE_CLIENT_ID: 'a' }), 'GOOGLE')).to.throw(
      FatalError,
      /^GOOGLE_CLIENT_SECRET: it is not set/,
    )
    expect(() => readApplication(readConfig({}, { GOOGLE_CLIENT_SECRET: 'b' }), 'GOOGLE')).to.throw(
      FatalError,
      /^GOOGLE_CLIENT_ID: it is not set/,
    )
  })

  it('require a service token of at least 32 characters, if any', () => {
    const token = 'ab'.repeat(16)
    expect(readServiceToken(readConfig({}, {}))).to.equal(undefined)
    expect(readServiceToken(readConfig({}, { WALLET_SERVICE_TOKEN: token }))).to.equal(token)
    for (const bad of [token.slice(1), `${token} ${token}`]) {
      expect(() => readServiceToken(readConfig({}, { WALLET_SERVICE_TOKEN: bad })))
        .to.throw(FatalError, /^WALLET_SERVICE_TOKEN: it must have at least 32/)
        .and.not.match(new RegExp(bad))
    }
  })

  it('accept one sender address', () => {
    const from = (variables: Record<string, string>): string => readMailFrom(readConfig({}, variables))
    expect(from({})).to.equal('flowfarm <no-reply@localhost>')
    for (const good of [
      'no-reply@example.com',
      'Example <no-reply@example.com>',
      '"Example, Ltd" <no-reply@example.com>',
    ])
      expect(from({ MAIL_FROM: good })).to.equal(good)
    for (const bad of [
      'example',
      'Example',
      'Example <example.com>',
      'Example <a@example.com',
      'a@example.com, b@example.com',
      '@example.com',
      'a b@example.com',
    ]) {
      expect(() => from({ MAIL_FROM: bad }), bad).to.throw(FatalError, /^MAIL_FROM: .* must be one address/)
    }
  })

  it('warn of settings without effect', () => {
    const warned = (variables: Record<string, string>): string =>
      walletWarnings(readConfig({}, variables), read(variables)).join()
    expect(warned({})).to.equal('')
    expect(warned({ WALLET_URL: 'https://wallet.example.com' })).to.include('Set SMTP_URL')
    expect(warned({ WALLET_URL: 'https://wallet.example.com', SMTP_URL: 'smtp://mail.example.com' })).to.include(
      'Set MAIL_FROM',
    )
    expect(
      warned({
        WALLET_URL: 'https://wallet.example.com',
        SMTP_URL: 'smtp://mail.example.com',
        MAIL_FROM: 'no-reply@example.com',
      }),
    ).to.equal('')
    expect(warned({ GOTRUE_SERVICE_TOKEN: 'x' })).to.include('no effect without GOTRUE_URL')
    expect(warned({ GOTRUE_URL: 'https://auth.example.com', GITHUB_CLIENT_ID: 'x' }))
      .to.include('Passkey and editor sign-in are off')
      .and.include('no effect with GOTRUE_URL: GITHUB_CLIENT_ID')
    expect(warned({ GOTRUE_URL: 'https://auth.example.com', GOTRUE_SERVICE_TOKEN: 'x' })).to.include(
      'Owners get no e-mail',
    )
    expect(
      warned({
        GOTRUE_URL: 'https://auth.example.com',
        GOTRUE_SERVICE_TOKEN: 'x',
        SMTP_URL: 'smtp://mail.example.com',
      }),
    ).to.equal('')
  })
})
