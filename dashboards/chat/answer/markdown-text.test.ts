import { expect } from 'chai'
import fc from 'fast-check'
import {
  annotate,
  nodeText,
  splitBlocks,
  columnHint,
  explorerAddress,
  explorerPath,
  linkAllowed,
} from './markdown-text.ts'
import type { MarkdownNode } from './markdown-text.ts'

const text = (value: string): MarkdownNode => ({ type: 'text', value })
const element = (tagName: string, ...children: MarkdownNode[]): MarkdownNode => ({
  type: 'element',
  tagName,
  properties: {},
  children,
})
const annotated = (piece: MarkdownNode): MarkdownNode => {
  annotate()(piece)
  return piece
}

describe('hints in an answer', () => {
  it('mark the number after the word block', () => {
    const codes = (before: string) =>
      annotated(element('p', text(before), element('code', text('123')))).children?.[1]?.properties
    for (const before of ['in block ', 'Height: ', '高度 ', '区块为', 'at block number ', 'block #'])
      expect(codes(before), before).to.deep.equal({ dataHint: 'height' })
    for (const before of ['there were ', 'blockade ', 'block explorers say '])
      expect(codes(before), before).to.deep.equal({})
  })

  it('mark number and height columns', () => {
    const row = (tag: string, ...cells: string[]): MarkdownNode =>
      element('tr', ...cells.map((cell) => element(tag, text(cell))))
    const table = annotated(
      element(
        'table',
        element('thead', row('th', 'height', 'name', 'fees')),
        element('tbody', row('td', '12', 'a', '1,234.5'), row('td', '13', '7', '—')),
      ),
    )
    const body = table.children?.[1]?.children?.map((line) => line.children?.map(({ properties }) => properties))
    expect(body?.[0]).to.deep.equal([
      { className: 'number', dataHint: 'height', dataLabel: 'height' },
      { className: 'short', dataLabel: 'name' },
      { className: 'number', dataLabel: 'fees' },
    ])
    expect(table.children?.[0]?.children?.[0]?.children?.[2]?.properties).to.deep.equal({ className: 'number' })
  })

  it('mark tables that are wider than a phone', () => {
    const row = (tag: string, ...cells: string[]): MarkdownNode =>
      element('tr', ...cells.map((cell) => element(tag, text(cell))))
    const classOf = (...cells: string[]): unknown =>
      annotated(element('table', element('thead', row('th', 'a', 'b')), element('tbody', row('td', ...cells))))
        .properties?.['className']
    expect(classOf('x'.repeat(16), 'x'.repeat(16))).to.equal(undefined)
    expect(classOf('x'.repeat(17), 'x'.repeat(16))).to.equal('cards')
  })

  it('show invisible characters', () => {
    expect(nodeText(annotated(element('p', text('a\u202Eb'), element('code', text('\u200Bc')))))).to.equal(
      'a⟨U+202E⟩b⟨U+200B⟩c',
    )
  })
})

