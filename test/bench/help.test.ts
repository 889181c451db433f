import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { readRepositoryFile } from '../support/repository.ts'

const root = resolve(import.meta.dirname, '../..')
/** Prints the modules that a program loaded other than Node's, `scripts/`, `src/` and `jobs/`. */
const loadedPackages = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({ load(url, context, next) {
    const name = /node_modules.((?:@[^/]+.)?[^/]+)/.exec(url)?.[1]
    if (name !== undefined) packages.add(name)
    return next(url, context)
  } })
  process.on('exit', () => process.stderr.write([...packages].join(' ')))
`)}`

/** Standard input stays open: a program that reads it never ends. */
async function help(args: readonly string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--import', loadedPackages, ...args, '--help'], { cwd: root, timeout: 60_000 })
  const exited = once(child, 'exit') as Promise<[code: number | null]>
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { code, stdout, stderr }
}

/** Programs whose `--help` is generated from the declarations that they load. */
const loading = ['start', 'simnode', 'replay', 'test:chaos', 'test:schemathesis', 'demo', 'eval']

describe('npm scripts', () => {
  const { scripts } = JSON.parse(readRepositoryFile('package.json')) as { scripts: Record<string, string> }

  it('number at most twenty', () => expect(Object.keys(scripts).length).to.be.at.most(20))

  for (const [name, command] of Object.entries(scripts)) {
    it(`have help: npm run ${name} -- --help`, async () => {
      const { code, stdout, stderr } = await help(command.replace('exec node scripts/setup.mjs ', '').split(' '))
      expect([code, loading.includes(name) ? '' : stderr], stdout).to.deep.equal([0, ''])
      expect(stdout).to.match(/\S.{30}/)
    })
  }

  for (const program of ['ingest-and-derive', 'farm', 'api', 'feed-and-webhooks', 'wallet']) {
    it(`have help: npm run bench -- ${program} --help`, async () => {
      const { code, stdout, stderr } = await help(['scripts/bench.ts', program])
      expect([code, stderr]).to.deep.equal([0, ''])
      expect(stdout)
        .to.match(/^ +--quick /m)
        .and.to.match(/About .*(minute|s)\b/)
    })
  }
})
