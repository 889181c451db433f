import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { helpText } from '../../scripts/bench/read-options.ts'
import { readRepositoryFile } from '../support/repository.ts'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A program of the repository, to its end. */
async function ended(file: string, option: string): Promise<Ended> {
  try {
    return { code: 0, ...(await run(process.execPath, [file, option], { cwd: root })) }
  } catch (error) {
    return error as Ended
  }
}

describe('every benchmark', () => {
  const { scripts } = JSON.parse(readRepositoryFile('package.json')) as { scripts: Record<string, string> }

  for (const [name, command] of Object.entries(scripts).filter(([each]) => each.startsWith('bench'))) {
    it(`says for --help what it does: npm run ${name}`, async () => {
      const { code, stdout, stderr } = await ended(command.split(' ').at(-1) ?? '', '--help')
      expect([code, stderr], name).to.deep.equal([0, ''])
      expect(stdout.split('\n').filter((line) => /^ +--\w/.test(line)).length).to.be.greaterThan(1)
      expect(stdout)
        .to.match(/--help/)
        .and.to.match(/^\S.{30}/)
    })
  }

  it('says in one line which option it does not have, and ends with 1', async () => {
    const { code, stdout, stderr } = await ended('scripts/bench/wallet.ts', '--sign')
    expect([code, stdout, stderr]).to.deep.equal([1, '', "Unknown option '--sign'; --help shows the options\n"])
  })

  it('has its help from its first comment and its options', () => {
    const source = '#!/usr/bin/env node\n/**\n * Counts.\n *\n *     node count.ts\n */\nconst a = 1\n/** Not this. */'
    expect(
      helpText(source, {
        runs: { type: 'string', default: '3' },
        only: { type: 'string', default: '' },
        bare: { type: 'boolean', default: false },
      }),
    ).to.equal(
      'Counts.\n\n    node count.ts\n\n  --runs <…>              default 3\n  --only <…>\n  --bare\n  --help\n',
    )
  })
})
