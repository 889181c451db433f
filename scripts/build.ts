import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { BuildMessage } from '../src/platform/pages/page-build.ts'
import { runCommand } from './cli/command.ts'

await runCommand({
  name: 'build',
  summary: 'Builds the web pages of dashboards/ into dist/dashboards.',
  options: {},
  notes: ['Services that serve pages run this themselves when a build is missing or stale.'],
  examples: [['', 'All pages.']],
  usesDatabase: false,
  run: build,
})

async function build(): Promise<number> {
  const start = performance.now()
  const { buildDashboards, pageNames } = await import('../src/platform/pages/build-dashboards.ts')
  try {
    const folder = await buildDashboards(resolve(import.meta.dirname, '..'), (page, built) => {
      report({ page, built, total: pageNames.length })
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      process.stdout.write(`${page}: built (${built} of ${pageNames.length}, ${seconds} s)\n`)
    })
    process.stdout.write(`${folder}\n`)
    if (process.send === undefined)
      for (const page of pageNames) process.stdout.write(`${sizeOf(page, join(folder, page))}\n`)
    return 0
  } catch (error) {
    report({ failure: error instanceof Error ? error.message : String(error) })
    console.error(error)
    return 1
  }
}

function report(message: BuildMessage): void {
  process.send?.(message)
}

function sizeOf(page: string, folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.map((file) => gzipSync(readFileSync(join(file.parentPath, file.name))).length)
  return (
    `${page}: ${files.length} files, ${(bytes.reduce((sum, size) => sum + size, 0) / 1024).toFixed(0)} KB ` +
    'compressed'
  )
}
