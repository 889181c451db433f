import { existsSync } from 'node:fs'

/**
 * A program that checks Cadence as `flow cadence language-server` does, which FLOWFARM_CLI names;
 * `scripts/language-server.sh` builds one. Undefined where there is none: tests that need it are skipped.
 */
export function cadenceCli(): string | undefined {
  const path = process.env['FLOWFARM_CLI']
  return path !== undefined && existsSync(path) ? path : undefined
}
