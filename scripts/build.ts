/** `npm run build`: builds the pages of `dashboards/` into `dist/dashboards`. A program that needs them runs this too. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildDashboards, pageNames } from '../src/platform/pages/build-dashboards.ts'
import type { BuildMessage } from '../src/platform/pages/page-build.ts'

const start = performance.now()
// There is a channel only where a program started this.
const report = (message: BuildMessage): unknown => process.send?.(message)

try {
  const folder = await buildDashboards(resolve(import.meta.dirname, '..'), (page, built) => {
    report({ page, built, total: pageNames.length })
    console.log(
      `${page}: built (${built} of ${pageNames.length}, ${((performance.now() - start) / 1000).toFixed(1)} s)`,
    )
  })
  console.log(folder)
  if (process.send === undefined) for (const page of pageNames) console.log(sizeOf(page, join(folder, page)))
} catch (error) {
  report({ failure: error instanceof Error ? error.message : String(error) })
  console.error(error)
  process.exitCode = 1
}

function sizeOf(page: string, folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.map((file) => gzipSync(readFileSync(join(file.parentPath, file.name))).length)
  return `${page}: ${files.length} files, ${(bytes.reduce((sum, size) => sum + size, 0) / 1024).toFixed(0)} KB compressed`
}
