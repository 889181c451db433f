import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import fc from 'fast-check'
import { FolderRedactor, toClient, toServer, ForeignUri, UriSpace } from './uri-space.ts'

const folder = '/srv/work spaces/5f2a'
const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter(
    (name) =>
      !/[\u0000-\u001f\u007f\\/]/.test(name) && !['.', '..', '_', 'flow.json'].includes(name) && name.isWellFormed(),
  )
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))
const uri = path.map((one) => pathToFileURL(`/${one}`).href)

/** LSP messages with URIs under their keys, and plain text under others. */
const message = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.record({ uri, text: fc.oneof(fc.string(), uri) }),
    fc.record({ targetUri: uri, range: fc.record({ line: fc.nat() }) }),
    fc.record({
      edit: fc.record({
        changes: fc.dictionary(uri, fc.array(fc.record({ newText: fc.string() })), { noNullPrototype: true }),
      }),
    }),
    fc.record({ command: fc.string(), arguments: fc.array(fc.oneof(uri, fc.integer())) }),
    fc.record({ data: fc.record({ uri, id: fc.string() }), items: fc.array(tie('value')) }),
  ),
})).value

describe('URIs of a connection', () => {
  it('round-trip through the language server, where they are below the folder', () => {
    fc.assert(
      fc.property(message, (value) => {
        const space = new UriSpace(folder)
        expect(toClient(toServer(value, space), space)).to.deep.equal(value)
      }),
    )
    fc.assert(
      fc.property(path, (one) => {
        const space = new UriSpace(folder)
        const server = space.toServer(pathToFileURL(`/${one}`).href)
        expect(server.startsWith(`${pathToFileURL(folder).href}/`)).to.equal(true)
        expect(space.ownPath(server)).to.equal(one)
      }),
    )
  })

  it('keep the spelling of the client', () => {
    const space = new UriSpace(folder)
    const spelled = 'file:///%61%3Ab.cdc'
    space.spell(space.pathOf(spelled), spelled)
    expect(space.toClient(space.toServer('file:///a:b.cdc'))).to.equal(spelled)
  })

  it('never leave the folder, for any client input', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%2E.',
      '%2f',
      '%5c',
      '\\',
      '/',
      '//',
      'a',
      '%00',
      '%',
      '?',
      '#',
      '_',
      'flow.json',
      '%c0%ae',
      '\u0000',
      '\ud800',
      'é',
    )
    fc.assert(
      fc.property(
        fc.constantFrom('file:///', 'file://', 'file:/', 'FILE:///', 'http:///', 'file://host/', ''),
        fc.array(piece),
        (scheme, pieces) => {
          const space = new UriSpace(folder)
          try {
            const server = decodeURIComponent(new URL(space.toServer(scheme + pieces.join(''))).pathname)
            expect(server.startsWith(`${folder}/`) && !server.split('/').includes('..')).to.equal(true)
          } catch (error) {
            expect(error).to.be.instanceOf(ForeignUri)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('of other connections are removed, with objects that depend on them', () => {
    const space = new UriSpace(folder, (file, line) =>
      file === '_/3f.cdc'
        ? { contract: { address: '1654653399040a61', name: line < 9 ? 'A' : 'FlowToken' }, firstLine: line < 9 ? 0 : 9 }
        : undefined,
    )
    const own = pathToFileURL(`${folder}/a.cdc`).href
    const foreign = [
      pathToFileURL('/srv/work spaces/other/a.cdc').href,
      `${pathToFileURL(folder).href}/../other/a.cdc`,
      'file:///etc/passwd',
      `${pathToFileURL(folder).href}b/a.cdc`,
      'untitled:a',
    ]
    for (const other of foreign) {
      expect(toClient([{ uri: own }, { uri: other }], space), other).to.deep.equal([{ uri: 'file:///a.cdc' }])
      expect(toClient({ uri: other }, space)).to.equal(undefined)
      expect(toClient({ changes: { [own]: [], [other]: [] } }, space)).to.deep.equal({
        changes: { 'file:///a.cdc': [] },
      })
      expect(
        toClient(
          [
            { name: 'x', location: { uri: other } },
            { value: 'x', location: { uri: other } },
          ],
          space,
        ),
      ).to.deep.equal([{ value: 'x' }])
      expect(toClient({ label: 'x', data: { uri: other } }, space)).to.deep.equal({ label: 'x' })
      if (other.startsWith('file:'))
        expect(toClient({ command: 'c', arguments: [own, other, 1] }, space)).to.deep.equal({
          command: 'c',
          arguments: ['file:///a.cdc', null, 1],
        })
    }
    const [start, end] = [
      { line: 10, character: 3 },
      { line: 11, character: 0 },
    ]
    expect(toClient({ uri: pathToFileURL(`${folder}/_/3f.cdc`).href, range: { start, end } }, space)).to.deep.equal({
      uri: 'file:///deps/1654653399040a61/FlowToken.cdc',
      range: { start: { line: 1, character: 3 }, end: { line: 2, character: 0 } },
    })
    expect(
      toClient(
        { targetUri: pathToFileURL(`${folder}/_/3f.cdc`).href, targetRange: { start: { line: 2, character: 3 }, end } },
        space,
      ),
    ).to.deep.equal({
      targetUri: 'file:///deps/1654653399040a61/A.cdc',
      targetRange: { start: { line: 2, character: 3 }, end },
    })
    expect(toClient({ uri: pathToFileURL(`${folder}/_/40.cdc`).href }, space)).to.equal(undefined)
    expect(toClient({ range: 1, target: 'https://example.org' }, space)).to.deep.equal({
      range: 1,
      target: 'https://example.org',
    })
  })

  it('hide the folder in text, and leave other text unchanged', () => {
    const hider = new FolderRedactor(folder)
    expect(
      hider.hide({ message: `no ${folder}/a.cdc, "/srv/work spaces/77/b.cdc"`, [folder]: [folder] }),
    ).to.deep.equal({ message: 'no /a.cdc, "…/b.cdc"', '': [''] })
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(hider.hide(value)).to.deep.equal(value)
      }),
    )
  })
})
