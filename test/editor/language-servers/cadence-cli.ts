import { existsSync } from 'node:fs'

/**
 * Path of a program that checks Cadence like `flow cadence language-server`, from FLOWFARM_CLI.
 * Build one with `scripts/language-server.sh`. If undefined, tests that need it are skipped.
 */
export function cadenceCli(): string | undefined {
  const path = process.env['FLOWFARM_CLI']
  return path !== undefined && existsSync(path) ? path : undefined
}
