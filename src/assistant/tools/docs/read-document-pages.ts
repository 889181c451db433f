import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SourceDocument } from './source-document.ts'

const folder = join(import.meta.dirname, '../../../../docs')

/** The pages of `docs/`, in the order of their names: `docs/api` for `docs/api.md`. */
export async function readDocumentPages(): Promise<SourceDocument[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.md')).toSorted()
  return Promise.all(
    files.map(async (name) => ({
      id: `docs/${name.slice(0, -'.md'.length).toLowerCase()}`,
      text: await readFile(join(folder, name), 'utf8'),
    })),
  )
}
