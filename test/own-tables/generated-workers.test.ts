import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fromBinary } from '@bufbuild/protobuf'
import { expect } from 'chai'
import { contractEvents } from '../../scripts/worker/contract-events.ts'
import { generateWorker, missingFields } from '../../scripts/worker/generate.ts'
import type { RecordedEvent } from '../../scripts/worker/generate.ts'
import { folderName } from '../../scripts/worker/names.ts'
import { AccountResponseSchema } from '../../src/access/gen/flow/access/access_pb.ts'
import type { ParsedProgram } from '../../src/flow/cadence/syntax-tree.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'
import type { TableDefinitions, WorkerDefinition } from '../../src/own-tables/define-worker.ts'
import { declarationLimits } from '../../src/own-tables/read-declaration.ts'
import { deriveRows } from '../../src/own-tables/worker-test.ts'
import { parseEventType } from '../../src/flow/type-id.ts'
import { genesisContracts } from '../../simnode/ledger/world/genesis-contracts.ts'
import { accountAt } from '../../simnode/ledger/world/account.ts'
import { cadenceParser } from '../support/cadence-parser.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { recording, recordingsToProve } from '../support/replay.ts'
import { readRepositoryFile, repositoryRoot } from '../support/repository.ts'
import { hostileContracts } from './hostile-contracts.ts'

interface Generated {
  readonly path: string
  /** All recorded ones, and examples of the others. */
  readonly events: readonly unknown[]
}

interface Contract {
  /** `A.<address>.<name>` */
  readonly id: string
  readonly code: string
}

type AnyWorker = WorkerDefinition<Record<string, Record<string, never>>, TableDefinitions>

const maxRecorded = 3

