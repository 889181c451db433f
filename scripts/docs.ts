import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { generatedPages } from './docs/pages.ts'

/**
 * `npm run docs`: writes everything that is made from code and kept: the schema of the migrations, the pages of docs/, and what the
 * endpoints answer on a recorded chain, which takes most of the half minute. Tests compare.
 */
const root = resolve(import.meta.dirname, '..')

// The page of tables is made of the schema.
run('scripts/dump-schema.ts')
console.log('migrations/schema.txt')
for (const [path, text] of await generatedPages()) {
  writeFileSync(resolve(root, path), text)
  console.log(path)
}
run('test/explorer/write-endpoints-page.ts')

function run(program: string): void {
  const { status } = spawnSync(process.execPath, [resolve(root, program)], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
