import { expect } from 'chai'
import { markdownTable, readResultTable } from './result-table.ts'

describe('rows in scripted answers', () => {
  it('render as a table with readable numbers and ids that the page can link', () => {
    const rows = [
      {
        day: '2026-11-22T00:00:00Z',
        address: '0xf8d6e0586b0a20c7',
        balance: '1003033526.34947700',
        height: '1234567',
        n: 1000,
      },
      { day: '2026-11-21T00:00:00Z', address: null, balance: '0.50', height: '12', n: -12_345 },
    ]
    expect(markdownTable({ columns: Object.keys(rows[0] ?? {}), rows, isCut: false }, 10)).to.equal(
      [
        '| day | address | balance | height | n |',
        '| --- | --- | ---: | ---: | ---: |',
        '| 2026-11-22 | `0xf8d6e0586b0a20c7` | 1,003,033,526.349477 | 1234567 | 1,000 |',
        '| 2026-11-21 |  | 0.5 | 12 | -12,345 |',
      ].join('\n'),
    )
    expect(
      markdownTable({ columns: ['n'], rows: [{ n: 1 }, { n: 2 }, { n: 3 }], isCut: false }, 2).split('\n'),
    ).to.have.length(4)
  })

  it('escape Markdown in untrusted values', () => {
    const hostile = [
      '![x](https://evil.example/a.png)',
      '<img src=x>',
      'a|b',
      '**bold**',
      'https://evil.example',
      'www.evil.example',
      'me@evil.example',
      '`code`',
      'two\nlines',
      '[a][b]',
      '\\|',
    ]
    const lines = markdownTable({ columns: ['name'], rows: hostile.map((name) => ({ name })), isCut: false }, 20)
      .split('\n')
      .slice(2)
    expect(lines).to.deep.equal([
      '| \\!\\[x\\]\\(https\\://evil\\.example/a\\.png\\) |',
      '| \\<img src\\=x\\> |',
      '| a\\|b |',
      '| \\*\\*bold\\*\\* |',
      '| https\\://evil\\.example |',
      '| www\\.evil\\.example |',
      '| me\\@evil\\.example |',
      '| \\`code\\` |',
      '| two lines |',
      '| \\[a\\]\\[b\\] |',
      '| \\\\\\| |',
    ])
  })

  it('are found in every tool result format', () => {
    const answer = { columns: ['n'], results: [{ n: 1 }], row_count: 1, truncated: true }
    const text = JSON.stringify(answer)
    const found = { columns: ['n'], rows: [{ n: 1 }], isCut: true }
    const forms = [
      answer,
      text,
      { type: 'text', value: text },
      { type: 'json', value: answer },
      { type: 'content', value: [{ type: 'text', text }] },
      {
        type: 'json',
        value: {
          content: [{ type: 'text', text: 'other' }],
          structuredContent: answer,
        },
      },
      `Untrusted data follows.\n${text}\nEnd of data.`,
    ]
    for (const form of forms) expect(readResultTable(form), JSON.stringify(form)).to.deep.equal(found)
    expect(readResultTable({ columns: ['n'], results: [] })).to.deep.equal({ columns: ['n'], rows: [], isCut: false })
    for (const none of [undefined, null, '', 'words', '{"results":', 12, {}, { results: 'x' }, { results: [1] }, []])
      expect(readResultTable(none), JSON.stringify(none)).to.equal(undefined)
  })
})