describe('generated workers', () => {
  let folder: string
  let parse: (code: string) => ParsedProgram
  const parsed = new Map<string, ParsedProgram>()

  before(async () => {
    const parser = await cadenceParser()
    // The recordings share contracts, and large ones take a second.
    parse = (code) => {
      const program = parsed.get(code) ?? (parser(code) as ParsedProgram)
      parsed.set(code, program)
      return program
    }
    folder = mkdtempSync(join(tmpdir(), 'flowfarm-generated-workers-'))
    const packages = join(folder, 'node_modules')
    mkdirSync(packages)
    symlinkSync(repositoryRoot, join(packages, 'flowfarm'))
    for (const name of ['chai', '@types']) symlinkSync(join(repositoryRoot, 'node_modules', name), join(packages, name))
    const options = { extends: join(repositoryRoot, 'tsconfig.json'), include: ['**/*.ts', '**/*.json'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  it('compile, are formatted, and accept every recorded event', async () => {
    const generated = [
      ...(await Promise.all(recordingsToProve.map(writeRecording))).flat(),
      ...writeAll('simulated', simulatedContracts(), new Map()),
      ...writeAll('hostile', hostileContracts, new Map()),
    ]
    expect(generated.length).to.be.greaterThan(50)
    for (const { path, events } of generated) {
      const { default: worker } = (await import(join(path, 'worker.ts'))) as { default: AnyWorker }
      const rows = Object.values(await deriveRows(worker, events)).flat()
      expect(rows, path).to.have.lengthOf(events.length)
    }
    const storefront = generated.find(({ path }) => path.endsWith('simulated/f8d6e0586b0a20c7/nft-storefront-v2'))
    writeFileSync(join(storefront?.path ?? '', 'page.ts'), exampleOfPage())
    expect(await outputOf('typescript/bin/tsc', '--project', folder, '--pretty', 'false')).to.equal('')
    const config = join(repositoryRoot, '.oxfmtrc.json')
    const files = ['**/worker.ts', '**/worker.test.ts']
    expect(await outputOf('oxfmt/bin/oxfmt', '--list-different', '--config', config, ...files)).to.equal('')
  })

  async function writeRecording(name: (typeof recordingsToProve)[number]): Promise<readonly Generated[]> {
    const version = [...(await recording(name)).versions.keys()].at(-1) ?? ''
    const events = new Map<string, PayloadFields[]>()
    for (const { transactions } of await decodedRecording(name, { version })) {
      for (const { type, fields = {} } of transactions.flatMap((transaction) => transaction.events)) {
        events.set(type, [...(events.get(type) ?? []), fields])
      }
    }
    return writeAll(name.replaceAll('/', '-'), await recordedContracts(name, version), events)
  }

  /** @param events fields by type */
  function writeAll(
    place: string,
    contracts: readonly Contract[],
    events: ReadonlyMap<string, readonly PayloadFields[]>,
  ): readonly Generated[] {
    return contracts.flatMap(({ id, code }) => {
      const [, address = '', name = ''] = id.split('.')
      const found = contractEvents({ code, address, name }, parse)
      expect(found.isFound, id).to.equal(true)
      const own = [...events].filter(([type]) => type.startsWith(`${id}.`))
      const declared = new Set(found.events.map((event) => `${id}.${event.name}`))
      expect(own.map(([type]) => type).filter((type) => !declared.has(type))).to.deep.equal([])
      if (found.events.length === 0) return []
      const path = join(folder, place, address, folderName(id))
      mkdirSync(path, { recursive: true })
      const selected = found.events.slice(0, declarationLimits.tables)
      const files = generateWorker({
        contract: id,
        folder: folderName(id),
        dir: 'my-workers',
        events: selected,
        structs: found.structs,
        isSelection: selected.length < found.events.length,
        missing: missingFields(found.events, shapesOf(own)),
        recorded: own.flatMap(([type, all]) => all.slice(0, maxRecorded).map((fields) => recordedEvent(type, fields))),
      })
      for (const [file, text] of files) writeFileSync(join(path, file), text)
      writeFileSync(join(path, 'recorded.ts'), literalsText(own))
      const examples = (JSON.parse(files.get('events.json') ?? '[]') as RecordedEvent[]).filter(
        ({ type }) => !events.has(type),
      )
      const recorded = own.flatMap(([type, all]) => all.map((fields) => recordedEvent(type, fields)))
      return [{ path, events: [...recorded, ...examples] }]
    })
  }

  /** Output of a tool of node_modules, in the folder, also if it fails. */
  async function outputOf(program: string, ...args: readonly string[]): Promise<string> {
    const argv = [join(repositoryRoot, 'node_modules', program), ...args]
    try {
      const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: folder, maxBuffer: 1 << 26 })
      return stdout
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
      return `${stdout}${stderr}`.slice(0, 10_000)
    }
  }
})

function shapesOf(
  events: readonly (readonly [type: string, fields: readonly PayloadFields[]])[],
): (readonly [name: string, fields: readonly string[]])[] {
  return events.flatMap(([type, all]) => all.map((fields) => [parseEventType(type).name, Object.keys(fields)] as const))
}

/** With types of the event that the page selects. */
function exampleOfPage(): string {
  const [, code = ''] =
    /^```ts\n(import \{ defineWorker .*?)^```$/ms.exec(readRepositoryFile('docs/own-tables.md')) ?? []
  return code.replace(
    /^import type .*$/m,
    "import type { Events as All } from './events.gen.ts'\ntype Events = Pick<All, 'ListingCompleted'>",
  )
}

/** A file with all values of recorded events, which compiles only if the types accept them. */
function literalsText(events: readonly (readonly [string, readonly PayloadFields[]])[]): string {
  const byName = events.map(([type, all]) => [parseEventType(type).name, all] as const)
  const lines = byName.flatMap(([name, all]) => [
    `  ${JSON.stringify(name)}: [`,
    ...all.map((fields) => `    ${JSON.stringify(fields)},`),
    '  ],',
  ])
  return [
    "import type { Events } from './events.gen.ts'",
    '',
    `export const recorded: { readonly [Name in keyof Events]?: readonly Events[Name][] } = {`,
    ...lines,
    '}',
    '',
  ].join('\n')
}

function recordedEvent(type: string, fields: PayloadFields): RecordedEvent {
  const { name } = parseEventType(type)
  const place = { height: 1, timestamp: '2026-01-01T00:00:00.000Z', txIndex: 0, index: 0 }
  return { name, type, ...place, transactionId: '00'.repeat(32), fields }
}

async function recordedContracts(
  name: (typeof recordingsToProve)[number],
  version: string,
): Promise<readonly Contract[]> {
  const answers = (await recording(name)).versions.get(version)?.answers ?? new Map<string, unknown>()
  return [...answers].flatMap(([key, answer]) => {
    if (!key.startsWith('GetAccountAtLatestBlock ') || !(answer instanceof Buffer)) return []
    const { account } = fromBinary(AccountResponseSchema, answer)
    const address = Buffer.from(account?.address ?? []).toString('hex')
    return Object.entries(account?.contracts ?? {}).map(([contract, code]) => ({
      id: `A.${address}.${contract}`,
      code: Buffer.from(code).toString('utf8'),
    }))
  })
}

function simulatedContracts(): readonly Contract[] {
  return [...genesisContracts].flatMap(([index, contracts]) =>
    contracts.map(({ name, code }) => ({ id: `A.${accountAt(index).hex}.${name}`, code: code.toString('utf8') })),
  )
}
