import { expect } from 'chai'
import fc from 'fast-check'
import { checkPath, foldersAbove, pathKey, maxKeyBytes, pathRules, ProjectTree } from './project-paths.ts'
import type { PathRule } from './project-paths.ts'
import { hostileTexts } from '../../../test/support/hostile-texts.ts'

const refused: readonly (readonly [path: string, rule: PathRule])[] = [
  ['', 'empty'],
  ['/etc/passwd', 'absolute'],
  ['//a', 'absolute'],
  ['/', 'absolute'],
  ['../a', 'dot-segment'],
  ['a/../b', 'dot-segment'],
  ['a/..', 'dot-segment'],
  ['./a', 'dot-segment'],
  ['.', 'dot-segment'],
  ['..', 'dot-segment'],
  ['a//b', 'empty-segment'],
  ['a/', 'empty-segment'],
  ['a\\b', 'backslash'],
  ['..\\a', 'backslash'],
  ['C:\\a', 'backslash'],
  ['C:/a', 'reserved-character'],
  ['a.cdc:stream', 'reserved-character'],
  ['a*', 'reserved-character'],
  ['a<b>', 'reserved-character'],
  ['a|b', 'reserved-character'],
  ['a\0.cdc', 'hidden-character'],
  ['a\n', 'hidden-character'],
  ['a\u007f', 'hidden-character'],
  ['a\u0085', 'hidden-character'],
  ['a\u202ecdc.b', 'hidden-character'],
  ['a\u2066b', 'hidden-character'],
  ['a\u200bb', 'hidden-character'],
  ['a\u200db', 'hidden-character'],
  ['\ufeffa', 'hidden-character'],
  ['a\u00adb', 'hidden-character'],
  ['a\u2028', 'hidden-character'],
  ['a\u00a0b', 'hidden-character'],
  ['a\u3164', 'hidden-character'],
  ['a\ufe0f', 'hidden-character'],
  ['a\u{e0041}', 'hidden-character'],
  ['a\ue000', 'hidden-character'],
  ['a\uffff', 'hidden-character'],
  ['a\u0378', 'hidden-character'],
  ['\u{a0000}', 'hidden-character'],
  ['.g\u200cit/config', 'hidden-character'],
  ['\ud800', 'broken-text'],
  ['a/\udc00', 'broken-text'],
  ['e\u0301', 'not-nfc'],
  ['\u212b', 'not-nfc'],
  ['\u0301a', 'begins-with-mark'],
  ['a/\u0338b', 'begins-with-mark'],
  ['a ', 'blank-or-dot-at-end'],
  ['a.', 'blank-or-dot-at-end'],
  ['a./b', 'blank-or-dot-at-end'],
  [' a', 'blank-or-dot-at-end'],
  ['...', 'blank-or-dot-at-end'],
  ['．．/a', 'look-alike'],
  ['…/a', 'look-alike'],
  ['‥', 'look-alike'],
  ['a／b', 'look-alike'],
  ['℀', 'look-alike'],
  ['a＼b', 'look-alike'],
  ['a：b', 'look-alike'],
  ['CON', 'reserved-name'],
  ['con.cdc', 'reserved-name'],
  ['a/Nul.tar.gz', 'reserved-name'],
  ['ＣＯＮ', 'reserved-name'],
  ['COM¹', 'reserved-name'],
  ['con .txt', 'reserved-name'],
  ['LPT9', 'reserved-name'],
  ['.git/config', 'reserved-name'],
  ['.GIT', 'reserved-name'],
  ['a/GIT~1/hooks', 'reserved-name'],
  ['git~2', 'reserved-name'],
  ['GIT~12/x', 'reserved-name'],
  ['deps/a.cdc', 'reserved-folder'],
  ['Deps', 'reserved-folder'],
  ['IMPORTS/0x1/A.cdc', 'reserved-folder'],
  ['ｉmports/a', 'reserved-folder'],
  ['_/a.cdc', 'reserved-folder'],
  ['a/'.repeat(10) + 'b', 'too-deep'],
  ['x'.repeat(201), 'segment-too-long'],
  ['é'.repeat(101), 'segment-too-long'],
  [`${'x'.repeat(199)}/${'y'.repeat(199)}/z`, 'too-long'],
  ['€'.repeat(134), 'too-long'],
  [Array<string>(2).fill('ﷺ'.repeat(60)).join('/'), 'too-long'],
]

