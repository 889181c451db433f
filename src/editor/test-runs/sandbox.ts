import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lowerPriorityOf } from '../../platform/thread-limits.ts'

export interface SandboxLimits {
  readonly runMs: number
  /** Address space of the program. */
  readonly memoryBytes: number
  /** Of stdout and stderr together. */
  readonly outputBytes: number
}

export const sandboxLimits: SandboxLimits = { runMs: 60_000, memoryBytes: 4 * 2 ** 30, outputBytes: 1_000_000 }

export interface SandboxResult {
  /** `ended`: exited. Else the limit that ended it. */
  readonly end: 'ended' | 'time' | 'output' | 'aborted'
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

export interface SandboxRun {
  readonly program: string
  readonly args: readonly string[]
  readonly files: ReadonlyMap<string, string>
  readonly limits?: SandboxLimits
  readonly signal?: AbortSignal
}

const script = fileURLToPath(new URL('./sandbox.sh', import.meta.url))
const namespaces = [
  '--user',
  '--map-root-user',
  '--mount',
  '--net',
  '--ipc',
  '--uts',
  '--pid',
  '--fork',
  '--kill-child',
]
/** Largest file that the program may write. */
const fileBytes = 16 * 2 ** 20
const processes = 512

/**
 * Runs a program on files in a folder of its own, without network, environment and other files of
 * this machine. @throws the system error if the files cannot be written
 */
export async function runInSandbox({
  program,
  args,
  files,
  limits = sandboxLimits,
  signal,
}: SandboxRun): Promise<SandboxResult> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'flowfarm-test-run-')))
  try {
    await mkdir(join(folder, 'root'))
    await mkdir(join(folder, 'project'))
    for (const [path, content] of files) {
      const place = join(folder, 'project', path)
      await mkdir(dirname(place), { recursive: true })
      await writeFile(place, content)
    }
    return await runIn(folder, program, args, limits, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runIn(
  folder: string,
  program: string,
  args: readonly string[],
  { runMs, memoryBytes, outputBytes }: SandboxLimits,
  signal: AbortSignal | undefined,
): Promise<SandboxResult> {
  const startedAt = performance.now()
  const child = spawn(
    'unshare',
    [
      ...namespaces,
      'prlimit',
      `--as=${memoryBytes}`,
      `--cpu=${Math.ceil((runMs / 1000) * 2)}`,
      `--fsize=${fileBytes}`,
      `--nproc=${processes}`,
      '--core=0',
      '/bin/sh',
      script,
      folder,
      program,
      ...args,
    ],
    {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/tmp', TMPDIR: '/tmp' },
    },
  )
  lowerPriorityOf(child)
  let end: SandboxResult['end'] = 'ended'
  const kill = (why: SandboxResult['end']): void => {
    if (end !== 'ended' || child.exitCode !== null) return
    end = why
    killGroup(child.pid)
  }
  let left = outputBytes
  const read = (chunks: Buffer[]) => (piece: Buffer) => {
    if (left > 0) chunks.push(piece.subarray(0, left))
    left -= piece.length
    if (left < 0) kill('output')
  }
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', read(stdout))
  child.stderr.on('data', read(stderr))
  const timer = setTimeout(() => kill('time'), runMs)
  const abort = (): void => kill('aborted')
  signal?.addEventListener('abort', abort)
  if (signal?.aborted === true) abort()
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    return {
      end,
      code,
      stdout: Buffer.concat(stdout).toString(),
      stderr: Buffer.concat(stderr).toString(),
      ms: Math.round(performance.now() - startedAt),
    }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    killGroup(child.pid)
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
