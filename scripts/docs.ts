import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { generatedPages } from './docs/pages.ts'

/** `npm run docs`: writes what of docs/ is made from code. A test compares. */
for (const [path, text] of await generatedPages()) {
  writeFileSync(resolve(import.meta.dirname, '..', path), text)
  console.log(path)
}
