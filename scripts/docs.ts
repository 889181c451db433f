import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { configurationPage } from '../src/base/help.ts'

/** Writes the pages of docs/ that are made from code. `npm run docs`; a test compares them. */
writeFileSync(resolve(import.meta.dirname, '../docs/configuration.md'), configurationPage())
