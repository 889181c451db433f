import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compiler, formatter, linter, runTool } from '../scripts/check/tools.ts'
import type { Tool } from '../scripts/check/tools.ts'
import { startLedgerNode } from '../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../simnode/ledger/ledger-node.ts'
import { enrichmentOff } from './support/enrichment-off.ts'
import type { ProgramRun } from './support/command-line.ts'
import { createTestDatabase } from './support/database.ts'
import type { TestDatabase } from './support/database.ts'
import { runFarm, untilDerived } from './support/farm.ts'
import { applyChange, npmCommands, pageBlocks } from './support/page-files.ts'
import type { PageBlock } from './support/page-files.ts'
import { ProjectCopy } from './support/project-copy.ts'
import { repositoryRoot } from './support/repository.ts'

const page = 'docs/contributing.md'
const worker = 'nft_sales_worker'
const head = 119
/** Checks the list of workers and its imports only. */
const jobsCompiler: Tool = {
  name: 'types',
  argv: ['typescript/bin/tsc', '--project', 'tsconfig.jobs.json', '--pretty', 'false', '--singleThreaded'],
}

describe('guide to adding a worker', () => {
  let copy: ProjectCopy
  let database: TestDatabase
  let node: LedgerNode
  let program: ProgramRun | undefined
  const blocks = pageBlocks(page)
  const changes = blocks.filter(({ kind }) => kind === 'change')

  before(async () => {
    copy = await ProjectCopy.make()
    for (const block of blocks) await put(block)
    // Compiler and linter read the files of the guide and their imports, not all sources.
    const project = JSON.parse(await copy.read('tsconfig.json')) as object
    await copy.write(
      'tsconfig.json',
      JSON.stringify({ ...project, include: ['jobs/index.ts', 'test/jobs/nft-sales.test.ts'] }),
    )
    await copy.write('tsconfig.jobs.json', JSON.stringify({ extends: './tsconfig.json', include: ['jobs/index.ts'] }))
    node = await startLedgerNode({ seed: 3, head })
    database = await createTestDatabase()
  })

  after(async () => {
    program?.child.kill('SIGKILL')
    await program?.ended
    await node.stop()
    await database.drop()
    await copy.remove()
  })

  const put = async ({ path, kind, text }: PageBlock): Promise<void> => {
    const file = path.replace('NNNN', nextMigration())
    await copy.write(file, kind === 'file' ? text : applyChange(await copy.read(file), text))
  }
  const done = async (command: string, variables: Record<string, string> = {}): Promise<string> => {
    const { code, stdout, stderr } = await (await copy.npm(command, variables)).ended
    expect(code, `${command}\n${stdout}${stderr}`).to.equal(0)
    return stdout
  }
  const rows = async (text: string): Promise<string[]> =>
    (await database.pool.query<{ row: string }>(text)).rows.map(({ row }) => row)

  it('refers to existing files and lines', () => {
    expect(blocks.map(({ path, kind }) => `${kind} ${path}`)).to.deep.equal([
      'file migrations/NNNN_nft_sales.sql',
      'file jobs/nft-sales-worker.ts',
      'change jobs/worker-names.ts',
      'change jobs/index.ts',
      'change jobs/index.ts',
      'file test/jobs/nft-sales.test.ts',
    ])
    expect(npmCommands(page)).to.include.members([
      'npm run docs',
      'npm run check',
      'npm start',
      'npm test -- test/jobs/nft-sales.test.ts',
    ])
  })

  it('has code that passes compiler, linter and formatter', async () => {
    const files = blocks.filter(({ path, kind }) => kind === 'file' && path.endsWith('.ts')).map(({ path }) => path)
    const tools = [
      compiler,
      { ...linter, argv: [...linter.argv, ...files] } as const,
      { ...formatter, argv: ['oxfmt/bin/oxfmt', '--check', ...files] } as const,
    ]
    for (const tool of tools) {
      const { ok, output } = await runTool(copy.root, tool)
      expect(ok, output).to.equal(true)
    }
  })

  it('has only lines that the compiler requires', async () => {
    for (const { path, text } of changes) {
      const whole = await copy.read(path)
      const added = text
        .split('\n')
        .filter((line) => line.startsWith('+'))
        .map((line) => `${line.slice(1)}\n`)
      await copy.write(
        path,
        added.reduce((rest, line) => rest.replace(line, ''), whole),
      )
      const { output } = await runTool(copy.root, jobsCompiler)
      expect(output, path).to.match(/^jobs\/index\.ts.*(nft_sales_worker|nftSalesWorker)/m)
      await copy.write(path, whole)
    }
  })

  it('includes all generated files', async () => {
    await done('npm run docs')
    expect(await copy.read('migrations/schema.txt')).to.match(/^table app\.nft_sales\b/m)
    expect(await copy.read('docs/tables.md')).to.include(`## ${worker}\n`)
    expect(await copy.read('docs/configuration.md')).to.include('| `ENABLE_NFT_SALES_WORKER` |')
    expect(await copy.read('test/explorer/spec-answers.txt')).to.include(`"${worker}"`)
  })

  it('has a passing test, and declarations that match the database', async () => {
    const { code, stdout, stderr } = await copy.start('node_modules/mocha/bin/mocha.js', [
      'test/jobs/nft-sales.test.ts',
      'test/jobs/declarations.test.ts',
    ]).ended
    expect(code, `${stdout}${stderr}`).to.equal(0)
  })

  it('lets an existing farm backfill the new worker from stored data', async () => {
    const before = await runFarm(database, { CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '0' }, { withIngest: true })
    await untilDerived(database, ['token_worker'], [{ from: 0, to: head + 1 }], before)
    await before.stop()
    const requested = node.callCount()
    const variables = { DB_URL: database.url }
    program = copy.start('src/main.ts', ['farm'], {
      ...variables,
      ...enrichmentOff,
      HISTORY_DERIVERS_BATCH_MS: '0',
      LOG_FORMAT: 'json',
    })
    await program.printed(/Farm started/)
    await done(`npm run farm -- backfill --from 0 --to ${head} --workers ${worker}`, variables)
    expect(await rows('select count(*)::text as row from app.nft_sales')).to.not.deep.equal(['0'])
    expect(
      await rows("select concat_ws(' ', sum(sale_count), sum(volume)) as row from app.nft_sale_totals"),
    ).to.deep.equal(await rows("select concat_ws(' ', count(*), sum(price)) as row from app.nft_sales"))
    expect(node.callCount()).to.equal(requested)
    await done(`npm run farm -- backfill --from 0 --to ${head}`, variables)
    const derived = await rows(
      'select s::text as row from app.nft_sales s order by block_height, tx_index, event_index',
    )
    await done(`npm run farm -- rederive --from 50 --to 99 --workers ${worker}`, variables)
    expect(
      await rows('select s::text as row from app.nft_sales s order by block_height, tx_index, event_index'),
    ).to.deep.equal(derived)
    expect(await done('npm run farm -- status --json', variables)).to.include(`"${worker}"`)
    expect(await done('npm run verify -- --rebuild --json', variables)).to.include('app.nft_sale_totals')
  })
})

function nextMigration(): string {
  const names = readdirSync(join(repositoryRoot, 'migrations')).filter((name) => /^\d{4}_/.test(name))
  return String(names.length + 1).padStart(4, '0')
}
