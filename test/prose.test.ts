import { expect } from 'chai'
import limits from '../scripts/check/prose-limits.json' with { type: 'json' }
import { proseFindings } from '../scripts/check/prose.ts'
import { isGenerated, readRepositoryFile, trackedFiles } from './support/repository.ts'

const generatedPages = ['docs/tables.md', 'docs/configuration.md']

describe('the prose check', () => {
  const rulesOf = (file: string, source: string): string[] => proseFindings(file, source).map(({ rule }) => rule)

  it('reads comments, strings, texts of pages and Markdown', () => {
    const dialect = 'Nobody asked for it.'
    for (const [file, source] of [
      ['a.ts', `// ${dialect}\nexport const a = 1`],
      ['a.ts', `/**\n * Returns 1.\n * ${dialect}\n */\nexport const a = 1`],
      ['a.ts', `export const a = '${dialect}'`],
      ['a.ts', 'export const a = `Height ${1}: ' + dialect + '`'],
      ['a.tsx', `export const a = <p>${dialect}</p>`],
      ['a.md', `# Title\n\n${dialect}\n`],
      ['a.sql', `-- ${dialect}\nSELECT 1`],
      ['a.sql', `COMMENT ON TABLE app.a IS '${dialect}';`],
      ['a.py', `# ${dialect}\n`],
    ] as const)
      expect(proseFindings(file, source), source).to.have.lengthOf(1)
  })

  it('skips code in Markdown and in comments', () => {
    expect(rulesOf('a.md', 'Run `nobody`.\n\n```sh\nsu nobody\n```\n')).to.deep.equal([])
    expect(rulesOf('a.ts', '// Becomes `nobody`.\n')).to.deep.equal([])
  })

  it('finds a sentence across the lines of a comment, and names the line', () => {
    const [finding] = proseFindings('a.ts', 'export const a = 1\n// Rows are written\n// as they\n// came.\n')
    expect(finding).to.deep.include({ line: 3, excerpt: 'Rows are written as they came.' })
  })

  it('accepts plain sentences', () => {
    for (const text of [
      'What is flowfarm?',
      'The coordinator requeues expired leases.',
      'There is no longer a limit.',
      'Clients go on to read the next page.',
    ])
      expect(rulesOf('a.md', text), text).to.deep.equal([])
  })

  it('finds names that the glossary replaces', () => {
    expect(rulesOf('a.ts', 'export const mostRows = 1')).to.deep.equal(['a name that the glossary replaces'])
    expect(rulesOf('a.ts', 'export const maxRows = utmost')).to.deep.equal([])
  })
})

describe('the prose of each folder', () => {
  const byFolder = new Map<string, string[]>()

  before(function (this: Mocha.Context) {
    const tracked = trackedFiles()
    if (tracked === undefined) this.skip()
    for (const file of tracked) {
      if (!/\.(ts|tsx|mjs|sql|py|sh|md)$/.test(file) || isGenerated(file) || generatedPages.includes(file)) continue
      const found = proseFindings(file, readRepositoryFile(file)).map(
        ({ line, rule, excerpt }) => `${file}:${line} ${excerpt} (${rule})`,
      )
      const folder = folderOf(file)
      byFolder.set(folder, [...(byFolder.get(folder) ?? []), ...found])
    }
  })

  it('has no more findings than its limit', () => {
    for (const [folder, found] of byFolder) {
      const limit = (limits as Record<string, number>)[folder] ?? 0
      expect(found.length, `${folder} may have ${limit}:\n${found.join('\n')}`).to.be.at.most(limit)
    }
  })

  it('has a limit that only goes down', () => {
    const loose = Object.entries(limits).filter(([folder, limit]) => (byFolder.get(folder)?.length ?? 0) < limit)
    const lower = loose.map(([folder]) => `${folder}: ${byFolder.get(folder)?.length ?? 0}`)
    expect(lower, 'write these numbers to scripts/check/prose-limits.json').to.deep.equal([])
  })
})

/** `src/farm` of a source file, else the first folder or the name of a file in the root. */
function folderOf(file: string): string {
  return file
    .split('/')
    .slice(0, file.startsWith('src/') ? 2 : 1)
    .join('/')
}
