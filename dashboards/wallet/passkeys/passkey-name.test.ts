import { expect } from 'chai'
import { passkeyName, withOwnNames } from './passkey-name.ts'

describe('names of passkeys', () => {
  it('differ, also where their makers gave the same one', () => {
    const named = (
      authenticatorName: string | null,
    ): { authenticatorName: string | null; deviceType: 'singleDevice' } => ({
      authenticatorName,
      deviceType: 'singleDevice',
    })
    const names = (...given: (string | null)[]): string[] => withOwnNames(given.map(named)).map(passkeyName)
    expect(names('Passkey', 'My phone', 'Passkey')).to.deep.equal(['Passkey (1)', 'My phone', 'Passkey (2)'])
    expect(names(null, null)).to.deep.equal(['Passkey of one device (1)', 'Passkey of one device (2)'])
    expect(names('Passkey', 'passkey')).to.deep.equal(['Passkey', 'passkey'])
  })
})
