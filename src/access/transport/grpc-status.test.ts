import { expect } from 'chai'
import { codeOfHttpStatus, codeOfStatus, decodeStatusMessage, frameOf, timeoutHeader } from './grpc-status.ts'

import fc from 'fast-check'

describe('codeOfStatus', () => {
  it('parses status codes as numbers or text and reserves CANCELLED for the caller', () => {
    expect(codeOfStatus('0')).to.equal('OK')
    expect(codeOfStatus(5)).to.equal('NOT_FOUND')
    expect(codeOfStatus('16')).to.equal('UNAUTHENTICATED')
    expect(codeOfStatus(1)).to.equal('UNAVAILABLE')
    for (const odd of ['17', '-1', 'x', '1.5']) expect(codeOfStatus(odd)).to.equal('UNKNOWN')
  })
})

describe('codeOfHttpStatus', () => {
  it('does not map HTTP 404 to NOT_FOUND', () => {
    expect(codeOfHttpStatus(404)).to.equal('UNIMPLEMENTED')
    for (const status of [429, 502, 503, 504]) expect(codeOfHttpStatus(status)).to.equal('UNAVAILABLE')
    expect([400, 401, 403, 418].map(codeOfHttpStatus)).to.deep.equal([
      'INTERNAL',
      'UNAUTHENTICATED',
      'PERMISSION_DENIED',
      'UNKNOWN',
    ])
  })
})

describe('decodeStatusMessage', () => {
  it('percent-decodes any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeStatusMessage(encodeURIComponent(text))).to.equal(text)
      }),
    )
  })

  it('preserves malformed percent-encoding', () => {
    expect(decodeStatusMessage('100% of 5%2 at %zz, %e2%9c%93')).to.equal('100% of 5%2 at %zz, ✓')
    expect(decodeStatusMessage('100%')).to.equal('100%')
  })
})

describe('timeoutHeader', () => {
  it('has at most 8 digits and is never zero', () => {
    expect(timeoutHeader(0.2)).to.equal('1m')
    expect(timeoutHeader(15_000)).to.equal('15000m')
    expect(timeoutHeader(99_999_999)).to.equal('99999999m')
    expect(timeoutHeader(100_000_000)).to.equal('100000S')
    expect(timeoutHeader(1e15)).to.equal('99999999S')
  })
})

describe('frameOf', () => {
  it('writes the length before the message', () => {
    expect(frameOf(Buffer.from([7, 8]))).to.deep.equal(Buffer.from([0, 0, 0, 0, 2, 7, 8]))
  })
})
