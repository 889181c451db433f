import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePorts } from '../../scripts/bench/start-redis.ts'
import { testKey } from './node-client.ts'
import type { TestSigner } from './node-client.ts'

/**
 * A Flow emulator in a child process: flow-go's virtual machine with its signature checks, fees and
 * storage limits.
 */
export interface FlowEmulator {
  /** The access API endpoint, in the format of CHAIN_ACCESS_NODE. */
  readonly endpoint: string
  /** The REST API endpoint. */
  readonly restUrl: string
  /** The service account, which has all FLOW. */
  readonly service: TestSigner
  /** The same in the format of WALLET_TESTNET_PAYER. */
  readonly payerSetting: string
  /** Deletes the blocks above a height, as a fork does. Automatic block production must be off. */
  rollBack(height: number): Promise<void>
  stop(): Promise<void>
}

/** A test key that protects nothing of value. */
const serviceKey = '7c4b1a1de5f0c8e2a93d6f4b2e8c7a5190d3f6b4e2a8c7d5f1b3e9a6c4d2f087'
const serviceAddress = '0xf8d6e0586b0a20c7'

/**
 * The program at FLOWFARM_EMULATOR, which `scripts/emulator.sh` builds. If undefined, tests that
 * need it are skipped.
 */
export function emulatorProgram(): string | undefined {
  const path = process.env['FLOWFARM_EMULATOR']
  return path !== undefined && existsSync(path) ? path : undefined
}

/**
 * @param blockMs block interval; by default each transaction creates a block @throws if it exits
 * before it listens, with its output
 */
export async function startFlowEmulator(
  program: string,
  { blockMs }: { readonly blockMs?: number } = {},
): Promise<FlowEmulator> {
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-emulator-'))
  const [port, rest, admin, debugging] = await freePorts(4, '127.0.0.1')
  const child = spawn(
    program,
    [
      '--host',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--rest-port',
      `${rest}`,
      '--admin-port',
      `${admin}`,
      '--debugger-port',
      `${debugging}`,
      ...(blockMs === undefined ? [] : ['--block-time', `${blockMs}ms`]),
      '--transaction-fees',
      '--service-priv-key',
      serviceKey,
      '--service-sig-algo',
      'ECDSA_P256',
      '--service-hash-algo',
      'SHA3_256',
      '--log-format',
      'JSON',
      // As on mainnet, instead of ten blocks. Only this store supports deleting blocks.
      '--transaction-expiry',
      '600',
      '--sqlite-url',
      ':memory:',
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const ended = once(child, 'exit')
  const output: string[] = []
  const listening = Promise.withResolvers<void>()
  const waiting = new Set([`${port}`, `${rest}`, `${admin}`])
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line)
      const started = /Started .* on port (\d+)/.exec(line)?.[1]
      if (started !== undefined && waiting.delete(started) && waiting.size === 0) listening.resolve()
    })
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  await Promise.race([
    listening.promise,
    ended.then(() => {
      throw new Error(`the emulator ended: ${output.slice(-5).join('\n')}`)
    }),
  ])
  ended.catch(() => undefined)
  return {
    endpoint: `127.0.0.1:${port}`,
    restUrl: `http://127.0.0.1:${rest}`,
    stop,
    service: { address: serviceAddress, keyIndex: 0, key: testKey('ECDSA_P256', 'SHA3_256', serviceKey) },
    payerSetting: `${serviceAddress}/0/ECDSA_P256/SHA3_256/${serviceKey}`,
    rollBack: async (height) => {
      const response = await fetch(`http://127.0.0.1:${admin}/emulator/rollback`, {
        method: 'POST',
        body: new URLSearchParams({ height: String(height) }),
      })
      if (!response.ok) throw new Error(`the emulator was not rolled back: ${response.status} ${await response.text()}`)
    },
  }
}
