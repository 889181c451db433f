import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { findTestProgram } from '../../../src/editor/test-runs/run-tests.ts'
import type { TestProgram } from '../../../src/editor/test-runs/run-tests.ts'
import type { SandboxLimits } from '../../../src/editor/test-runs/sandbox.ts'

/**
 * Stands in for the Flow CLI: runs the last file as a shell script, which can attack more than
 * Cadence can. @returns its path
 */
export async function writeStandIn(): Promise<string> {
  const program = join(await mkdtemp(join(tmpdir(), 'flowfarm-stand-in-')), 'flow')
  const code = `#!/bin/sh
[ "$1" = version ] && exit 0
for file; do :; done
arguments=$*
. "./$file"
`
  await writeFile(program, code, { mode: 0o755 })
  return program
}

export const standInLimits: SandboxLimits = { runMs: 20_000, memoryBytes: 2 ** 30, outputBytes: 10_000 }

export async function findStandIn(limits: Partial<SandboxLimits> = {}, isOn = true): Promise<TestProgram> {
  return await findTestProgram({
    isOn,
    command: await writeStandIn(),
    log: pino({ level: 'silent' }),
    limits: { ...standInLimits, ...limits },
  })
}

/** Shell code that prints results as `flow test --output json` does. */
export function printing(results: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  return `cat <<'RESULT'\n${JSON.stringify(results, undefined, 2)}\nRESULT\n`
}