describe('blocks of an answer', () => {
  it('are paragraphs, tables and code blocks', () => {
    expect(splitBlocks('# A\n\ntext\nmore\n\n| a |\n| - |\n| 1 |\n\nend')).to.deep.equal([
      '# A\n\n',
      'text\nmore\n\n',
      '| a |\n| - |\n| 1 |\n\n',
      'end',
    ])
  })

  it('do not split code', () => {
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

  it('do not split a list', () => {
    expect(splitBlocks('1. a\n\n2. b\n\n   more of b\n\n3. c\n\nend')).to.deep.equal([
      '1. a\n\n2. b\n\n   more of b\n\n3. c\n\n',
      'end',
    ])
  })

  it('stay whole with a link definition', () => {
    expect(splitBlocks('see [a]\n\nb\n\n[a]: https://x.example')).to.have.lengthOf(1)
  })

  it('join to the text, and stay stable while it grows', () => {
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

const id = 'ab'.repeat(32)

describe('explorer links', () => {
  it('are addresses, ids and contracts', () => {
    expect(explorerPath('0x1654653399040A61')).to.equal('/account/0x1654653399040a61')
    expect(explorerPath(`0x${'12'.repeat(20)}`)).to.equal(`/evm/address/0x${'12'.repeat(20)}`)
    expect(explorerPath(id)).to.equal(`/transaction/${id}`)
    expect(explorerPath(`0x${id}`)).to.equal(`/search?q=0x${id}`)
    expect(explorerPath(`0x${id}`, 'transaction')).to.equal(`/transaction/${id}`)
    expect(explorerPath('A.1654653399040a61.FlowToken.Vault')).to.equal('/contract/A.1654653399040a61.FlowToken')
  })

  it('need a height hint for numbers', () => {
    expect(explorerPath('12,345,678', 'height')).to.equal('/block/12345678')
    expect(explorerPath('12345678')).to.equal(undefined)
    expect(explorerPath('12.5', 'height')).to.equal(undefined)
  })

  it('exclude similar texts', () => {
    for (const text of [
      '0x165465339904',
      'hello',
      '',
      `${id}0`,
      '../x',
      'A.1654653399040a61.Flow/Token',
      'A.1654653399040a61',
      '0x1654653399040a61/../..',
    ])
      expect(explorerPath(text), text).to.equal(undefined)
  })

  it('use the column name', () => {
    expect(
      ['block_height', 'height', 'block', '区块高度', 'transaction_id', 'tx', 'evm_tx_hash', 'amount', 'blocks'].map(
        columnHint,
      ),
    ).to.deep.equal([
      'height',
      'height',
      'height',
      'height',
      'transaction',
      'transaction',
      undefined,
      undefined,
      undefined,
    ])
  })

  it('are below the explorer URL', () => {
    expect(explorerAddress('http://localhost:8082/', '/block/1')).to.equal('http://localhost:8082/block/1')
    expect(explorerAddress('https://x.example/flow', '/block/1')).to.equal('https://x.example/flow/block/1')
  })
})

const places = {
  origin: 'https://chat.example',
  hosts: ['developers.flow.com', 'docs.example:8443'],
  explorerOrigin: 'http://localhost:8082',
}

describe('allowed links', () => {
  for (const href of [
    'https://developers.flow.com',
    'https://developers.flow.com/build/cadence?x=1#y',
    'HTTPS://DEVELOPERS.FLOW.COM/a',
    'https://developers.flow.com:443/',
    'https://docs.example:8443/',
    'https://chat.example/docs',
    '/docs',
    '/docs?a=//b',
    'http://localhost:8082/account/0x1654653399040a61',
  ]) {
    it(`to ${href}`, () => {
      expect(linkAllowed(href, places)).to.equal(true)
    })
  }

  for (const [why, href] of Object.entries({
    'a program': 'javascript:alert(1)',
    'a program in a disguise': 'JaVaScRiPt:alert(1)',
    'a program with a line in it': 'java\nscript:alert(1)',
    data: 'data:text/html,<script>',
    'a file': 'file:///etc/passwd',
    'a blob of this page': 'blob:https://chat.example/1',
    mail: 'mailto:a@developers.flow.com',
    'another host': 'https://evil.example/?q=secret',
    'another host in place of the scheme': '//evil.example/x',
    'two backward slashes': '\\\\evil.example',
    'a slash and a backward one': '/\\evil.example',
    'a tab between slashes': '/\t/evil.example',
    'a user before the host': 'https://developers.flow.com@evil.example/',
    'a user at a host of the list': 'https://me:secret@developers.flow.com/',
    'an empty user': 'https://@developers.flow.com/',
    'a host below': 'https://evil.developers.flow.com/',
    'a host that ends like it': 'https://evildevelopers.flow.com/',
    'a host that begins like it': 'https://developers.flow.com.evil.example/',
    'a dot at the end': 'https://developers.flow.com./',
    'letters that look alike': 'https://dеvelopers.flow.com/',
    'the same in punycode': 'https://xn--dvelopers-8fg.flow.com/',
    'another port': 'https://developers.flow.com:8443/',
    'without HTTPS': 'http://developers.flow.com/',
    'no port where there is one': 'https://docs.example/',
    'the page without HTTPS': 'http://chat.example/',
    'the explorer on another port': 'http://localhost:8083/',
    'three slashes': 'https:///developers.flow.com/',
    'no slashes': 'https:developers.flow.com',
    'one slash': 'https:/developers.flow.com',
    'a backward slash in the host': 'https://developers.flow.com\\@evil.example',
    'a sign that turns the text': 'https://developers.flow.com/\u202Emoc',
    'a sign that is not seen': 'https://developers.flow.com/\u200B',
    nothing: '',
    'a name': 'docs',
    'a place on the page': '#x',
    'a question': '?q=1',
    above: '../x',
    'a space before it': ' https://developers.flow.com',
  })) {
    it(`not to ${why}`, () => {
      expect(linkAllowed(href, places)).to.equal(false)
    })
  }

  it('are on the list, however a browser parses them', () => {
    const piece = fc.constantFrom(
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '.',
      'developers.flow.com',
      'evil.example',
      'chat.example',
      'localhost:8082',
      '?',
      '#',
      '%2e',
      '\t',
      'javascript:',
      'a',
    )
    const known = ['https://developers.flow.com', 'https://docs.example:8443', places.origin, places.explorerOrigin]
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
        (href) => {
          if (!linkAllowed(href, places)) return
          const url = new URL(href, places.origin)
          expect(known).to.include(url.origin)
          expect(url.username + url.password).to.equal('')
        },
      ),
      { numRuns: 5000 },
    )
  })
})
