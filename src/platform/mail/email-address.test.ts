import { expect } from 'chai'
import fc from 'fast-check'
import { mailboxOf, readEmail } from './email-address.ts'

describe('e-mail address', () => {
  it('is trimmed and in lower case', () => {
    expect(readEmail('  Alice.B+flow@Mail.Example.COM ')).to.equal('alice.b+flow@mail.example.com')
    expect(readEmail('a@localhost')).to.equal('a@localhost')
  })

  for (const wrong of [
    '',
    'a',
    'a@',
    '@b',
    'a@b@c',
    'a b@c.d',
    'a@b..c',
    '.a@b.c',
    'a.@b.c',
    'a..b@c.d',
    'a@-b.c',
    'a@b-.c',
    'a@b_c.d',
    'a@127.0.0.1',
    'a@[::1]',
    'a@b.c,d@e.f',
    'a@b.c\nBcc: d@e.f',
    '"a b"@c.d',
    'a@b.c>',
    'Alice <a@b.c>',
    'a(x)@b.c',
    'm\u0131ke@example.com',
    'a@exampl\u212a.com',
    `${'a'.repeat(65)}@b.c`,
    `a@${'b'.repeat(64)}.c`,
    `a@${'b.'.repeat(130)}c`,
    3,
    null,
    undefined,
    ['a@b.c'],
  ]) {
    it(`rejects ${JSON.stringify(wrong)}`, () => {
      expect(readEmail(wrong)).to.equal(undefined)
    })
  }

  it('is one line of ASCII with one @ for any input, and is idempotent', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.string({ unit: 'binary' }),
          fc.tuple(fc.string(), fc.string()).map(([a, b]) => `${a}@${b}`),
        ),
        (text) => {
          const read = readEmail(text)
          if (read === undefined) return
          expect(read).to.match(/^[!-~]+@[a-z0-9.-]+$/)
          expect(readEmail(read)).to.equal(read)
          expect(readEmail(read.toUpperCase())).to.equal(read)
        },
      ),
    )
  })
})

describe('mailbox of an e-mail address', () => {
  for (const [email, mailbox] of [
    ['ann@example.com', 'ann@example.com'],
    ['ann+1@example.com', 'ann@example.com'],
    ['ann+a+b@example.com', 'ann@example.com'],
    ['a.n.n@example.com', 'a.n.n@example.com'],
    ['a.n.n+x@gmail.com', 'ann@gmail.com'],
    ['ann@googlemail.com', 'ann@gmail.com'],
    ['+x@example.com', '+x@example.com'],
  ])
    it(`is ${mailbox} for ${email}`, () => expect(mailboxOf(String(email))).to.equal(mailbox))
})
