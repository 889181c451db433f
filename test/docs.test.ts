import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { workers } from '../jobs/index.ts'
import { dumpedRelations } from '../scripts/docs/tables-page.ts'
import { generatedPages } from '../scripts/docs/pages.ts'
import { settings } from '../src/config.ts'
import { services } from '../src/services.ts'
import { filesBelow, readRepositoryFile, repositoryRoot } from './support/repository.ts'

describe('documentation', () => {
  it('has current generated files; otherwise run npm run docs', async () => {
    for (const [path, text] of await generatedPages()) {
      expect(existsSync(join(repositoryRoot, path)), path).to.equal(true)
      expect(readRepositoryFile(path) === text, `${path} is outdated`).to.equal(true)
    }
  })

  it('has every variable and table', () => {
    const configuration = readRepositoryFile('docs/configuration.md')
    for (const name of Object.keys(settings)) expect(configuration).to.include(`| \`${name}\` |`)
    const tables = readRepositoryFile('docs/tables.md')
    for (const [, name] of readRepositoryFile('migrations/schema.txt').matchAll(/^(?:table|view) (\S+)/gm)) {
      expect(tables).to.include(`### ${name}\n`)
    }
  })

  it('describes every table, under the worker that writes it', () => {
    const undescribed = dumpedRelations(readRepositoryFile('migrations/schema.txt'))
      .filter(({ comment }) => comment === '')
      .map(({ name }) => name)
    expect(undescribed).to.deep.equal([])
    const tables = readRepositoryFile('docs/tables.md')
    for (const { name, tables: own, folds } of workers) {
      const section = tables.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? ''
      for (const table of [...own, ...folds]) expect(section, name).to.include(`### ${table.name}\n`)
    }
  })

  it('lists all pages and commands', () => {
    const index = readRepositoryFile('docs/README.md')
    for (const page of filesBelow(['docs'], /\.md$/)) {
      if (page !== 'docs/README.md') expect(index).to.include(`](${page.slice('docs/'.length)})`)
    }
    const { scripts } = JSON.parse(readRepositoryFile('package.json')) as { scripts: Record<string, string> }
    const commands = readRepositoryFile('docs/operations.md')
    for (const name of Object.keys(scripts)) expect(commands).to.match(new RegExp(`\`npm (run )?${name}\``))
  })

  it('links each security claim to a test', () => {
    const claims = readRepositoryFile('docs/security.md')
      .split(/^(?=- )/m)
      .slice(1)
      .map((claim) => claim.split('\n\n', 1)[0] ?? '')
    expect(claims.length).to.be.greaterThan(30)
    expect(claims.filter((claim) => !/\]\(\.\.\/[\w/.-]+\.test\.ts\)|\(no\s+test/.test(claim))).to.deep.equal([])
  })

  it('numbers decisions in order, each once', () => {
    const numbers = [...readRepositoryFile('docs/decisions.md').matchAll(/^## (\d+)\. /gm)].map(([, number]) =>
      Number(number),
    )
    expect(numbers).to.deep.equal([...new Set(numbers)].toSorted((a, b) => a - b))
    expect(numbers.length).to.be.greaterThan(80)
  })

  it('links to existing files', () => {
    const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesBelow(['docs'], /\.md$/)]
    const broken = pages.flatMap((page) =>
      [...readRepositoryFile(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
        .filter(([, target = '']) => !existsSync(join(repositoryRoot, dirname(page), target)))
        .map(([, target]) => `${page}: ${target}`),
    )
    expect(broken).to.deep.equal([])
  })

  it('links to existing headings', () => {
    const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesBelow(['docs'], /\.md$/)]
    const anchors = new Map(pages.map((page) => [page, headingAnchors(readRepositoryFile(page))]))
    const broken = pages.flatMap((page) =>
      [...readRepositoryFile(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
        .filter(([, target = '', anchor = '']) => {
          const path = target === '' ? page : join(dirname(page), target)
          return path.endsWith('.md') && anchors.get(path)?.has(anchor) !== true
        })
        .map(([, target, anchor]) => `${page}: ${target}#${anchor}`),
    )
    expect(broken).to.deep.equal([])
  })

  it('names only commands that exist', () => {
    const { scripts } = JSON.parse(readRepositoryFile('package.json')) as { scripts: Record<string, string> }
    for (const page of ['README.md', 'CONTRIBUTING.md', ...filesBelow(['docs'], /\.md$/)]) {
      for (const [, name = ''] of readRepositoryFile(page).matchAll(/npm run (?:--\S+ )*([\w:][\w:-]*)/g)) {
        expect(scripts, page).to.have.property(name)
      }
    }
    for (const [, line = ''] of readRepositoryFile('Procfile').matchAll(/^\w+: node src\/main\.ts(.*)$/gm)) {
      expect(Object.keys(services)).to.include.members(line.trim().split(' '))
    }
  })
})

/** Heading anchors of a page. */
function headingAnchors(page: string): ReadonlySet<string> {
  const seen = new Map<string, number>()
  const headings = page.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, heading = '']) => {
      const anchor = heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-')
      const nth = seen.get(anchor) ?? 0
      seen.set(anchor, nth + 1)
      return nth === 0 ? anchor : `${anchor}-${nth}`
    }),
  )
}
