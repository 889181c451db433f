import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runAsk } from '../assistant/query/support/running-ask.ts'
import type { RunningAsk } from '../assistant/query/support/running-ask.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { clientFolder, hasPython, runPython, testArguments, works } from './python-run.ts'

/** The first steps of the client's README, run in an empty environment. */
const firstSteps = `
import os
from flowfarm_client import Client, StatementError
client = Client(os.environ["FLOWFARM_URL"])
answer = client.ask("What is the newest indexed block?")
assert answer.sql == answer["sql"] and answer.results == answer["results"] == []
try:
    client.run_sql("DROP TABLE raw.blocks")
except StatementError as error:
    print(error.code, error.status)
`

describe('Python client package', function () {
  let folder: string
  let python: string
  let database: TestDatabase
  let ask: RunningAsk | undefined

  before(async function (this: Mocha.Context) {
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-wheel-'))
    const build = join(folder, 'build')
    const canBuild =
      (await hasPython()) &&
      (await works(['-m', 'venv', build])) &&
      (await works(['-m', 'pip', 'install', '--quiet', 'setuptools>=77'], { python: join(build, 'bin/python') }))
    if (!canBuild) {
      process.stderr.write('    skipped: no Python 3.9 here, or pip cannot get setuptools\n')
      this.skip()
    }
    // A copy, because setuptools leaves build files beside the source and would include old ones.
    for (const part of ['pyproject.toml', 'README.md', 'src']) {
      await cp(join(clientFolder, part), join(folder, 'source', part), {
        recursive: true,
        filter: (path) => !path.endsWith('.egg-info'),
      })
    }
    const wheels = join(folder, 'wheels')
    await runPython(
      [
        '-m',
        'pip',
        'wheel',
        '--quiet',
        '--no-deps',
        '--no-build-isolation',
        '--wheel-dir',
        wheels,
        join(folder, 'source'),
      ],
      { python: join(build, 'bin/python') },
    )
    const empty = join(folder, 'empty')
    await runPython(['-m', 'venv', empty])
    python = join(empty, 'bin/python')
    const [wheel = ''] = await readdir(wheels)
    await runPython(['-m', 'pip', 'install', '--quiet', '--no-index', join(wheels, wheel)], { python })
    database = await createTestDatabase()
  })
  after(async () => {
    await ask?.stop()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  it('is pure Python with types and no dependencies', async () => {
    expect(await readdir(join(folder, 'wheels'))).to.deep.equal(['flowfarm_client-0.1.0-py3-none-any.whl'])
    const reported = await runPython(
      [
        '-I',
        '-c',
        `
import importlib.metadata as metadata
print(metadata.requires("flowfarm-client"), sorted(file.name for file in metadata.files("flowfarm-client") if file.parts[0] == "flowfarm_client" and "__pycache__" not in file.parts))
`,
      ],
      { python, cwd: folder },
    )
    expect(reported).to.match(
      /^None \['__init__\.py', 'answers\.py', 'client\.py', 'errors\.py', 'py\.typed', 'transport\.py', 'version\.py'\]/,
    )
  })

  it("passes the client's tests in an environment with only the package", async () => {
    expect(await runPython(testArguments('test_client.py'), { python })).to.match(/\nOK\n/)
  })

  it('runs the README example against a running service', async () => {
    ask = await runAsk(database, { LLM_PROVIDER: 'scripted' })
    expect(
      await runPython(['-c', firstSteps], { python, cwd: folder, variables: { FLOWFARM_URL: ask.origin } }),
    ).to.equal('sql-keyword 400\n')
    expect(
      await runPython(testArguments('test_service.py'), {
        python,
        variables: { FLOWFARM_URL: ask.origin, FLOWFARM_QUESTION: 'What is the newest indexed block?' },
      }),
    ).to.match(/\nOK \(skipped=1\)\n/)
  })
})
