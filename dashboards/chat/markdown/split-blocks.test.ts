import { expect } from 'chai'
import fc from 'fast-check'
import { splitBlocks } from './split-blocks.ts'

describe('the blocks of an answer', () => {
  it('are its paragraphs, tables and pieces of code', () => {
    expect(splitBlocks('# A\n\ntext\nmore\n\n| a |\n| - |\n| 1 |\n\nend')).to.deep.equal([
      '# A\n\n',
      'text\nmore\n\n',
      '| a |\n| - |\n| 1 |\n\n',
      'end',
    ])
  })

  it('are not cut within code, whatever is in it', () => {
    for (const code of [
      '```sql\nSELECT 1\n\nFROM x\n```\n',
      '~~~\n```\n\na\n~~~\n',
      '````\n```\n\na\n````\n',
      '- a\n\n  ```\n\n  x\n  ```\n',
    ]) {
      expect(splitBlocks(`before\n\n${code}\nafter`)).to.deep.equal(['before\n\n', `${code}\n`, 'after'])
    }
    expect(splitBlocks('```sql\nSELECT 1\n\nFROM')).to.have.lengthOf(1)
  })

  it('are not cut within a list', () => {
    expect(splitBlocks('1. a\n\n2. b\n\n   more of b\n\n3. c\n\nend')).to.deep.equal([
      '1. a\n\n2. b\n\n   more of b\n\n3. c\n\n',
      'end',
    ])
  })

  it('are one where a definition counts for all', () => {
    expect(splitBlocks('see [a]\n\nb\n\n[a]: https://x.example')).to.have.lengthOf(1)
  })

  it('are the text when joined, and those that are complete stay as they are while it grows', () => {
    const piece = fc.constantFrom('\n', '\n\n', 'word', '```', '~~~', '- ', '1. ', '    ', '|', '# ', '> ', ' ')
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        (text) => {
          const blocks = splitBlocks(text)
          expect(blocks.join('')).to.equal(text)
          const grown = splitBlocks(`${text}x`)
          expect(grown.slice(0, blocks.length - 1)).to.deep.equal(blocks.slice(0, -1))
        },
      ),
      { numRuns: 2000 },
    )
  })
})
