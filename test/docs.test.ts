import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { workers } from '../jobs/index.ts'
import { dumpedRelations } from '../scripts/docs/dumped-relations.ts'
import { generatedPages } from '../scripts/docs/pages.ts'
import { settings } from '../src/base/config.ts'
import { routes } from '../src/api/route-table.ts'
import { services } from '../src/services.ts'
import { filesBelow, readRepositoryFile, repositoryRoot } from './support/repository.ts'

describe('the documentation', () => {
  it('is current where it is made from code: else run npm run docs', async () => {
    for (const [path, text] of await generatedPages()) {
      expect(existsSync(join(repositoryRoot, path)), path).to.equal(true)
      expect(readRepositoryFile(path) === text, `${path} is not current`).to.equal(true)
    }
  })

  it('has every variable, route and table', () => {
    const configuration = readRepositoryFile('docs/configuration.md')
    for (const name of Object.keys(settings)) expect(configuration).to.include(`| \`${name}\` |`)
    const api = readRepositoryFile('docs/api.md')
    for (const { method, path } of routes) expect(api).to.include(`### ${method} \`${path}\`\n`)
    const tables = readRepositoryFile('docs/tables.md')
    for (const [, name] of readRepositoryFile('migrations/schema.txt').matchAll(/^(?:table|view) (\S+)/gm)) {
      expect(tables).to.include(`### ${name}\n`)
    }
  })

  it('says of every table who writes it, and of every column what it means', () => {
    const silent = dumpedRelations(readRepositoryFile('migrations/schema.txt')).flatMap(({ name, comment, columns }) => [
      ...(comment === '' ? [name] : []),
      ...columns.filter((column) => column.comment === '').map((column) => `${name}.${column.name}`),
    ])
    expect(silent).to.deep.equal([])
    const tables = readRepositoryFile('docs/tables.md')
    for (const { name, tables: own, folds } of workers) {
      const section = tables.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? ''
      for (const table of [...own, ...folds]) expect(section, name).to.include(`### ${table.name}\n`)
    }
  })

  it('leads to files that are there', () => {
    const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesBelow(['docs'], /\.md$/)]
    const broken = pages.flatMap((page) => [...readRepositoryFile(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .filter(([, target = '']) => !existsSync(join(repositoryRoot, dirname(page), target)))
      .map(([, target]) => `${page}: ${target}`))
    expect(broken).to.deep.equal([])
  })

  it('names only commands that exist', () => {
    const { scripts } = JSON.parse(readRepositoryFile('package.json')) as { scripts: Record<string, string> }
    for (const page of ['README.md', 'CONTRIBUTING.md', ...filesBelow(['docs'], /\.md$/)]) {
      for (const [, name = ''] of readRepositoryFile(page).matchAll(/npm run ([\w:-]+)/g)) {
        expect(scripts, page).to.have.property(name)
      }
    }
    for (const [, line = ''] of readRepositoryFile('Procfile').matchAll(/^\w+: node src\/main\.ts(.*)$/gm)) {
      expect(Object.keys(services)).to.include.members(line.trim().split(' '))
    }
  })
})
