import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The scripts that the API runs, by the names of their files. They import nothing, so every network can run them. */
export const presentScriptNames = ['account_storage', 'public_paths', 'storage_item'] as const
export type PresentScript = (typeof presentScriptNames)[number]

/** Where the scripts are. */
export const presentScriptsFolder = join(import.meta.dirname, 'scripts')

/** The source of each script. */
export function loadPresentScripts(): (name: PresentScript) => string {
  const scripts = new Map(
    presentScriptNames.map((name) => {
      return [name, readFileSync(join(presentScriptsFolder, `${name}.cdc`), 'utf8')]
    }),
  )
  return (name) => scripts.get(name) ?? ''
}
