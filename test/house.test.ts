import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { ApiError } from '../src/platform/errors.ts'
import { problemOf } from '../src/platform/http/problem.ts'
import { filesBelow, isGenerated, readRepositoryFile, repositoryRoot, trackedFiles } from './support/repository.ts'
import { testTitles } from './support/test-titles.ts'

const written = filesBelow(
  ['src', 'jobs', 'simnode', 'scripts', 'dashboards', 'examples', 'test', 'migrations', 'clients'],
  /\.(ts|tsx|mjs|sql|py|css|sh)$/,
).filter((file) => !isGenerated(file))

describe('repository rules', () => {
  it('allow no file over 600 lines', () => {
    const long = written.filter((file) => readRepositoryFile(file).split('\n').length > 601)
    expect(long).to.deep.equal([])
  })

  it('allow no line over 120 columns, which the formatter leaves in texts and comments', () => {
    const sources = written.filter((file) => /\.tsx?$/.test(file) && !/^test\/|\.test\./.test(file))
    const long = sources.flatMap((file) =>
      readRepositoryFile(file)
        .split('\n')
        .flatMap((line, at) => (line.length > 120 ? [`${file}:${at + 1}`] : [])),
    )
    expect(long).to.deep.equal([])
  })

  it('allow no disabled test, and no duplicate title in a file', () => {
    for (const file of written.filter((name) => name.endsWith('.test.ts'))) {
      const source = readRepositoryFile(file)
      const titles = testTitles(source)
      expect(
        titles.filter((title, i) => titles.indexOf(title) !== i),
        file,
      ).to.deep.equal([])
      expect(source, file).to.not.match(/\b(it|describe|context|specify)\.(skip|only)\(|^\s*x(it|describe)\(/m)
    }
  })

  it('require a title for every status of an ApiError', () => {
    const sources = written.filter((file) => file.startsWith('src/') && !file.endsWith('.test.ts'))
    const statuses = sources.flatMap((file) =>
      [...readRepositoryFile(file).matchAll(/new ApiError\(\s*(\d{3})\b/g)].map(([, status]) => Number(status)),
    )
    expect(statuses).to.include.members([400, 409, 503])
    expect(
      statuses.filter((status) => problemOf(new ApiError(status, 'code', 'detail'), 'id').title === 'Error'),
    ).to.deep.equal([])
  })

  it('allow no machine name or package registry in tracked files', function (this: Mocha.Context) {
    const tracked = trackedFiles()
    if (tracked === undefined) this.skip()
    const folders = ['work', 'farm', 'root', 'Users', 'home/[a-z]+', 'tmp/bash_jobs'].join('|')
    const hosts = ['registry\\.(npmjs|yarnpkg)', 'proxy\\.golang', 'pypi\\.org', 'deb\\.debian', 'crates\\.io'].join(
      '|',
    )
    const forbidden = new RegExp(`(^|[\\s"'\`=(:])/(${folders})/|${hosts}`, 'm')
    const found = tracked
      .filter((file) => !/\.(gz|png|jpg|ico|woff2|bin)$/.test(file) && existsSync(join(repositoryRoot, file)))
      .map((file) => ({ file, match: forbidden.exec(readRepositoryFile(file))?.[0]?.trim() }))
      .filter(({ match }) => match !== undefined)
    expect(found).to.deep.equal([])
  })
})

describe('tracked files', () => {
  it('have no merge conflict markers', function (this: Mocha.Context) {
    const tracked = trackedFiles()
    if (tracked === undefined) this.skip()
    const marked = tracked.filter(
      (file) =>
        !/\.(gz|png|jpg|ico|woff2|bin)$/.test(file) &&
        existsSync(join(repositoryRoot, file)) &&
        /^(<{7}|>{7}) /m.test(readRepositoryFile(file)),
    )
    expect(marked).to.deep.equal([])
  })
})

describe('package.json', () => {
  const manifest = JSON.parse(readRepositoryFile('package.json')) as {
    scripts: Record<string, string>
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
    optionalDependencies: Record<string, string>
    overrides: Record<string, string>
  }

  it('starts every script through the setup instead of the shell, with an existing program', () => {
    for (const [name, command] of Object.entries(manifest.scripts)) {
      const program = /^exec node scripts\/setup\.mjs (\S+)/.exec(command)?.[1]
      expect(program, name).to.be.a('string')
      expect(existsSync(join(repositoryRoot, program ?? '')), `${name}: ${program}`).to.equal(true)
    }
  })

  it('pins every version', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides }
    expect(Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).to.deep.equal([])
  })

  it('has a lockfile without registry URLs, and with an integrity hash for every package', () => {
    expect(readRepositoryFile('package-lock.json')).to.not.include('"resolved"')
    const { packages } = JSON.parse(readRepositoryFile('package-lock.json')) as { packages: Record<string, Locked> }
    expect(
      Object.entries(packages).filter(([path, { integrity = '' }]) => path !== '' && !integrity.startsWith('sha512-')),
    ).to.deep.equal([])
  })

  it('has a complete lockfile, as `npm ci` requires', () => {
    const { packages } = JSON.parse(readRepositoryFile('package-lock.json')) as { packages: Record<string, Locked> }
    const missing = Object.entries(packages).flatMap(([path, locked]) =>
      Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })
        .filter((name) => !placesOf(name, path).some((place) => place in packages))
        .map((name) => `${path} names ${name}`),
    )
    expect(missing).to.deep.equal([])
  })
})

/** A package of the lockfile. */
interface Locked {
  readonly integrity?: string
  readonly dependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
}

/** Resolution paths of a package from `path`: its own node_modules and those of each parent. */
function placesOf(name: string, path: string): string[] {
  const places = [`node_modules/${name}`]
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    places.push(`${at}/node_modules/${name}`)
  }
  return places
}
