import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { FatalError } from '../../../src/platform/errors.ts'
import { findLanguageServer } from '../../../src/editor/language-server/find-language-server.ts'
import { cadenceCli } from './cadence-cli.ts'

describe('language server selection', () => {
  let folder: string
  const lines: { level: number; msg: string }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as { level: number; msg: string }) })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'find-language-server-'))
  })

  after(async () => rm(folder, { recursive: true }))

  async function script(name: string, body: string): Promise<string> {
    const path = join(folder, name)
    await writeFile(path, `#!/bin/sh\n${body}\n`)
    await chmod(path, 0o755)
    return path
  }

  it('names the variable of a missing program for cli', async () => {
    for (const command of ['no-such-flow', join(folder, 'missing'), folder]) {
      await assert.rejects(findLanguageServer({ choice: 'cli', command, log }), (error: unknown) => {
        assert.ok(error instanceof FatalError)
        assert.match(error.message, /CHAIN_CLI_COMMAND/)
        assert.match(error.message, /not found: no program|is not a file/)
        return true
      })
    }
  })

  it('reports how a program fails as a language server', async () => {
    const cases: [string, string, RegExp][] = [
      ['ends', 'echo no such command >&2; exit 3', /exited with 3: no such command/],
      ['silent', 'cat >/dev/null', /no response within 0\.3 s/],
      ['loud', 'echo hello; cat >/dev/null', /no response|exited|does not speak|Header|header/],
      [
        'odd',
        `printf 'Content-Length: 41\\r\\n\\r\\n{"jsonrpc":"2.0","id":1,"result":{"a":1}}'; cat >/dev/null`,
        /is not a language server/,
      ],
    ]
    for (const [name, body, message] of cases) {
      const command = await script(name, body)
      await assert.rejects(
        findLanguageServer({
          choice: 'cli',
          command,
          log,
          startMs: name === 'silent' || name === 'loud' ? 300 : 20_000,
        }),
        message,
        name,
      )
    }
  })

  it('falls back to the parser without a CLI, and reports the missing program', async () => {
    lines.length = 0
    const program = await findLanguageServer({ choice: 'auto', command: 'no-such-flow', log })
    assert.equal(program.kind, 'parser')
    assert.equal(lines.length, 1)
    assert.equal(lines[0]?.level, 30)
    assert.match(lines[0]?.msg ?? '', /no program no-such-flow on PATH.*Install the Flow CLI/)
    assert.equal((await findLanguageServer({ choice: 'parser', command: 'no-such-flow', log })).kind, 'parser')
  })

  it('uses a working program by its absolute path, with crash reports disabled', async function () {
    const command = cadenceCli() ?? this.skip()
    const program = await findLanguageServer({ choice: 'auto', command, log })
    assert.deepEqual(
      [program.kind, program.command, program.args.at(-1)],
      ['cli', command, '--enable-flow-client=false'],
    )
    assert.deepEqual(program.initializationOptions, { accessCheckMode: 'strict', reportCrashes: false })
    assert.ok(!program.label.includes('/'))
  })
})
