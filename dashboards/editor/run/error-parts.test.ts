import { expect } from 'chai'
import fc from 'fast-check'
import { errorParts, errorTitle } from './error-parts.ts'

const hash = 'a7'.repeat(32)
const message = `[Error Code: 1101] error caused by: 1 error occurred:\n\t* [Error Code: 1101] cadence runtime error: Execution failed:\nerror: cannot find variable in this scope: \`foo\`\n --> ${hash}:3:11\n  |\n3 |     return foo\n  |            ^^^ not found in this scope\n`

describe('errors of scripts', () => {
  it('lead to the line and column of the script, which people count from 1', () => {
    const places = errorParts(message).filter(({ kind }) => kind === 'place')
    expect(places).to.deep.equal([{ kind: 'place', text: 'line 3, column 12', line: 3, column: 12 }])
    expect(errorTitle(message)).to.equal('cannot find variable in this scope: `foo`')
  })

  it('have no links to places of contracts', () => {
    expect(errorParts(' --> f233dcee88fe0abe.FungibleToken:24:9')).to.deep.equal([
      { kind: 'text', text: ' --> f233dcee88fe0abe.FungibleToken:24:9' },
    ])
  })

  it('lose no words', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const texts = errorParts(`${before}--> ${hash}:1:0\n${after}`).flatMap((part) =>
          part.kind === 'text' ? [part.text] : [],
        )
        expect(texts.join('')).to.equal(`${before}--> \n${after}`)
      }),
    )
  })
})
