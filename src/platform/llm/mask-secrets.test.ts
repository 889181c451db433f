import { expect } from 'chai'
import { maskedError, maskSecrets } from './mask-secrets.ts'

const key = 'sk-proj-A1b2/C3d4+E5f6=G7h8!wxyz'
const mask = maskSecrets({ apiKey: key, baseUrl: 'https://user:pass%2Fword9@models.example/v1?token=tok-123456789' })
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('secrets in provider text', () => {
  const forms: Readonly<Record<string, string>> = {
    plain: key,
    'in other case': key.toUpperCase(),
    'in a header': `Bearer ${key}`,
    'percent-encoded': encodeURIComponent(key),
    'encoded twice': encodeURIComponent(encodeURIComponent(key)),
    'in JSON': JSON.stringify({ key }),
    base64: base64(key),
    'Basic with a name': `Basic ${base64(`user:${key}`)}`,
    'Basic without': `Basic ${base64(`:${key}`)}`,
    'Basic as a name': base64(`${key}:`),
    base64url: Buffer.from(`ab${key}`).toString('base64url'),
    hexadecimal: Buffer.from(key).toString('hex'),
    'cut off': key.slice(0, 14),
    'its end': key.slice(-14),
    abbreviated: `${key.slice(0, 7)}********************wxyz`,
    'with dots': `${key.slice(0, 5)}...wxyz`,
    'with one sign': `${key.slice(0, 5)}…wxyz`,
    'last four': 'the key ending in wxyz',
    'password of the address': 'https://user:pass%2Fword9@models.example',
    'decoded password': 'pass/word9',
    'parameter of the address': '?token=tok-123456789',
  }
  for (const [name, text] of Object.entries(forms)) {
    it(`are masked: ${name}`, () => {
      const masked = mask(`Incorrect key provided: ${text}. See the documentation.`)
      expect(masked).to.match(/^Incorrect key provided: .*…/)
      expect(masked).to.match(/See the documentation\.$/)
      for (const part of ['wxyz', 'A1b2', 'a1b2', 'G7h8', 'word9', '123456']) {
        expect(masked.toLowerCase()).not.to.include(part.toLowerCase())
      }
      for (let at = 0; at + 8 <= text.length; at++) {
        const piece = text.slice(at, at + 8)
        const isSecret = /[\w%+/=-]{8}/.test(piece) && !/models|example|Bearer|Basic|https|key|token|user/i.test(piece)
        if (isSecret) expect(masked).not.to.include(piece)
      }
    })
  }

  it('are not detected in other text', () => {
    const text = 'Rate limit reached for model gpt-5.4 in organization org-abc: 30000 tokens'
    expect(mask(text)).to.equal(text)
    expect(maskSecrets({ apiKey: undefined, baseUrl: undefined })(text)).to.equal(text)
  })

  it('are detected in time that grows with the length of the text', () => {
    for (const sign of ['*', '.']) expect(mask(sign.repeat(100_000))).to.have.length(100_000)
  })

  it('are masked in errors and their causes, without the request content', () => {
    const thrown = new Error(`wrong: ${key}`, { cause: new Error(base64(key)) })
    const error = maskedError(Object.assign(thrown, { requestBodyValues: { key } }), mask)
    const cause = error.cause as Error
    const texts = JSON.stringify([error, error.message, error.stack, cause.message, cause.stack])
    expect(texts).not.to.match(/A1b2|wxyz|QTFiMi/)
    expect(error).not.to.have.property('requestBodyValues')
  })
})