describe('project path', () => {
  it('is rejected with the rule that it breaks', () => {
    for (const [path, rule] of refused) expect(checkPath(path)?.rule, JSON.stringify(path)).to.equal(rule)
  })

  it('accepts common file names', () => {
    const fine = [
      'main.cdc',
      'contracts/Token.cdc',
      'a b/c d.cdc',
      '.env.example',
      '.github/workflows/deploy.yml',
      'README',
      'größe/Maß.cdc',
      '合约/主.cdc',
      'مرحبا.cdc',
      '😀.cdc',
      'console.cdc',
      'common/auxiliary.cdc',
      'contracts/deps/a.cdc',
      'deps.json',
      'imports.cdc',
      'gitignore',
      '.gitignore',
      'a.b.c..d',
      '-',
      '~',
      '#1%20.cdc',
      "it's",
      '__proto__',
      'constructor',
      'x'.repeat(200),
      'a/'.repeat(9) + 'b',
      'com10',
      'ﬁ.cdc',
    ]
    for (const path of fine) expect(checkPath(path), path).to.equal(undefined)
  })

  it('never leaves its folder, on any system', () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      '..',
      '/',
      '\\',
      ' ',
      ':',
      '．',
      '…',
      '／',
      '\u200d',
      '\u0301',
      'CON',
      '.git',
      'é',
      'İ',
      'ſ',
      'ß',
      '\u0000',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.constantFrom(...hostileTexts),
    )
    fc.assert(
      fc.property(text, (path) => {
        if (checkPath(path) !== undefined) return
        expect(path.isWellFormed() && path.normalize('NFC') === path).to.equal(true)
        expect(Buffer.byteLength(path)).to.be.within(1, pathRules.maxBytes)
        expect(Buffer.byteLength(pathKey(path))).to.be.at.most(maxKeyBytes)
        for (const form of [
          path,
          path.normalize('NFKC'),
          path.normalize('NFD'),
          path.normalize('NFKD'),
          pathKey(path),
        ]) {
          expect(form).to.not.match(/[\\\0:]|^\/|\/\/|\/$|[ .](\/|$)/)
          for (const segment of form.split('/')) expect(segment).to.not.match(/^$|^\.\.?$|^(con|nul)(\.|$)|^\.git$/i)
        }
      }),
      { numRuns: 1500 },
    )
  })

  it('has the same rules as a whole and folder by folder', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'B', 'é', '.x', 'ß', 'Ⅷ'), { minLength: 1, maxLength: 10 }),
        (segments) => {
          const path = segments.join('/')
          expect(checkPath(path)).to.equal(undefined)
          expect(foldersAbove(path)).to.have.length(segments.length - 1)
          for (const folder of foldersAbove(path)) {
            expect(checkPath(folder)).to.equal(undefined)
            expect(pathKey(path).startsWith(`${pathKey(folder)}/`)).to.equal(true)
          }
        },
      ),
    )
  })
})

describe('path key', () => {
  it('is idempotent and independent of the Unicode normalization form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (path) => {
        const key = pathKey(path)
        expect(pathKey(key)).to.equal(key)
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const) expect(pathKey(path.normalize(form))).to.equal(key)
      }),
      { numRuns: 2000 },
    )
  })

  it('is stable for every Unicode character', () => {
    for (let first = 0; first <= 0x10ffff; first += 64) {
      if (first >= 0xd800 && first <= 0xdfff) continue
      const key = pathKey(Array.from({ length: 64 }, (_, i) => String.fromCodePoint(first + i)).join(' '))
      if (pathKey(key) !== key) expect.fail(first.toString(16))
    }
  })

  it('ignores case and compatibility variants', () => {
    for (const [one, other] of [
      ['Main.cdc', 'main.CDC'],
      ['ﬁle', 'FILE'],
      ['Maß', 'MASS'],
      ['Ａ', 'a'],
      ['ΣΑΣ', 'σας'],
      ['É', 'é'],
      ['x²', 'X2'],
      ['ſ', 's'],
      ['K', 'k'],
    ]) {
      expect(pathKey(one ?? '')).to.equal(pathKey(other ?? ''))
    }
    expect(pathKey('a')).to.not.equal(pathKey('ä'))
  })
})

function tree(...files: readonly string[]): ProjectTree {
  const made = new ProjectTree()
  for (const file of files) made.keepFile(file)
  return made
}

describe('project tree', () => {
  it('has no two files with the same key', () => {
    const problem = tree('Main.cdc').addFile('main.cdc')
    expect(problem?.rule).to.equal('same-path')
    expect(problem?.text).to.include('Main.cdc')
    expect(tree('ﬁle').addFile('file')?.rule).to.equal('same-path')
    expect(tree('main.cdc').addFile('main.cdc')).to.equal(undefined)
  })

  it('has no file and folder at the same path', () => {
    expect(tree('a/b').addFile('a')?.rule).to.equal('file-and-folder')
    expect(tree('a/b/c').addFile('A/b')?.rule).to.equal('file-and-folder')
    expect(tree('a').addFile('a/b')?.rule).to.equal('file-and-folder')
    expect(tree('a').addFolder('a')?.rule).to.equal('file-and-folder')
    expect(tree('a').addFolder('A/b')?.rule).to.equal('file-and-folder')
    const withFolder = tree()
    withFolder.keepFolder('x/y')
    expect(withFolder.addFile('X')?.rule).to.equal('file-and-folder')
  })

  it('has one spelling per folder', () => {
    expect(tree('Contracts/a').addFile('contracts/b')?.rule).to.equal('other-spelling')
    expect(tree('Contracts/a').addFolder('contracts')?.rule).to.equal('other-spelling')
    expect(tree('Contracts/a').addFile('Contracts/b')).to.equal(undefined)
    expect(tree('Contracts/a').addFolder('Contracts')).to.equal(undefined)
  })

  it('fits any file system, for any sequence of additions', () => {
    const path = fc
      .array(fc.constantFrom('a', 'A', 'b', 'ß', 'ss', 'SS'), { minLength: 1, maxLength: 3 })
      .map((segments) => segments.join('/'))
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.boolean()), { maxLength: 30 }), (added) => {
        const made = new ProjectTree()
        const files = new Set<string>()
        const folders = new Set<string>()
        for (const [one, isFile] of added) {
          const problem = isFile ? made.addFile(one) : made.addFolder(one)
          if (problem !== undefined) continue
          for (const folder of foldersAbove(one)) folders.add(folder)
          if (isFile) files.add(one)
          else folders.add(one)
        }
        const all = [...files, ...folders]
        expect(new Set(all.map(pathKey)).size).to.equal(all.length)
      }),
      { numRuns: 1000 },
    )
  })
})
