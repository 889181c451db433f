/** `npm run build`: builds the pages of `dashboards/` for the services that serve them, into `dist/dashboards`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildDashboards, pageNames } from '../src/services/dashboards/build-dashboards.ts'

const folder = await buildDashboards(resolve(import.meta.dirname, '..'))
console.log(folder)
for (const page of pageNames) {
  const files = readdirSync(join(folder, page), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.map((file) => gzipSync(readFileSync(join(file.parentPath, file.name))).length)
  console.log(`${page}: ${files.length} files, ${(bytes.reduce((sum, size) => sum + size, 0) / 1024).toFixed(0)} KB compressed`)
}
