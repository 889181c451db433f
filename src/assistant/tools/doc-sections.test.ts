import { expect } from 'chai'
import fc from 'fast-check'
import { readSections } from './doc-sections.ts'

describe('document sections', () => {
  it('start at headings outside of code blocks and have stable ids', () => {
    const text =
      '# The *API*\n\nHow.\n\n## Rate limits\n\n```sh\n# no heading\n```\n\n### By `key`\n\n#### Deep\nstill there\n\n## Rate limits\nagain\n\n## [A link](x.md) 余额\n'
    expect(
      readSections({ id: 'docs/api', text }).map(({ id, title, above, level }) => [
        id,
        title,
        above.join(' > '),
        level,
      ]),
    ).to.deep.equal([
      ['docs/api', 'The API', '', 1],
      ['docs/api#rate-limits', 'Rate limits', 'The API', 2],
      ['docs/api#by-key', 'By key', 'The API > Rate limits', 3],
      ['docs/api#rate-limits-1', 'Rate limits', 'The API', 2],
      ['docs/api#a-link-余额', 'A link 余额', 'The API', 2],
    ])
    expect(
      readSections({ id: 'x', text: 'No heading\n## Then one' }).map(({ id, title }) => [id, title]),
    ).to.deep.equal([
      ['x', 'x'],
      ['x#then-one', 'Then one'],
    ])
    expect(readSections({ id: 'x', text: '\n \n' })).to.deep.equal([])
  })

  it('contain every line once and have unique ids', () => {
    const line = fc.oneof(
      fc.constantFrom('# a', '## a', '### a', '#### b', '```', '~~~', '', '## a-1', '# !', 'text'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const sections = readSections({ id: 'd', text: lines.join('\n') })
        const words = (text: string): string => text.replaceAll(/\s/g, '')
        expect(words(sections.map(({ text }) => text).join(''))).to.equal(words(lines.join('')))
        expect(new Set(sections.map(({ id }) => id)).size).to.equal(sections.length)
      }),
    )
  })
})
