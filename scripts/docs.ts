import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { runCommand } from './cli/command.ts'

const root = resolve(import.meta.dirname, '..')

await runCommand({
  name: 'docs',
  summary:
    'Writes what is generated from code and committed: migrations/schema.txt, docs/configuration.md, docs/tables.md, ' +
    'the metrics of docs/operations.md, the types of the pages and of the JavaScript client, and the recorded ' +
    'answers of the API.',
  options: {},
  notes: ['Takes about 30 s. Tests fail while one of these files is outdated.'],
  examples: [['', 'After a change of migrations, settings, metrics or routes.']],
  usesDatabase: false,
  run: async () => {
    run('scripts/dump-schema.ts')
    print('migrations/schema.txt')
    const { generatedPages } = await import('./docs/pages.ts')
    for (const [path, text] of await generatedPages()) {
      writeFileSync(resolve(root, path), text)
      print(path)
    }
    run('test/explorer/write-spec-answers.ts')
    return 0
  },
})

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function run(program: string): void {
  const { status } = spawnSync(process.execPath, [resolve(root, program)], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
