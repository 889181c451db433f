import { expect } from 'chai'
import { TriedDocument } from './tried-document.ts'

describe('a document that a language server has ended on', () => {
  it('is set aside when it has done so alone three times, until it is changed', () => {
    const document = new TriedDocument()
    document.suspect()
    for (let n = 0; n < 3; n++) {
      expect([document.isSuspect, document.isSetAside]).to.deep.equal([true, false])
      document.diedAlone()
    }
    expect(document.isSetAside).to.equal(true)
    document.changed()
    expect(document.isSetAside).to.equal(false)
    document.diedAlone()
    expect(document.isSetAside).to.equal(true)
  })

  it('is not blamed for a server that others have killed a few times, and is when that goes on', () => {
    const document = new TriedDocument()
    for (let n = 0; n < 14; n++) document.diedAlone(true)
    expect(document.isSetAside).to.equal(false)
    for (let n = 0; n < 2; n++) document.diedAlone(true)
    expect(document.isSetAside).to.equal(true)
  })

  it('is trusted again when it was borne alone', () => {
    const document = new TriedDocument(2)
    document.diedAlone()
    document.passed()
    expect(document.isSuspect).to.equal(true)
    document.passed()
    expect(document.isSuspect).to.equal(false)
  })
})
